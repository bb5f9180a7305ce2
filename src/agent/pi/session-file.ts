import { closeSync, constants, existsSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { parseRecord } from "../jsonl.ts";

/** What pi will make of a session file. */
export type SessionFile =
  /** It can be opened, as far as its beginning tells; `size` in bytes, 0 for one that is not there yet. */
  | { readonly type: "usable"; readonly size: number }
  /** pi would have refused it. It lies at `movedTo` now, and pi begins a new one. */
  | { readonly type: "set_aside"; readonly movedTo: string }
  /** It can neither be opened nor moved away. */
  | { readonly type: "unusable"; readonly reason: string };

/**
 * Looks at a session file before pi is started on it, and sets one aside that pi would refuse to open: one that holds
 * something, and whose first entry is not a session's header. Reads no more than that takes. Never throws.
 */
export function prepareSessionFile(path: string): SessionFile {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { type: "usable", size: 0 };
    if (stat.isDirectory()) return { type: "unusable", reason: "it is a folder" };
    // To open a pipe waits for its other end, and all of evie with it.
    if (!stat.isFile()) return { type: "unusable", reason: "it is not a file" };
    if (stat.size === 0 || beginsWithHeader(path)) return { type: "usable", size: stat.size };
    return { type: "set_aside", movedTo: setAside(path) };
  } catch (error) {
    return { type: "unusable", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Renames a session file, so that a new one can take its place, and gives its new path. Throws when that fails. */
export function setAside(path: string): string {
  let target = `${path}.damaged`;
  for (let count = 2; existsSync(target); count += 1) target = `${path}.damaged-${count}`;
  renameSync(path, target);
  return target;
}

/** Bytes of the longest line that is read as a header. One of pi's has some 200. */
const LONGEST_HEADER = 2 ** 20;

/** Bytes that are looked at: a file with more rubbish in front of its first entry is left to pi to judge. */
const LONGEST_LOOK = 128 * 2 ** 20;

/** Bytes of one read. */
const PIECE = 64 * 2 ** 10;

const LINE_FEED = 0x0a;

/**
 * Tells whether the first entry is a session's header, as pi does: lines that are no entries are passed over. True as
 * well where only reading a very long entry would tell: to set a good history aside is the worse mistake.
 */
function beginsWithHeader(path: string): boolean {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    /** The line under way: its beginning, and how long it has become. */
    let line = Buffer.alloc(0);
    let length = 0;
    const piece = Buffer.allocUnsafe(PIECE);
    for (let seen = 0; seen < LONGEST_LOOK;) {
      const read = readSync(file, piece);
      if (read === 0) return readEntry(line, length) ?? false;
      seen += read;
      for (let start = 0; start < read;) {
        const feed = piece.subarray(0, read).indexOf(LINE_FEED, start);
        const end = feed === -1 ? read : feed;
        length += end - start;
        if (line.length < LONGEST_HEADER) line = Buffer.concat([line, piece.subarray(start, end)]);
        const answer = feed === -1 && length <= LONGEST_HEADER ? undefined : readEntry(line, length);
        if (answer !== undefined) return answer;
        if (feed !== -1) {
          line = Buffer.alloc(0);
          length = 0;
        }
        start = end + 1;
      }
    }
    return true;
  } finally {
    closeSync(file);
  }
}

/** Tells whether a line is a header; undefined when it is no entry. One that is too long for a header is given the benefit of the doubt. */
function readEntry(beginning: Buffer, length: number): boolean | undefined {
  if (length > LONGEST_HEADER)
    return /^\s*\{/.test(beginning.toString("latin1", 0, 1_000)) ? true : undefined;
  const entry = parseRecord(beginning.toString("utf8"));
  return entry === undefined ? undefined : entry["type"] === "session" && typeof entry["id"] === "string";
}
