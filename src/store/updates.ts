import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../domain/clock.ts";
import type { Together } from "./transaction.ts";

interface NewUpdate {
  /** Telegram's number of it, an `update_id`. */
  readonly id: number;
  /** Where it was written; undefined for what belongs to no chat. */
  readonly chat: string | undefined;
  /** As it came, in JSON, with a word on how it was taken where that could be otherwise. */
  readonly body: string;
}

/** From when to when Telegram answered polls, in milliseconds since 1970. */
interface PolledTime {
  readonly since: number;
  readonly until: number;
}

/** What Telegram sent, from before it is confirmed. Each call throws when the database does. */
export interface StoredUpdates {
  /**
   * To be called before anything else, with the bot's id: another bot has other chats and counts its updates anew, so
   * nothing of a former one's is answered any more. What was asked elsewhere is left.
   */
  adopt(botId: number): void;
  /** Notes the time in which Telegram was polled without a long break, in place of what was noted before. */
  heard(polled: PolledTime): void;
  /** What was noted last of this bot; undefined when nothing was. */
  polled(): PolledTime | undefined;
  /** Stores those that are not here yet, in order, durable when it returns. Gives their numbers. */
  add(updates: readonly NewUpdate[]): ReadonlySet<number>;
  /** Keeps `body` in place of the one of that update. */
  replace(id: number, body: string): void;
  /** Notes that these need no more looking at: a turn names them, or what they asked for was done. */
  spend(ids: readonly number[]): void;
  /** The bodies of those that still need looking at, in the order of their arrival. */
  unspent(): readonly string[];
  /** The bodies of these, in this order, as far as they are here. */
  bodies(ids: readonly number[]): readonly string[];
}

/**
 * Milliseconds in which a number that comes again is the same update. Telegram keeps one for 24 hours, and numbers may
 * begin anew anywhere after a week without any: an old row must not swallow a new message.
 */
const SAME_WITHIN = 48 * 3_600_000;

export function createStoredUpdates(database: DatabaseSync, together: Together, clock: Clock): StoredUpdates {
  const known = database.prepare("SELECT 1 FROM updates WHERE id = ? AND stored_at > ?");
  const insert = database.prepare(
    "INSERT OR REPLACE INTO updates (id, chat, body, stored_at) VALUES (:id, :chat, :body, :at)",
  );
  const replace = database.prepare("UPDATE updates SET body = ? WHERE id = ?");
  const spend = database.prepare("UPDATE updates SET spent = 1 WHERE id = ?");
  const unspent = database.prepare("SELECT body FROM updates WHERE spent = 0 ORDER BY place");
  const body = database.prepare("SELECT body FROM updates WHERE id = ?");

  const owner = database.prepare("SELECT id FROM bot");
  const own = database.prepare(
    `INSERT INTO bot (only, id) VALUES (1, ?) ON CONFLICT (only)
       DO UPDATE SET id = excluded.id, heard_at = CASE WHEN id = excluded.id THEN heard_at END`,
  );
  const hear = database.prepare("UPDATE bot SET heard_since = :since, heard_at = :until");
  const selectHeard = database.prepare("SELECT heard_since AS since, heard_at AS until FROM bot");

  return {
    adopt: (botId) =>
      together(() => {
        const former = owner.get();
        if (former !== undefined && Number(former["id"]) !== botId) {
          database.exec(`
            DELETE FROM updates;
            DELETE FROM bubbles;
            DELETE FROM turns WHERE prompt IS NULL;
            UPDATE turns SET sources = '[]', prompt =
              (SELECT json_group_array(json(value)) FROM json_each(prompt) WHERE value -> 'sources' IS NULL);`);
        }
        own.run(botId);
      }),
    heard: ({ since, until }) => void hear.run({ since, until }),
    polled() {
      const { since, until } = selectHeard.get() ?? {};
      return typeof since === "number" && typeof until === "number" ? { since, until } : undefined;
    },
    add: (updates) =>
      together(() => {
        const at = clock.date();
        const added = new Set<number>();
        for (const { id, chat = null, body: text } of updates) {
          if (added.has(id) || known.get(id, at - SAME_WITHIN) !== undefined) continue;
          insert.run({ id, chat, body: text, at });
          added.add(id);
        }
        return added;
      }),
    replace: (id, text) => void replace.run(text, id),
    spend: (ids) =>
      together(() => {
        for (const id of ids) spend.run(id);
      }),
    unspent: () => unspent.all().map((row) => String(row["body"])),
    bodies: (ids) =>
      ids.flatMap((id) => {
        const row = body.get(id);
        return row === undefined ? [] : [String(row["body"])];
      }),
  };
}
