import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { diskTroubleOf } from "./domain/disk.ts";
import { codeOf, HomeError, reasonOf, refusedBySystem } from "./home/home-error.ts";
import { inspectHome, MARK } from "./home/inspect-home.ts";

export { HomeError };

/** The folders and files inside EVIE_HOME; nobody but their owner may look into them. */
export interface Home {
  /** The agent's session files. */
  readonly sessions: string;
  /** What people sent. */
  readonly files: string;
  /** The store's file; it need not exist yet. */
  readonly database: string;
}

/** Another evie runs on this EVIE_HOME. */
export class HomeTakenError extends Error {
  readonly folder: string;
  /** Of the other evie, when it could be read. */
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    const other = pid === undefined ? "Another evie" : `Another evie (process ${pid})`;
    const end = pid === undefined ? "End it first" : `End it first (kill ${pid})`;
    super(`${other} runs on ${folder} already. ${end}, or set EVIE_HOME to another folder for this one.`);
    this.name = "HomeTakenError";
    this.folder = folder;
    this.pid = pid;
  }
}

/**
 * The text of `.env` in that folder, in UTF-8 or, behind a byte order mark, in UTF-16; undefined without one. Throws a
 * HomeError when it is there and cannot be read.
 */
export function readEnvFile(folder: string): string | undefined {
  const path = join(folder, ".env");
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    // ENOTDIR is a home that is no folder; whoever prepares it says so.
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw new HomeError(
      folder,
      `${path} cannot be read (${codeOf(error)}). Make it readable, or remove it.`,
      error,
    );
  }
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  if (text.includes("\0"))
    throw new HomeError(folder, `${path} is not in UTF-8. Save it in UTF-8, as plain text.`);
  return text;
}

/** Windows writes texts with a byte order mark, and some of its programs in UTF-16. */
function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** Whether there is a folder at `path` that can be seen. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Makes the folder and what belongs inside, marks it as evie's, and closes it to others: sessions hold what people said
 * and what their agents read. Throws a HomeError when that fails, or when the folder holds what is not evie's; then
 * nothing of it was touched.
 */
export function prepareHome(folder: string): Home {
  inspectHome(folder);
  const home = {
    sessions: join(folder, "sessions"),
    files: join(folder, "files"),
    database: join(folder, "evie.db"),
  };
  try {
    makePrivateFolder(folder);
    mark(join(folder, MARK));
    for (const path of [home.sessions, home.files]) makePrivateFolder(path);
  } catch (error) {
    throw refusedBySystem(folder, error);
  }
  return home;
}

const PRIVATE = 0o700;

/** One by one: the recursion of mkdir never ends below a folder that says ENOENT to every new one, as /proc does. */
function makeFolders(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  mkdirSync(path, PRIVATE);
}

function makePrivateFolder(path: string): void {
  makeFolders(path);
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, PRIVATE);
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
}

const MARK_TEXT = `This folder is the home of evie, which closes it to others and removes what is old in it.
Without this file evie does not take a folder that holds anything else.
`;

function mark(path: string): void {
  if (existsSync(path)) return;
  writeFileSync(path, MARK_TEXT, { mode: 0o600 });
}

/** SQLite would make it readable for everybody. */
function makePrivateFile(path: string): string {
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  return path;
}

/** SQLite's code for a lock that somebody else holds. */
const SQLITE_BUSY = 5;

const LOCK_ADVICE = "Remove lock.db there when no evie runs, or make the folder writable.";

/**
 * Takes `folder` for this process, until the answer is called or the process ends, however it ends: the lock is the
 * kernel's, on a file that is a database for the lock's sake only. Throws a HomeTakenError when another process has it.
 */
export function takeHome(folder: string): () => void {
  const pidFile = join(folder, "evie.pid");
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(makePrivateFile(join(folder, "lock.db")));
    lock.exec("BEGIN EXCLUSIVE");
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    lock?.close();
    if (isObject(error) && error["errcode"] === SQLITE_BUSY)
      throw new HomeTakenError(folder, readPid(pidFile));
    if (diskTroubleOf(error) !== undefined || codeOf(error) !== "ERR_SQLITE_ERROR")
      throw refusedBySystem(folder, error);
    throw new HomeError(folder, `${folder} cannot be locked: ${reasonOf(error)}. ${LOCK_ADVICE}`, error);
  }
  const held = lock;
  return () => {
    if (!held.isOpen) return;
    // First the file: once the lock is free it may be another's.
    rmSync(pidFile, { force: true });
    held.close();
  };
}

/**
 * Tells whether an evie runs on `folder`, and which one, as far as that can be read. Changes nothing: it looks at the lock
 * as a reader of the database would.
 */
export function whoTook(folder: string): { readonly taken: boolean; readonly pid?: number | undefined } {
  const path = join(folder, "lock.db");
  if (!existsSync(path)) return { taken: false };
  try {
    using lock = new DatabaseSync(path, { readOnly: true });
    lock.prepare("SELECT count(*) FROM sqlite_schema").get();
    return { taken: false };
  } catch (error) {
    if (isObject(error) && error["errcode"] === SQLITE_BUSY)
      return { taken: true, pid: readPid(join(folder, "evie.pid")) };
    throw new HomeError(folder, `${folder} cannot be locked: ${reasonOf(error)}. ${LOCK_ADVICE}`, error);
  }
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
