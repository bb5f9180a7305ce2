import type { Clock } from "../domain/clock.ts";

/** A signal that is aborted after a while. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Counts anew from now on: something is moving. */
  extend(): void;
  /** It was in time: the signal is never aborted. */
  cancel(): void;
}

/** Aborts its signal when `ms` milliseconds have passed since its start or its last extension. */
export function startDeadline(clock: Clock, ms: number): Deadline {
  const passed = new AbortController();
  const cancelled = new AbortController();
  let until = clock.now() + ms;

  async function watch(): Promise<void> {
    while (!cancelled.signal.aborted) {
      const left = until - clock.now();
      if (left <= 0) return passed.abort(new Error(`nothing came for ${ms / 1_000} s`));
      await clock.sleep(left, cancelled.signal);
    }
  }
  void watch();

  return {
    signal: passed.signal,
    extend: () => {
      until = clock.now() + ms;
    },
    cancel: () => cancelled.abort(),
  };
}
