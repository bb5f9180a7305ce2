import { performance } from "node:perf_hooks";
import { type Clock, sleepBy } from "./domain/clock.ts";

/** The time of the machine. */
export const realClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  sleep: sleepBy(
    (wake, ms) => setTimeout(wake, ms),
    (timer) => clearTimeout(timer),
  ),
};
