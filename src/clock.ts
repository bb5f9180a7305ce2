import { performance } from "node:perf_hooks";
import type { Clock } from "./domain/clock.ts";

/** The longest delay that a timer takes; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The time of the machine. */
export const realClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(Math.max(0, ms), LONGEST_TIMER));
      signal?.addEventListener("abort", wake, { once: true });
    }),
};
