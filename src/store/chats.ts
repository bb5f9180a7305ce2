import type { DatabaseSync } from "node:sqlite";
import { makeChatKey, parseChatKey, parseSessionId } from "../domain/ids.ts";
import type { ChatKey, ChatPlace, SessionId } from "../domain/ids.ts";

/** Which session each chat talks to: a pointer that is kept, so that a chat can change its session and stay itself. */
export interface StoredChats {
  /** Undefined for a chat that points nowhere yet. */
  sessionOf(chat: ChatKey): SessionId | undefined;
  /** The chats that point somewhere. */
  keys(): readonly ChatKey[];
  /** The chat that points to a session; undefined when none does. */
  chatOf(session: SessionId): ChatPlace | undefined;
  /**
   * Durable when it returns. Throws for a session that is not in the store. What was done in it before any chat spoke with
   * it belongs to none, also after a restart.
   */
  point(chat: ChatKey, session: SessionId): void;
  /** Lets no chat speak with a session any more: each begins anew. */
  unpoint(session: SessionId): void;
}

export function createStoredChats(database: DatabaseSync): StoredChats {
  const select = database.prepare("SELECT session_id FROM chats WHERE key = ?");
  const selectKeys = database.prepare("SELECT key FROM chats");
  const selectKey = database.prepare("SELECT key FROM chats WHERE session_id = ? LIMIT 1");
  const upsert = database.prepare(
    `INSERT INTO chats (key, session_id) VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id`,
  );
  const remove = database.prepare("DELETE FROM chats WHERE session_id = ?");
  /** Without this the next start would bring everything that was ever asked by HTTP to a chat that comes later. */
  const settlePast = database.prepare(
    `UPDATE turns SET delivered_at = ended_at
     WHERE session_id = :session AND ended_at IS NOT NULL AND delivered_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM chats WHERE chats.session_id = :session)
       AND NOT EXISTS (SELECT 1 FROM updates WHERE id = json_extract(turns.sources, '$[0]') AND chat IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM bubbles WHERE turn_id = turns.id)`,
  );
  return {
    sessionOf(chat) {
      const row = select.get(chat);
      return row === undefined ? undefined : parseSessionId(String(row["session_id"]));
    },
    keys: () =>
      selectKeys.all().flatMap((row) => {
        const place = parseChatKey(String(row["key"]));
        return place === undefined ? [] : [makeChatKey(place)];
      }),
    chatOf(session) {
      const row = selectKey.get(session);
      return row === undefined ? undefined : parseChatKey(String(row["key"]));
    },
    unpoint: (session) => void remove.run(session),
    point(chat, session) {
      settlePast.run({ session });
      upsert.run(chat, session);
    },
  };
}
