import { existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { parseRecord } from "../jsonl.ts";

/**
 * Sets a session file aside that pi would refuse to open: one that holds something, and whose first entry is not a
 * session's header. Gives where it lies now; undefined for a file that is whole, empty or not there yet.
 */
export function setAsideIfBroken(sessionFile: string): string | undefined {
  const stat = statSync(sessionFile, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size === 0 || beginsWithHeader(sessionFile))
    return undefined;
  let target = `${sessionFile}.damaged`;
  for (let count = 2; existsSync(target); count += 1) target = `${sessionFile}.damaged-${count}`;
  renameSync(sessionFile, target);
  return target;
}

/** As pi reads it: lines that are no entries are passed over. */
function beginsWithHeader(sessionFile: string): boolean {
  const content = readFileSync(sessionFile, "utf8");
  for (let start = 0; start < content.length;) {
    const feed = content.indexOf("\n", start);
    const end = feed === -1 ? content.length : feed;
    const entry = parseRecord(content.slice(start, end));
    if (entry !== undefined) return entry["type"] === "session" && typeof entry["id"] === "string";
    start = end + 1;
  }
  return false;
}
