import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../src/domain/clock.ts";

export interface FakeClock extends Clock {
  /** Moves time on by `ms`, waking each sleeper at its own moment, in order, and letting it run before the next. */
  readonly advance: (ms: number) => Promise<void>;
  /** Lets everything that is ready run, without moving time. */
  readonly settle: () => Promise<void>;
  /** How many sleep. */
  readonly sleepers: number;
}

const EPOCH = Date.UTC(2026, 0, 1);

/** Time that stands still until a test moves it. */
export function createFakeClock(): FakeClock {
  let time = 0;
  const sleepers = new Set<{ at: number; wake: () => void }>();

  const settle = async (): Promise<void> => {
    // One turn of the event loop runs every microtask; three also let what a socket or a pipe has ready come in.
    for (let round = 0; round < 3; round += 1) await setImmediate();
  };

  return {
    now: () => time,
    date: () => EPOCH + time,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const sleeper = {
          at: time + Math.max(0, ms),
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener("abort", sleeper.wake);
            resolve();
          },
        };
        signal?.addEventListener("abort", sleeper.wake);
        sleepers.add(sleeper);
      }),
    get sleepers() {
      return sleepers.size;
    },
    settle,
    async advance(ms) {
      const end = time + ms;
      await settle();
      for (;;) {
        const next = [...sleepers].reduce<{ at: number; wake: () => void } | undefined>(
          (first, other) => (first === undefined || other.at < first.at ? other : first),
          undefined,
        );
        if (next === undefined || next.at > end) break;
        time = Math.max(time, next.at);
        next.wake();
        await settle();
      }
      time = end;
    },
  };
}
