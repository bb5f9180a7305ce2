import type { DatabaseSync } from "node:sqlite";
import type { ChatKey, TurnId } from "../domain/ids.ts";
import type { Together } from "./transaction.ts";

/** One message that a chat shows of a turn. */
interface StoredBubble {
  readonly messageId: number;
  /** What it shows, as its owner writes it down. */
  readonly content: string;
}

/** What the chats show of turns that are not delivered yet. Each call throws when the database does. */
export interface StoredBubbles {
  /** The chat shows these messages of that turn now, in order, and no others. Durable when it returns. */
  keep(turn: TurnId, chat: ChatKey, bubbles: readonly StoredBubble[]): void;
  of(turn: TurnId): readonly StoredBubble[];
}

export function createStoredBubbles(database: DatabaseSync, together: Together): StoredBubbles {
  const clear = database.prepare("DELETE FROM bubbles WHERE turn_id = ?");
  const insert = database.prepare(
    `INSERT INTO bubbles (turn_id, page, chat, message_id, content)
     VALUES (:turn, :page, :chat, :messageId, :content)`,
  );
  const select = database.prepare(
    "SELECT message_id AS messageId, content FROM bubbles WHERE turn_id = ? ORDER BY page",
  );
  return {
    keep: (turn, chat, bubbles) =>
      together(() => {
        clear.run(turn);
        for (const [page, { messageId, content }] of bubbles.entries()) {
          insert.run({ turn, page, chat, messageId, content });
        }
      }),
    of: (turn) =>
      select.all(turn).map((row) => ({
        messageId: Number(row["messageId"]),
        content: String(row["content"]),
      })),
  };
}
