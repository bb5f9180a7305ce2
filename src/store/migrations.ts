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
  `CREATE TABLE updates (
     place INTEGER PRIMARY KEY AUTOINCREMENT,
     id INTEGER NOT NULL UNIQUE,
     chat TEXT,
     body TEXT NOT NULL,
     stored_at INTEGER NOT NULL,
     spent INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX updates_unspent ON updates (place) WHERE spent = 0;
   CREATE TABLE turns (
     place INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     session_id TEXT NOT NULL,
     face TEXT NOT NULL,
     sources TEXT NOT NULL,
     flushed_at INTEGER NOT NULL,
     handed_at INTEGER,
     file_size INTEGER,
     accepted_at INTEGER,
     ending TEXT,
     ended_at INTEGER,
     outcome TEXT,
     final TEXT,
     delivered_at INTEGER,
     repeated_at INTEGER
   ) STRICT;
   CREATE INDEX turns_open ON turns (place) WHERE ended_at IS NULL;
   CREATE INDEX turns_undelivered ON turns (place) WHERE delivered_at IS NULL;
   CREATE TABLE bot (
     only INTEGER PRIMARY KEY CHECK (only = 1),
     id INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE bubbles (
     turn_id TEXT NOT NULL,
     page INTEGER NOT NULL,
     chat TEXT NOT NULL,
     message_id INTEGER NOT NULL,
     content TEXT NOT NULL,
     PRIMARY KEY (turn_id, page)
   ) STRICT;`,
  "ALTER TABLE turns ADD COLUMN prompt TEXT;",
  `ALTER TABLE bot ADD COLUMN heard_since INTEGER;
   ALTER TABLE bot ADD COLUMN heard_at INTEGER;`,
  "ALTER TABLE requests ADD COLUMN body TEXT;",
  "CREATE TABLE IF NOT EXISTS deck_keys (user_id INTEGER PRIMARY KEY, salt TEXT NOT NULL) STRICT;",
  "DROP TABLE IF EXISTS claims;",
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
