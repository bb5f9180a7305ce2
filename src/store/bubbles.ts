import type { DatabaseSync } from "node:sqlite";
import type { ChatKey, TurnId } from "../domain/ids.ts";
import type { Transactions } from "./transaction.ts";

/** One message that a chat shows of a turn. */
interface StoredBubble {
  readonly messageId: number;
  /** What it shows, as its owner writes it down. */
  readonly content: string;
}

/** What the chats show of turns that are not delivered yet. Each call throws when the database does. */
export interface StoredBubbles {
  /**
   * The chat shows these messages of that turn now, in order, and no others. Which ones they are is on the disk when it
   * returns. After a power cut one may show more than is known here; then it is edited to what it shows already.
   */
  keep(turn: TurnId, chat: ChatKey, bubbles: readonly StoredBubble[]): void;
  of(turn: TurnId): readonly StoredBubble[];
}

export function createStoredBubbles(
  database: DatabaseSync,
  { together, unsynced }: Transactions,
): StoredBubbles {
  const known = database.prepare("SELECT message_id AS id FROM bubbles WHERE turn_id = ? ORDER BY page");
  const cut = database.prepare("DELETE FROM bubbles WHERE turn_id = ? AND page >= ?");
  const insert = database.prepare(
    `INSERT INTO bubbles (turn_id, page, chat, message_id, content)
     VALUES (:turn, :page, :chat, :messageId, :content)
     ON CONFLICT (turn_id, page) DO UPDATE SET message_id = excluded.message_id, content = excluded.content
       WHERE message_id <> excluded.message_id OR content <> excluded.content`,
  );
  const select = database.prepare(
    "SELECT message_id AS messageId, content FROM bubbles WHERE turn_id = ? ORDER BY page",
  );
  return {
    keep(turn, chat, bubbles) {
      const before = known.all(turn).map(({ id }) => Number(id));
      const sameOnes =
        before.length === bubbles.length &&
        bubbles.every(({ messageId }, page) => messageId === before[page]);
      const write = sameOnes ? unsynced : together;
      write(() => {
        cut.run(turn, bubbles.length);
        for (const [page, { messageId, content }] of bubbles.entries()) {
          insert.run({ turn, page, chat, messageId, content });
        }
      });
    },
    of: (turn) =>
      select.all(turn).map((row) => ({
        messageId: Number(row["messageId"]),
        content: String(row["content"]),
      })),
  };
}
