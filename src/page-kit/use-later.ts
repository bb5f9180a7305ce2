import { useEffect } from "preact/hooks";
import type { Clock } from "../domain/clock.ts";

/** Calls `then` once, `ms` after `key` became what it is, unless it is undefined or false. */
export function useLater(clock: Clock, key: unknown, ms: number, then: () => void): void {
  useEffect(() => {
    if (key === undefined || key === false) return undefined;
    const stop = new AbortController();
    void clock.sleep(ms, stop.signal).then(() => {
      if (!stop.signal.aborted) then();
    });
    return () => stop.abort();
  }, [key, ms, clock]);
}
