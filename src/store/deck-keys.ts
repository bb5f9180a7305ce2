import type { DatabaseSync } from "node:sqlite";
import type { Together } from "./transaction.ts";

/**
 * For whom there is a key to the deck, by Telegram ids. Of a key only its salt is kept, out of which nobody can make it
 * without the token. Each call throws when the database does, and what it wrote is durable when it returns.
 */
export interface StoredDeckKeys {
  salts(): ReadonlyMap<number, string>;
  keep(userId: number, salt: string): void;
  /** Ends the person's key, if there is one. */
  end(userId: number): void;
  /** Ends the keys of everybody else. */
  endOthers(users: ReadonlySet<number>): void;
}

export function createStoredDeckKeys(database: DatabaseSync, together: Together): StoredDeckKeys {
  const select = database.prepare("SELECT user_id, salt FROM deck_keys");
  const insert = database.prepare("INSERT OR REPLACE INTO deck_keys (user_id, salt) VALUES (?, ?)");
  const remove = database.prepare("DELETE FROM deck_keys WHERE user_id = ?");

  const salts = (): ReadonlyMap<number, string> =>
    new Map(select.all().map((row) => [Number(row["user_id"]), String(row["salt"])]));

  return {
    salts,
    keep: (userId, salt) => void insert.run(userId, salt),
    end: (userId) => void remove.run(userId),
    endOthers(users) {
      together(() => {
        for (const userId of salts().keys()) if (!users.has(userId)) remove.run(userId);
      });
    },
  };
}
