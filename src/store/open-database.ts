import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../domain/clock.ts";
import { diskTroubleOf, diskTroubleWords } from "../domain/disk.ts";
import { SCHEMA_VERSION, migrate, schemaVersionOf } from "./migrations.ts";

/** The store cannot be opened. The message says why and what to do. */
export class StoreError extends Error {
  readonly path: string;

  constructor(path: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StoreError";
    this.path = path;
  }
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** Where the old file lies now, when it was damaged and a new one was begun. Say it to the person. */
  readonly setAside?: string;
}

/**
 * Opens the database at `path`, made when missing, with the newest schema. A commit is on the disk when it returns, but
 * where it is done `unsynced`.
 * A damaged file is set aside, never thrown away. Throws a StoreError when it is from a newer evie or cannot be used.
 */
export function openDatabase(path: string, clock: Clock): OpenedDatabase {
  try {
    return { database: open(path) };
  } catch (error) {
    if (!isDamage(error)) throw asStoreError(path, error);
  }
  try {
    const setAside = moveAside(path, clock);
    return { database: open(path), setAside };
  } catch (error) {
    throw asStoreError(path, error);
  }
}

/** Milliseconds to wait for another program, such as a backup, that holds the file. */
const BUSY_TIMEOUT = 2000;

function open(path: string): DatabaseSync {
  // SQLite would make it readable for everybody, and gives its companions the same mode.
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
  try {
    const version = schemaVersionOf(database);
    if (version > SCHEMA_VERSION) {
      throw new StoreError(
        path,
        `${path} was written by a newer evie (schema ${version}, this one knows ${SCHEMA_VERSION}). Update evie, or set EVIE_HOME to another folder.`,
      );
    }
    const isNew = version === 0;
    if (isNew) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_KEPT}`,
    );
    checkHealth(database, statSync(path).size);
    migrate(database);
    if (!isNew) letShrink(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Bytes of a database of which all is looked at: SQLite reads 500 MB a second at best, and a start waits for it. */
const LARGEST_CHECKED = 64 * 2 ** 20;

/**
 * Throws a Damage where the database is not sound. Of a large one what was said is left out, which is nearly all of it:
 * damage there is found by whoever reads that, and concerns one session. `evie check` looks at everything.
 */
function checkHealth(database: DatabaseSync, size: number): void {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'messages'")
    .all()
    .map(({ name }) => String(name));
  const checks = size <= LARGEST_CHECKED ? ["1"] : tables.map((name) => `'${name}'`);
  for (const what of checks) {
    const { quick_check: health } = database.prepare(`PRAGMA quick_check(${what})`).get() ?? {};
    if (health !== "ok") throw new Damage(String(health));
  }
}

/** Bytes of its log of writes that are kept for the next ones; a large transaction makes it larger for a while. */
const LOG_KEPT = 4_000_000;

/** Bytes up to which a database is rewritten: that takes about a second for each hundred million. */
const LARGEST_REWRITE = 500_000_000;

/**
 * Lets the database of an earlier evie give back to the disk what it does not need any more. For that it is rewritten,
 * once. Where that fails, as for want of room, it stays as it is, and what is free in it is used again.
 */
function letShrink(database: DatabaseSync): void {
  const read = (pragma: string): number => Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);
  if (read("auto_vacuum") !== 0 || read("page_count") * read("page_size") > LARGEST_REWRITE) return;
  try {
    database.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The next start tries again.
  }
}

/** What `quick_check` found. */
class Damage extends Error {}

/** SQLite's codes for a damaged database and for a file that is none. */
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isDamage(error: unknown): boolean {
  if (error instanceof Damage) return true;
  // An extended code carries the plain one in its lowest byte.
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** Tells whether a damaged database that was at `path` lies beside it. */
export function wasSetAside(path: string): boolean {
  const beginning = `${basename(path)}.damaged-`;
  return readdirSync(dirname(path)).some((name) => name.startsWith(beginning));
}

function moveAside(path: string, clock: Clock): string {
  const date = new Date(clock.date()).toISOString().replaceAll(":", "-").replace(/\.\d+/, "");
  let target = `${path}.damaged-${date}`;
  for (let count = 2; existsSync(target); count += 1) target = `${path}.damaged-${date}-${count}`;
  renameSync(path, target);
  // SQLite has merged its companions into the file and removed them, unless that failed, as on a full disk. One that
  // were left would be taken for the new database's own and spoil it.
  for (const companion of ["-wal", "-shm"]) {
    if (existsSync(`${path}${companion}`)) renameSync(`${path}${companion}`, `${target}${companion}`);
  }
  return target;
}

/** Makes what failed on the file at `path` a StoreError. */
export function asStoreError(path: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const trouble = diskTroubleOf(error) ?? (isWithoutRoom(path, error) ? "full" : undefined);
  if (trouble !== undefined) {
    const { reason, advice } = diskTroubleWords(trouble, "it");
    return new StoreError(
      path,
      `${path} cannot be opened: ${reason}. ${advice}, and start evie again.`,
      error,
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(
    path,
    `${path} cannot be opened: ${reason}. See that the disk has room and the file belongs to you.`,
    error,
  );
}

/** SQLite's results where its companions cannot be made or grow, which says nothing of why. */
const [SQLITE_IOERR, SQLITE_CANTOPEN] = [10, 14];
/** Bytes: as much as its smallest companion needs. */
const LEAST_ROOM = 65_536;

function isWithoutRoom(path: string, error: unknown): boolean {
  const result = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  if (result !== SQLITE_IOERR && result !== SQLITE_CANTOPEN) return false;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < LEAST_ROOM;
  } catch {
    return false;
  }
}
