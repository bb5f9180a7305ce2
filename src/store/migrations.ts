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
  `ALTER TABLE sessions ADD COLUMN name TEXT;
   ALTER TABLE sessions ADD COLUMN model TEXT;
   ALTER TABLE sessions ADD COLUMN usage TEXT;
   ALTER TABLE sessions ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
   CREATE TABLE messages (
     id INTEGER PRIMARY KEY,
     session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
     key TEXT NOT NULL,
     body TEXT NOT NULL,
     UNIQUE (session_id, key)
   ) STRICT;
   CREATE INDEX messages_in_order ON messages (session_id, id);
   CREATE TABLE requests (
     session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
     request_id TEXT NOT NULL,
     turn_id TEXT NOT NULL,
     at INTEGER NOT NULL,
     begun INTEGER NOT NULL DEFAULT 0,
     ending TEXT,
     PRIMARY KEY (session_id, request_id)
   ) STRICT;`,
  `CREATE TABLE owner (
     only INTEGER PRIMARY KEY CHECK (only = 1),
     user_id INTEGER NOT NULL,
     claimed_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE claims (
     secret_hash TEXT PRIMARY KEY,
     expires_at INTEGER NOT NULL
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
