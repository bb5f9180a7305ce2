import type { DatabaseSync } from "node:sqlite";
import type { OwnerFile } from "./owner-file.ts";
import type { Together } from "./transaction.ts";

/** Who claimed the bot. Each call throws when the database or the file does, and what it wrote is durable when it returns. */
export interface StoredOwner {
  /** The owner's numeric Telegram id; undefined when nobody has claimed. */
  owner(): number | undefined;
  /**
   * True where the database was lost, and with it who owned the bot: whoever claimed it then would take it from
   * somebody. `disown` ends that.
   */
  readonly isUnknown: boolean;
  /** Makes the person the owner. `at` in milliseconds since 1970. */
  own(userId: number, at: number): void;
  /** Takes the owner back; who it was. */
  disown(): number | undefined;
}

export interface StoredOwnerOptions {
  readonly database: DatabaseSync;
  readonly together: Together;
  readonly file: OwnerFile;
  /** There was a damaged database before this one. */
  readonly wasLost: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Makes it, and brings the database and the file beside it to one opinion. */
export function createStoredOwner({
  database,
  together,
  file,
  wasLost,
  at,
}: StoredOwnerOptions): StoredOwner {
  const select = database.prepare("SELECT user_id FROM owner");
  const insert = database.prepare("INSERT INTO owner (only, user_id, claimed_at) VALUES (1, ?, ?)");
  const remove = database.prepare("DELETE FROM owner");

  function owner(): number | undefined {
    const row = select.get();
    return row === undefined ? undefined : Number(row["user_id"]);
  }

  function keep(userId: number, claimedAt: number): void {
    together(() => {
      remove.run();
      insert.run(userId, claimedAt);
    });
  }

  const known = owner();
  const kept = file.read();
  if (known !== undefined) {
    if (kept?.type !== "owner" || kept.userId !== known) file.write({ type: "owner", userId: known });
  } else if (kept?.type === "owner") {
    keep(kept.userId, at);
  } else if (kept === undefined) {
    file.write({ type: wasLost ? "unknown" : "nobody" });
  }

  return {
    owner,
    get isUnknown() {
      return file.read()?.type === "unknown";
    },
    own(userId, claimedAt) {
      // In this order: an owner whom only the file knows is the owner after a restart, too.
      file.write({ type: "owner", userId });
      keep(userId, claimedAt);
    },
    disown() {
      const former = owner();
      file.write({ type: "nobody" });
      together(() => void remove.run());
      return former;
    },
  };
}
