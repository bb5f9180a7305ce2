import type { DatabaseSync } from "node:sqlite";
import type { Together } from "./transaction.ts";

/**
 * Who claimed the bot, and which claim links are open: of their secrets only hashes are kept. Each call throws when
 * the database does, and what it wrote is durable when it returns.
 */
export interface StoredOwner {
  /** The owner's numeric Telegram id; undefined when nobody has claimed. */
  owner(): number | undefined;
  /** Makes the person the owner and closes every link, both or neither. `at` in milliseconds since 1970. */
  own(userId: number, at: number): void;
  /** Takes the owner back and closes every link; who it was. */
  disown(): number | undefined;
  /** Opens a link until `expiresAt` (milliseconds since 1970), and forgets those that had expired at `at`. */
  offer(secretHash: string, expiresAt: number, at: number): void;
  /** The hashes of the links that are open at `at`. */
  offers(at: number): readonly string[];
}

export function createStoredOwner(database: DatabaseSync, together: Together): StoredOwner {
  const select = database.prepare("SELECT user_id FROM owner");
  const insert = database.prepare("INSERT INTO owner (only, user_id, claimed_at) VALUES (1, ?, ?)");
  const remove = database.prepare("DELETE FROM owner");
  const open = database.prepare("INSERT INTO claims (secret_hash, expires_at) VALUES (?, ?)");
  const close = database.prepare("DELETE FROM claims WHERE expires_at <= ?");
  const closeAll = database.prepare("DELETE FROM claims");
  const selectOpen = database.prepare("SELECT secret_hash FROM claims WHERE expires_at > ?");

  function owner(): number | undefined {
    const row = select.get();
    return row === undefined ? undefined : Number(row["user_id"]);
  }

  return {
    owner,
    own(userId, at) {
      together(() => {
        remove.run();
        insert.run(userId, at);
        closeAll.run();
      });
    },
    disown() {
      const former = owner();
      together(() => {
        remove.run();
        closeAll.run();
      });
      return former;
    },
    offer(secretHash, expiresAt, at) {
      together(() => {
        close.run(at);
        open.run(secretHash, expiresAt);
      });
    },
    offers: (at) => selectOpen.all(at).map((row) => String(row["secret_hash"])),
  };
}
