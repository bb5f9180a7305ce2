import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { SCHEMA_VERSION, schemaVersionOf } from "./migrations.ts";
import { openUntouched } from "./open-untouched.ts";

/** How a store's file is, looked at without changing it. */
export type DatabaseState =
  /** There is none yet; the first start makes one. */
  | { readonly type: "new" }
  | { readonly type: "sound"; /** Who claimed the bot. */ readonly owner: number | undefined }
  /** A newer evie wrote it. */
  | { readonly type: "newer"; readonly version: number }
  | { readonly type: "damaged"; readonly reason: string };

/** Milliseconds to wait for another program that holds the file. */
const BUSY_TIMEOUT = 2_000;

/** The version of the schema that brought the table. */
const OWNER_SINCE = 3;

/** Looks through the database at `path`, also while evie runs on it, and changes nothing. Never throws. */
export function checkDatabase(path: string): DatabaseState {
  if (!existsSync(path)) return { type: "new" };
  try {
    using database = openUntouched(path, BUSY_TIMEOUT);
    const version = schemaVersionOf(database);
    if (version > SCHEMA_VERSION) return { type: "newer", version };
    const { quick_check: health } = database.prepare("PRAGMA quick_check(1)").get() ?? {};
    if (health !== "ok") return { type: "damaged", reason: String(health) };
    return { type: "sound", owner: version < OWNER_SINCE ? undefined : ownerIn(database) };
  } catch (error) {
    return { type: "damaged", reason: error instanceof Error ? error.message : String(error) };
  }
}

function ownerIn(database: DatabaseSync): number | undefined {
  const row = database.prepare("SELECT user_id FROM owner").get();
  return row === undefined ? undefined : Number(row["user_id"]);
}
