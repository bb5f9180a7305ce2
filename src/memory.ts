import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "./domain/clock.ts";

/**
 * Keeps the part of V8's heap small that new objects are made in. By default it grows to 134 MB while many chats are busy,
 * and shrinks only at a collection of the whole heap, which may not come for hours once nobody says anything. To be called
 * first of all: what it has grown to by then stays. Answers take some more of the processor for it.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Milliseconds between two looks. */
const LOOK = 15_000;
/** Of the time between two looks, how much evie has to work to be busy. */
const BUSY = 0.05;

export interface GiveBackOptions {
  /** Microseconds of the processor that the process has used so far. */
  readonly used: () => number;
  readonly collect: () => void;
  readonly clock: Clock;
  readonly ended: AbortSignal;
}

/** After which looks at an evie that rests garbage is collected: at once, and when sessions have let go of what was said. */
const COLLECTED_AT: ReadonlySet<number> = new Set([1, 3]);

/**
 * Collects garbage twice whenever evie rests after it has worked. V8 collects when something new needs room, so what a
 * busy hour has left would stay for as long as nobody says anything. Resolves at the end. Never rejects.
 */
export async function giveMemoryBack({ used, collect, clock, ended }: GiveBackOptions): Promise<void> {
  let before = used();
  /** Looks since it worked; it has not, at first. */
  let rested = Number.POSITIVE_INFINITY;
  for (;;) {
    await clock.sleep(LOOK, ended);
    if (ended.aborted) return;
    const now = used();
    const isBusy = (now - before) / (LOOK * 1_000) > BUSY;
    before = now;
    rested = isBusy ? 0 : rested + 1;
    if (!COLLECTED_AT.has(rested)) continue;
    collect();
    // What the collection itself took is no work.
    before = used();
  }
}

/** Returns how much of the processor this process has used, in microseconds. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Makes what collects all garbage at once, which takes some 50 ms. V8 gives it to a program under a flag only. */
export function createCollect(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof collect === "function" ? () => void Reflect.apply(collect, undefined, []) : () => undefined;
}
