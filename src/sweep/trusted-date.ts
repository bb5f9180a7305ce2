import type { Clock } from "../domain/clock.ts";

/** Milliseconds that a date may be ahead of what is expected. */
const LEAP = 7 * 24 * 3_600_000;

/**
 * Makes a judge of the date, to be asked before what is old is removed. A clock that was set a year ahead makes
 * everything old, and what is removed does not come back when the clock does. So a date that leapt, since evie last ran
 * or since it was last asked about, is believed the next time only: a day later, when it went on as time does. `lastRan`
 * is in milliseconds since 1970.
 */
export function createTrustedDate(
  clock: Pick<Clock, "date" | "now">,
  lastRan: number | undefined,
): () => boolean {
  let expected = lastRan === undefined ? undefined : { date: lastRan, now: clock.now() };
  return () => {
    const [date, now] = [clock.date(), clock.now()];
    const isLeap = expected !== undefined && date - expected.date - (now - expected.now) > LEAP;
    expected = { date, now };
    return !isLeap;
  };
}
