const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

/** Waits that double from one second to thirty, each with a fifth of jitter, so that what fails together does not retry together. */
export interface Backoff {
  /** Milliseconds to wait after one more failure. */
  next(): number;
  /** It worked: the next failure waits shortly again. */
  reset(): void;
}

/** `random` gives numbers from 0 to 1. */
export function createBackoff(random: () => number): Backoff {
  let wait = FIRST_WAIT;
  return {
    next() {
      const current = wait * (0.8 + 0.4 * random());
      wait = Math.min(LONGEST_WAIT, wait * 2);
      return Math.min(LONGEST_WAIT, current);
    },
    reset() {
      wait = FIRST_WAIT;
    },
  };
}
