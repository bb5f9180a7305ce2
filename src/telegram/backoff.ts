const FIRST_WAIT = 1_000;

/**
 * The longest wait, in milliseconds, between two tries of what a person waits for: any call that speaks in a chat, and
 * the poll, which their next message waits behind. A longer one would leave the chat silent after Telegram is back.
 */
export const LONGEST_WAIT = 5_000;

/** The same where another program polls the bot: each try of ours ends its poll, and only a person can cure that. */
export const LONGEST_CONFLICT_WAIT = 30_000;

/** Waits that double from one second, each with a fifth of jitter, so that what fails together does not retry together. */
export interface Backoff {
  /** Milliseconds to wait after one more failure. */
  next(): number;
  /** It worked: the next failure waits shortly again. */
  reset(): void;
}

/** `random` gives numbers from 0 to 1; no wait is longer than `longest` milliseconds. */
export function createBackoff(random: () => number, longest: number = LONGEST_WAIT): Backoff {
  let wait = FIRST_WAIT;
  return {
    next() {
      const current = wait * (0.8 + 0.4 * random());
      wait = Math.min(longest, wait * 2);
      return Math.min(longest, current);
    },
    reset() {
      wait = FIRST_WAIT;
    },
  };
}
