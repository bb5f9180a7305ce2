import type { DatabaseSync } from "node:sqlite";
import type { Message } from "../domain/events.ts";
import type { SessionId } from "../domain/ids.ts";

/** Messages of one session, the oldest first. */
export interface MessagePage {
  readonly messages: readonly Message[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

/** What was said in each session. Each call throws when the database does, and what it wrote is durable when it returns. */
export interface StoredMessages {
  /** Puts a message behind all others of its session, or, when its key is there already, in that one's place. */
  save(session: SessionId, message: Message): void;
  /** Nothing happens for an unknown key. */
  forget(session: SessionId, key: string): void;
  get(session: SessionId, key: string): Message | undefined;
  /**
   * The last `limit` messages of those before the message `before`; of all when it is left out. None for an unknown key.
   * With `bytes` as many of them as have at most so many bytes of JSON, one at least; no others are read.
   */
  page(session: SessionId, limit: number, before?: string, bytes?: number): MessagePage;
}

export function createStoredMessages(database: DatabaseSync): StoredMessages {
  const upsert = database.prepare(
    `INSERT INTO messages (session_id, key, body) VALUES (?, ?, ?)
     ON CONFLICT (session_id, key) DO UPDATE SET body = excluded.body`,
  );
  const select = database.prepare("SELECT body FROM messages WHERE session_id = ? AND key = ?");
  const remove = database.prepare("DELETE FROM messages WHERE session_id = ? AND key = ?");
  const selectLast = database.prepare(
    "SELECT body FROM messages WHERE session_id = ? ORDER BY id DESC LIMIT ?",
  );
  const selectBefore = database.prepare(
    `SELECT body FROM messages WHERE session_id = :session
       AND id < (SELECT id FROM messages WHERE session_id = :session AND key = :before)
     ORDER BY id DESC LIMIT :limit`,
  );

  return {
    save(session, message) {
      upsert.run(session, message.key, JSON.stringify(message));
    },
    forget(session, key) {
      remove.run(session, key);
    },
    get(session, key) {
      const row = select.get(session, key);
      return row === undefined ? undefined : (JSON.parse(String(row["body"])) as Message);
    },
    page(session, limit, before, bytes = Number.POSITIVE_INFINITY) {
      const rows =
        before === undefined
          ? selectLast.iterate(session, limit + 1)
          : selectBefore.iterate({ session, before, limit: limit + 1 });
      const messages: Message[] = [];
      let left = bytes;
      let more = false;
      for (const { body } of rows) {
        const text = String(body);
        left -= Buffer.byteLength(text) + 1;
        more = messages.length === limit || (left < 0 && messages.length > 0);
        if (more) break;
        messages.push(JSON.parse(text) as Message);
      }
      return { messages: messages.toReversed(), more };
    },
  };
}
