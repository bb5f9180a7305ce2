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
  /** The last `limit` messages of those before the message `before`; of all when it is left out. None for an unknown key. */
  page(session: SessionId, limit: number, before?: string): MessagePage;
}

export function createStoredMessages(database: DatabaseSync): StoredMessages {
  const upsert = database.prepare(
    `INSERT INTO messages (session_id, key, body) VALUES (?, ?, ?)
     ON CONFLICT (session_id, key) DO UPDATE SET body = excluded.body`,
  );
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
    page(session, limit, before) {
      const rows =
        before === undefined
          ? selectLast.all(session, limit + 1)
          : selectBefore.all({ session, before, limit: limit + 1 });
      const messages = rows.slice(0, limit).map(({ body }) => JSON.parse(String(body)) as Message);
      return { messages: messages.toReversed(), more: rows.length > limit };
    },
  };
}
