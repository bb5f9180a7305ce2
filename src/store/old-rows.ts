import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../domain/clock.ts";
import { parseSessionId, type SessionId } from "../domain/ids.ts";
import type { Transactions } from "./transaction.ts";

/** A long piece of work, done by whoever takes all of it, bit by bit. A bit holds the loop for some milliseconds. */
export type Steps = Generator<undefined, void>;

/**
 * Removes what is old from the database, and gives the room back to the disk. Times are in milliseconds since 1970. A step
 * throws when the database does; what was removed until then stays so. None of it waits for the disk: what a power cut
 * brings back is old still.
 */
export interface OldRows {
  /**
   * Removes the turns that were flushed before `before`, with what chats show of them: those that were delivered or belong
   * to no chat; of those that could not be delivered, the ones of before `undelivered`. One without an end stays.
   */
  turns(before: number, undelivered: number): Steps;
  /** Removes the updates that were spent and are older than `before`, unless a turn's row names them. */
  updates(before: number): Steps;
  /** Removes the requests of before `before`. */
  requests(before: number): Steps;
  /**
   * Returns the sessions that were used last before `before`, the oldest first, and which nothing needs that is written
   * down: no turn of theirs is without an end, and no message of their chat waits. One whose
   * date cannot be true counts as used now.
   */
  unusedSessions(before: number): readonly SessionId[];
  /** Removes the messages of a session. */
  messagesOf(session: SessionId): Steps;
  /** Gives pages that are free back to the disk, when it is worth it, and cuts the log of writes. */
  shrink(): Steps;
}

/** Before evie was there. A machine without a battery for its clock begins at 1970, until the network tells the time. */
const NO_DATE = Date.UTC(2020, 0, 1);

/** Rows in a step. */
const ROWS = 100;
/** Bytes of messages in a step. */
const BYTES = 500_000;
/** Pages, of 4 kB, that a step of shrinking moves. */
const PAGES = 64;
/** Free pages that are kept, since what is written next needs some; and how many make it worth to shrink. */
const [KEPT_FREE, WORTH_IT] = [256, 1_024];

/** `PRAGMA auto_vacuum` where pages are given back at a word. */
const INCREMENTAL = 2;

/** Tells whether a turn is shown in a chat; `turns.ts` says in which. */
const HAS_CHAT = `(EXISTS (SELECT 1 FROM updates WHERE id = json_extract(turns.sources, '$[0]') AND chat IS NOT NULL)
  OR EXISTS (SELECT 1 FROM bubbles WHERE turn_id = turns.id)
  OR EXISTS (SELECT 1 FROM chats WHERE chats.session_id = turns.session_id))`;

export function createOldRows(
  database: DatabaseSync,
  { unsynced }: Transactions,
  clock: Pick<Clock, "date">,
): OldRows {
  const dateAnew = database.prepare("UPDATE sessions SET last_used_at = ? WHERE last_used_at < ?");
  const deleteTurns = database.prepare(
    `DELETE FROM turns WHERE place >= :first AND place < :next AND flushed_at < :before AND ended_at IS NOT NULL
       AND (delivered_at IS NOT NULL OR flushed_at < :undelivered OR NOT ${HAS_CHAT})`,
  );
  const deleteBubbles = database.prepare(
    `DELETE FROM bubbles WHERE rowid >= :first AND rowid < :next
       AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.id = bubbles.turn_id)`,
  );
  const selectSources = database.prepare(
    "SELECT source.value AS id FROM turns, json_each(turns.sources) AS source WHERE place >= :first AND place < :next",
  );
  const selectSpent = database.prepare(
    "SELECT id FROM updates WHERE place >= :first AND place < :next AND spent = 1 AND stored_at < :before",
  );
  // Again, for a turn may have come to name it while the others were looked at.
  const deleteUpdate = database.prepare(
    `DELETE FROM updates WHERE id = :id AND NOT EXISTS (
       SELECT 1 FROM turns, json_each(turns.sources) AS source
       WHERE source.value = :id AND (turns.place >= :seen OR turns.ended_at IS NULL))`,
  );
  const deleteRequests = database.prepare(
    "DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests WHERE at < ? LIMIT ?)",
  );
  const selectUnused = database.prepare(
    `SELECT id FROM sessions WHERE last_used_at < ?
       AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.session_id = sessions.id AND turns.ended_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM updates, chats WHERE updates.spent = 0
         AND chats.key = updates.chat AND chats.session_id = sessions.id)
     ORDER BY last_used_at`,
  );
  const selectMessages = database.prepare(
    "SELECT id, octet_length(body) AS bytes FROM messages WHERE session_id = ? ORDER BY id LIMIT ?",
  );
  const deleteMessages = database.prepare("DELETE FROM messages WHERE session_id = ? AND id <= ?");

  /** Walks through a table by its rowids, some at a time. */
  function* walk(
    table: "turns" | "updates" | "bubbles",
    step: (range: { readonly first: number; readonly next: number }) => void,
  ): Steps {
    const { low, high } =
      database.prepare(`SELECT MIN(rowid) AS low, MAX(rowid) AS high FROM ${table}`).get() ?? {};
    if (low === null || high === null) return;
    for (let first = Number(low); first <= Number(high); first += ROWS) {
      step({ first, next: first + ROWS });
      yield undefined;
    }
  }

  function numberOf(pragma: "freelist_count" | "auto_vacuum"): number {
    return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);
  }

  return {
    *turns(before, undelivered) {
      yield* walk("turns", (range) => unsynced(() => deleteTurns.run({ ...range, before, undelivered })));
      yield* walk("bubbles", (range) => unsynced(() => deleteBubbles.run(range)));
    },
    *updates(before) {
      const named = new Set<number>();
      let seen = 0;
      yield* walk("turns", (range) => {
        for (const { id } of selectSources.iterate(range)) named.add(Number(id));
        seen = range.next;
      });
      yield* walk("updates", (range) => {
        const spent = selectSpent.all({ ...range, before }).map(({ id }) => Number(id));
        const unnamed = spent.filter((id) => !named.has(id));
        if (unnamed.length === 0) return;
        unsynced(() => {
          for (const id of unnamed) deleteUpdate.run({ id, seen });
        });
      });
    },
    *requests(before) {
      while (unsynced(() => Number(deleteRequests.run(before, ROWS).changes)) === ROWS) yield undefined;
    },
    unusedSessions(before) {
      if (before > NO_DATE) dateAnew.run(clock.date(), NO_DATE);
      return selectUnused.all(before).flatMap(({ id }) => parseSessionId(String(id)) ?? []);
    },
    *messagesOf(session) {
      for (;;) {
        const last = lastWithin(selectMessages.all(session, ROWS));
        if (last === undefined) return;
        unsynced(() => deleteMessages.run(session, last));
        yield undefined;
      }
    },
    *shrink() {
      let free = numberOf("freelist_count");
      // One of an earlier evie, which could not be changed at the start.
      const canShrink = numberOf("auto_vacuum") === INCREMENTAL;
      if (canShrink && free >= WORTH_IT) {
        while (free > KEPT_FREE) {
          const pages = Math.min(PAGES, free - KEPT_FREE);
          unsynced(() => database.exec(`PRAGMA incremental_vacuum(${pages})`));
          yield undefined;
          const left = numberOf("freelist_count");
          if (left >= free) break;
          free = left;
        }
      }
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      yield undefined;
    },
  };
}

/** The id of the last message of those from the first on that have so many bytes together; one at least. */
function lastWithin(rows: readonly Record<string, unknown>[]): number | undefined {
  let left = BYTES;
  let last: number | undefined;
  for (const { id, bytes } of rows) {
    left -= Number(bytes);
    if (left < 0 && last !== undefined) break;
    last = Number(id);
  }
  return last;
}
