import { lstatSync, readdirSync, readlinkSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf, type HomeError, refusedBySystem, unusable } from "./home-error.ts";

/** The file that says that a folder is evie's. */
export const MARK = ".evie-home";

/** How the folder that EVIE_HOME names is. `empty` has nothing of evie's and of nobody else's. */
export type HomeState = "missing" | "empty" | "evie's";

const STICKY = 0o1000;

/**
 * Looks whether `folder` can be evie's home, and changes nothing. Throws a HomeError when it is no folder, cannot be
 * read, is shared, or holds what is not evie's: evie closes its home to others and removes what is old in it.
 */
export function inspectHome(folder: string): HomeState {
  const found = look(folder);
  if (found === undefined) return "missing";
  if (found.isSymbolicLink()) return inspectLink(folder);
  return inspectFolder(folder, found);
}

/** A home that an earlier evie was led to by a link goes on; a new one is not begun through it. */
function inspectLink(folder: string): HomeState {
  const target = readlinkSync(folder);
  let found: Stats;
  try {
    found = statSync(folder);
  } catch (error) {
    throw unusable(
      folder,
      `it is a link to ${target}, which is not there`,
      "Remove the link, or set EVIE_HOME to another one",
      error,
    );
  }
  if (inspectFolder(folder, found) === "evie's") return "evie's";
  throw unusable(
    folder,
    `it is a link to ${target}`,
    `Set EVIE_HOME to ${target} itself, or to another folder`,
  );
}

function inspectFolder(folder: string, found: Stats): HomeState {
  if (!found.isDirectory())
    throw unusable(folder, found.isFile() ? "it is a file, not a folder" : "it is no folder");
  // Closing /tmp would break the machine for everybody else, and root could.
  if ((found.mode & STICKY) !== 0) throw unusable(folder, "it is shared with others");
  const names = entriesOf(folder);
  if (names.includes(MARK)) return "evie's";
  const others = names.filter((name) => !DO_NOT_COUNT.test(name) && !isPlayground(folder, name));
  if (others.length === 0) return "empty";
  if (isOfEarlierEvie(folder, others)) return "evie's";
  throw foreign(folder, others);
}

/** The settings, which a person writes before the first start, and what the system puts into each folder or disk. */
const DO_NOT_COUNT = /^(?:\.env.*|\.DS_Store|lost\+found)$/;

/** The playground's home lies in the person's, and may be there first. */
function isPlayground(folder: string, name: string): boolean {
  if (name !== "playground") return false;
  try {
    return inspectHome(join(folder, name)) !== "missing";
  } catch {
    return false;
  }
}

/** All that earlier evies made in a home. */
const NAMES_OF_EVIE =
  /^(?:evie\.db.*|evie\.pid|lock\.db.*|sessions|files|pictures|uploads|playground|workspace|agent|http-token|claim-link)$/;

/** An earlier evie left no mark. Its database tells, also a damaged one where nothing else is in the folder. */
function isOfEarlierEvie(folder: string, names: readonly string[]): boolean {
  const [database, lock] = ["evie.db", "lock.db"].map((name) => look(join(folder, name))?.isFile() === true);
  if (database !== true && lock !== true) return false;
  if (names.every((name) => NAMES_OF_EVIE.test(name))) return true;
  return database === true && isDatabaseOfEvie(join(folder, "evie.db"));
}

/** Looks at the file alone: SQLite would make others beside it. */
function isDatabaseOfEvie(path: string): boolean {
  const url = pathToFileURL(path);
  url.search = "immutable=1";
  try {
    using database = new DatabaseSync(url, { readOnly: true });
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE name IN ('sessions', 'chats')")
      .all();
    return tables.length === 2;
  } catch {
    return false;
  }
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw refusedBySystem(path, error);
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    throw refusedBySystem(folder, error);
  }
}

const NAMED = 3;

function foreign(folder: string, names: readonly string[]): HomeError {
  const named = names.slice(0, NAMED).map((name) => JSON.stringify(name).slice(1, -1));
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return unusable(
    folder,
    `it holds what is not evie's (${named.join(", ")}${more})`,
    `Set EVIE_HOME to an empty folder, or to one that is not there yet. If it is evie's all the same, make an empty file ${MARK} in it`,
  );
}
