import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "./domain/clock.ts";
import type { Log } from "./domain/log.ts";

const DAY = 24 * 3_600_000;

/** Milliseconds that an update is kept after it was answered. Telegram sends one again within a day, if at all. */
const UPDATES_KEPT = 3 * DAY;
/** Milliseconds that a turn is kept after its flush, and with it what it can be asked again with. */
const TURNS_KEPT = 30 * DAY;
/** Milliseconds that a file that a person sent is kept. */
const FILES_KEPT = 30 * DAY;

export interface SweepOptions {
  /** Both remove what is older than `before`, in milliseconds since 1970, and is of no use any more. */
  readonly updates: { sweep(before: number): void };
  readonly turns: { sweep(before: number): void };
  readonly filesFolder: string;
  /** The files that prompts which wait or run may name: their age does not matter, nor a clock that jumps. */
  readonly filesInUse: () => ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removes what is old, now and once a day, until `stopped`. Never rejects: what cannot go today goes tomorrow. */
export async function sweepDaily(options: SweepOptions, stopped: AbortSignal): Promise<void> {
  const { clock, log } = options;
  while (!stopped.aborted) {
    await sweep(options).catch((error: unknown) =>
      log.warn({ err: error }, "not all that is old could be removed"),
    );
    await clock.sleep(DAY, stopped);
  }
}

async function sweep({ updates, turns, filesFolder, filesInUse, clock }: SweepOptions): Promise<void> {
  const now = clock.date();
  turns.sweep(now - TURNS_KEPT);
  updates.sweep(now - UPDATES_KEPT);
  for (const name of await readdir(filesFolder)) {
    const path = join(filesFolder, name);
    if (filesInUse().has(path)) continue;
    const { mtimeMs } = await stat(path);
    if (mtimeMs < now - FILES_KEPT) await rm(path, { recursive: true, force: true });
  }
}
