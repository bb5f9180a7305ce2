import { UntilError } from "./bot-api.ts";
import type { BotApi, Change } from "./bot-api.ts";

/** How long `until` waits unless told otherwise, in ms of real time. */
const PATIENCE_MS = 5_000;

export interface Watch {
  readonly onChange: BotApi["onChange"];
  readonly until: BotApi["until"];
  readonly changed: (change: Change) => void;
}

/** Tells who listens that something has changed. */
export function createWatch(): Watch {
  const listeners = new Set<(change: Change) => void>();
  const onChange: Watch["onChange"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    onChange,
    changed(change) {
      for (const listener of listeners) listener(change);
    },
    until: (look, { timeoutMs = PATIENCE_MS, what = "a change" } = {}) =>
      new Promise((resolve, reject) => {
        // A deadline on the clock of the test would never come while the test waits here.
        const deadline = AbortSignal.timeout(timeoutMs);
        const settle = (act: () => void): void => {
          stop();
          deadline.removeEventListener("abort", late);
          act();
        };
        const late = (): void => settle(() => reject(new UntilError(what, timeoutMs)));
        const check = (): void => {
          try {
            const value = look();
            if (value !== undefined && value !== null && value !== false) settle(() => resolve(value));
          } catch (error) {
            settle(() => reject(error instanceof Error ? error : new Error(String(error))));
          }
        };
        const stop = onChange(check);
        deadline.addEventListener("abort", late, { once: true });
        check();
      }),
  };
}
