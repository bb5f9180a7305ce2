/** Time as a dependency: the program owns the real one, each test a fake one, and no test sleeps. */
export interface Clock {
  /** Milliseconds that only ever grow. Deadlines are counted in these: a wall clock that jumps must not hold a burst for an hour. */
  now(): number;
  /** Milliseconds since 1970, for what people and other programs read. */
  date(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted. Never rejects: the caller looks at its signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
