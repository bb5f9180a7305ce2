import { lstat, opendir, rm } from "node:fs/promises";
import { join } from "node:path";

export interface RemoveOldOptions {
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly before: number;
  /** Tells by its name whether an entry is to be removed when it is old. */
  readonly mayGo: (name: string) => boolean;
  readonly stopped: AbortSignal;
}

/**
 * Removes the files and folders of `folder` that were last changed before `before` and may go, one after the other. A
 * folder that is not there holds nothing old. What cannot be removed does not keep the others; then this rejects behind
 * them, with the first error.
 */
export async function removeOld({ folder, before, mayGo, stopped }: RemoveOldOptions): Promise<void> {
  const failed: unknown[] = [];
  for (const name of await namesIn(folder)) {
    if (stopped.aborted) return;
    const path = join(folder, name);
    try {
      if (mayGo(name) && (await ageOf(path)) < before && mayGo(name))
        await rm(path, { recursive: true, force: true });
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
}

/** Of a database that was set aside, its date is in its name: setting aside does not change the file. */
const SET_ASIDE = /\.damaged-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z/;

async function ageOf(path: string): Promise<number> {
  const [, day, hour, minute, second] = SET_ASIDE.exec(path) ?? [];
  const named = day === undefined ? Number.NaN : Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  if (!Number.isNaN(named)) return named;
  try {
    return (await lstat(path)).mtimeMs;
  } catch (error) {
    // It has gone meanwhile.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return Number.POSITIVE_INFINITY;
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) names.push(name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  return names;
}
