import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

/**
 * Opens the database at `path` for reading, and changes nothing on the disk: neither its file nor its companions, which
 * SQLite makes for a reader, too. Also while evie runs on it. Throws when that cannot be.
 *
 * What was written last is in the file `-wal`, and a reader finds its way in it by the file `-shm`. Both are there while
 * evie runs, and after it was killed; else the database's file is all there is.
 */
export function openUntouched(path: string, timeout: number): DatabaseSync {
  const url = pathToFileURL(path);
  const hasMore = existsSync(`${path}-shm`) || sizeOf(`${path}-wal`) > 0;
  url.search = hasMore ? "mode=ro&readonly_shm=1" : "immutable=1";
  return new DatabaseSync(url, { readOnly: true, timeout });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
