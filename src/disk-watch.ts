import { statfsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "./domain/clock.ts";
import { type DiskOutage, diskSentence, diskTroubleOf, type DiskWatch } from "./domain/disk.ts";
import type { Log } from "./domain/log.ts";

/** Milliseconds between two looks whether the disk takes data again. */
const LOOK_EVERY = 10_000;

export interface DiskWatchOptions {
  /** What is told in place of the path. */
  readonly where: string;
  /** Rejects while the disk takes nothing. */
  readonly tryDisk: () => Promise<void>;
  /** Tells whether there is no room, for errors that do not say so. */
  readonly isFull: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopped: AbortSignal;
}

/** SQLite's results SQLITE_IOERR and SQLITE_CANTOPEN: on a full disk its companions cannot be made or grow. */
const VAGUE = new Set([10, 14]);

/** Watches the disk from the first error of its on, and logs when an outage begins and when it is over. */
export function createDiskWatch(options: DiskWatchOptions): DiskWatch {
  const { where, tryDisk, isFull, clock, log, stopped } = options;
  let outage: DiskOutage | undefined;

  function begin(error: unknown, trouble: DiskOutage["trouble"]): DiskOutage {
    const sentence = diskSentence(trouble, where);
    outage = { trouble, sentence };
    log.error({ err: error, trouble }, `${sentence} evie goes on, and takes up what waits when that is done`);
    void untilOver();
    return outage;
  }

  async function untilOver(): Promise<void> {
    while (outage !== undefined) {
      await clock.sleep(LOOK_EVERY, stopped);
      if (stopped.aborted) return;
      try {
        await tryDisk();
        outage = undefined;
        log.info({}, "the disk takes data again");
      } catch (error) {
        log.debug({ err: error }, "the disk takes nothing yet");
      }
    }
  }

  return {
    notice(error) {
      const trouble = diskTroubleOf(error) ?? (isVague(error) && isFull() ? "full" : undefined);
      return trouble === undefined ? undefined : (outage ?? begin(error, trouble));
    },
  };
}

function isVague(error: unknown): boolean {
  const result: unknown = error instanceof Error ? Reflect.get(error, "errcode") : undefined;
  return typeof result === "number" && VAGUE.has(result & 0xff);
}

/** Folds all that is logged of an outage of the disk into the line of its beginning; the rest is for who looks closer. */
export function withoutRepeats(log: Log, disk: DiskWatch): Log {
  const folded =
    (level: "warn" | "error"): Log["warn"] =>
    (fields, message) =>
      disk.notice(Reflect.get(fields, "err")) === undefined
        ? log[level](fields, message)
        : log.debug(fields, message);
  return { debug: log.debug, info: log.info, warn: folded("warn"), error: folded("error") };
}

/** Bytes that must find room, so that an outage is not over for one small message. */
const SAMPLE = 256 * 1_024;

/** Writes into `folder`, and removes what it wrote. Rejects when the disk does not take it. */
export async function tryDisk(folder: string): Promise<void> {
  const path = join(folder, "disk-test");
  try {
    await using file = await open(path, "w", 0o600);
    await file.writeFile(Buffer.alloc(SAMPLE, 1));
    await file.sync();
  } finally {
    await rm(path, { force: true });
  }
}

/** Tells whether less than SAMPLE is free where `folder` is. */
export function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < SAMPLE;
  } catch {
    return false;
  }
}
