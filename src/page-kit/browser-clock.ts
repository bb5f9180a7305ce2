import { type Clock, sleepBy } from "../domain/clock.ts";

/** The time of the browser. */
export const browserClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  sleep: sleepBy(
    (wake, ms) => setTimeout(wake, ms),
    (timer) => clearTimeout(timer),
  ),
};
