/** Time as a dependency: the program owns the real one, each test a fake one, and no test sleeps. */
export interface Clock {
  /** Milliseconds that only ever grow. Deadlines are counted in these: a wall clock that jumps must not hold a burst for an hour. */
  now(): number;
  /** Milliseconds since 1970, for what people and other programs read. */
  date(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted. Never rejects: the caller looks at its signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay that a timer takes, in milliseconds; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** A clock's `sleep` out of a timer: `start` wakes after some milliseconds, `stop` lets it be. */
export function sleepBy<Timer>(
  start: (wake: () => void, ms: number) => Timer,
  stop: (timer: Timer) => void,
): Clock["sleep"] {
  return (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const wake = (): void => {
        stop(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = start(wake, Math.min(Math.max(0, ms), LONGEST_TIMER));
      signal?.addEventListener("abort", wake, { once: true });
    });
}
