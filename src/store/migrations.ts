import type { DatabaseSync } from "node:sqlite";

/**
 * What makes each version of the schema out of the one before; the database holds its version's number. One that
 * was released is never changed again: what needs changing is a new entry at the end.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sessions (
     id TEXT PRIMARY KEY,
     cwd TEXT NOT NULL,
     face TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     last_used_at INTEGER NOT NULL,
     file TEXT NOT NULL
   ) STRICT;
   CREATE TABLE chats (
     key TEXT PRIMARY KEY,
     session_id TEXT NOT NULL REFERENCES sessions (id)
   ) STRICT;`,
];

/** The version that this evie knows. */
export const SCHEMA_VERSION = MIGRATIONS.length;

export function schemaVersionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

/** Brings the schema from its version to the newest one, each step whole or not at all. */
export function migrate(database: DatabaseSync): void {
  for (let version = schemaVersionOf(database); version < MIGRATIONS.length; version += 1) {
    database.exec(`BEGIN IMMEDIATE; ${MIGRATIONS[version]} PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
}
