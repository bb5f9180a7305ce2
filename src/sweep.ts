import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "./domain/clock.ts";
import { parseSessionId, type SessionId } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import { removeOld } from "./sweep/remove-old.ts";
import { createTrustedDate } from "./sweep/trusted-date.ts";

const DAY = 24 * 3_600_000;

/** Milliseconds that an update is kept after it was answered. Telegram sends one again within a day, if at all. */
const UPDATES_KEPT = 3 * DAY;
/** Milliseconds that a request is kept, so that sending it again does not run it again. */
const REQUESTS_KEPT = DAY;
/** Milliseconds that a turn is kept after its flush, and with it what it can be asked again with. */
const TURNS_KEPT = 30 * DAY;
/** Days that is kept what nobody uses, unless a person says otherwise. */
export const KEEP_DAYS = 90;
/** Days that a file that a person sent is kept. */
const FILE_DAYS = 30;

/** A piece of work that is done bit by bit, as it is taken; a bit holds the loop for some milliseconds. */
type Steps = Iterable<undefined>;

export interface SweepOptions {
  /** What is old in the database: each removes what is from before `before`, in milliseconds since 1970. */
  readonly old: {
    /** With another date for those that could not be delivered. */
    turns(before: number, undelivered: number): Steps;
    updates(before: number): Steps;
    requests(before: number): Steps;
    /** Gives the room back to the disk. */
    shrink(): Steps;
  };
  readonly sessions: {
    /** Removes those that nobody has used since `before`, and gives how many. */
    removeUnused(before: number, stopped: AbortSignal): Promise<number>;
    isKnown(id: SessionId): boolean;
  };
  readonly folders: {
    readonly sessions: string;
    readonly pictures: string;
    readonly uploads: string;
    readonly files: string;
    /** The store's file, beside which damaged ones are set aside. */
    readonly database: string;
  };
  /** A database that was set aside is needed: by it evie knows that somebody owned the bot. */
  readonly needsSetAside: () => boolean;
  /** The files that prompts which wait or run may name: their age does not matter, nor a clock that jumps. */
  readonly filesInUse: () => ReadonlySet<string>;
  /** How many days is kept what nobody uses; Infinity for ever. */
  readonly keepDays: number;
  /** When evie was last known to run, in milliseconds since 1970. */
  readonly lastRan: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Removes what is old, now and once a day, until `stopped`, in small steps between which everything else goes on. Never
 * rejects: what cannot go today goes tomorrow.
 */
export async function sweepDaily(options: SweepOptions, stopped: AbortSignal): Promise<void> {
  const { clock, log, lastRan } = options;
  const trusted = createTrustedDate(clock, lastRan);
  await setImmediate();
  while (!stopped.aborted) {
    const isTrusted = trusted();
    if (!isTrusted)
      log.warn(
        {},
        "the clock is far ahead of when evie last ran, so nothing that is old is removed before tomorrow",
      );
    for (const part of isTrusted ? partsOf(options, stopped) : []) {
      try {
        if (!stopped.aborted) await part();
      } catch (error) {
        log.warn({ err: error }, "not all that is old could be removed");
      }
    }
    await clock.sleep(DAY, stopped);
  }
}

/** One after the other, each for itself: one that fails does not keep the others. */
function partsOf(options: SweepOptions, stopped: AbortSignal): readonly (() => Promise<void>)[] {
  const { old, sessions, folders, filesInUse, needsSetAside, keepDays, clock, log } = options;
  const now = clock.date();
  const unusedSince = now - keepDays * DAY;
  const filesBefore =
    keepDays === Number.POSITIVE_INFINITY ? -keepDays : now - Math.min(FILE_DAYS, keepDays) * DAY;

  const through = async (steps: Steps): Promise<void> => {
    for (const _ of steps) {
      if (stopped.aborted) return;
      await setImmediate();
    }
  };
  /** Only what is named as a session's is evie's to remove, and only when nobody knows the session any more. */
  const isOrphan = (name: string): boolean => {
    const id = parseSessionId(name.split(".")[0] ?? "");
    return id !== undefined && !sessions.isKnown(id);
  };
  const isUnneeded = (name: string, folder: string): boolean => !filesInUse().has(join(folder, name));
  const files = (folder: string, before: number, mayGo: (name: string) => boolean): Promise<void> =>
    removeOld({ folder, before, mayGo, stopped });
  const { sessions: histories, pictures, uploads, files: sent, database } = folders;

  return [
    () => through(old.turns(now - TURNS_KEPT, Math.max(0, unusedSince))),
    () => through(old.updates(now - UPDATES_KEPT)),
    () => through(old.requests(now - REQUESTS_KEPT)),
    async () => {
      const count = await sessions.removeUnused(unusedSince, stopped);
      if (count > 0) log.info({ sessions: count, days: keepDays }, "sessions that nobody used were removed");
    },
    () => files(sent, filesBefore, (name) => isUnneeded(name, sent)),
    () => files(histories, unusedSince, isOrphan),
    () => files(pictures, unusedSince, isOrphan),
    () => files(uploads, unusedSince, (name) => isUnneeded(name, uploads)),
    async () => {
      if (needsSetAside()) return;
      const beginning = `${basename(database)}.damaged-`;
      await files(dirname(database), unusedSince, (name) => name.startsWith(beginning));
    },
    // Behind all that makes room.
    () => through(old.shrink()),
  ];
}
