import type { Clock } from "../domain/clock.ts";
import type { BotApi } from "./bot-api/bot-api.ts";
import type { ActiveFault } from "./bot-api/faults.ts";
import type { Troubles } from "./wire.ts";

const OUTAGE_MS = 10_000;
/** Seconds of rest that the refused call is told to take. */
const REST_S = 8;
const SLOW_BYTES_PER_SECOND = 20_000;
const SPEAKING = ["sendMessage", "editMessageText"];

/** The switches that make the Bot API misbehave. */
export interface TroubleSwitches {
  readonly state: Troubles;
  /** Switches one on or off. An outage ends by itself after ten seconds, and not earlier. */
  set(name: "flood" | "outage" | "slowFiles", on: boolean): void;
  /** For when the Bot API ends: an outage is not ended any more, since that would open it again. */
  close(): void;
}

/** `changed` is called whenever `state` has become another; `remark` gets a line for people. */
export function createTroubles(
  { api, clock }: { readonly api: BotApi; readonly clock: Clock },
  changed: (state: Troubles) => void,
  remark: (words: string) => void,
): TroubleSwitches {
  let flood: ActiveFault | undefined;
  let slowFiles: ActiveFault | undefined;
  let outageUntil: number | undefined;
  const closed = new AbortController();

  const state = (): Troubles => ({
    flood: flood !== undefined,
    slowFiles: slowFiles !== undefined,
    ...(outageUntil === undefined ? {} : { outageUntil }),
  });

  async function outage(): Promise<void> {
    if (outageUntil !== undefined) return;
    outageUntil = clock.date() + OUTAGE_MS;
    changed(state());
    remark("Telegram is out of reach for ten seconds.");
    const { end } = await api.faults.outage();
    await clock.sleep(OUTAGE_MS, closed.signal);
    if (closed.signal.aborted) return;
    await end();
    outageUntil = undefined;
    changed(state());
    remark("Telegram is back.");
  }

  api.onChange(({ kind }) => {
    // It hits one call and is over.
    if (kind !== "fault" || flood === undefined || flood.hits === 0) return;
    flood = undefined;
    changed(state());
  });

  return {
    get state() {
      return state();
    },
    set(name, on) {
      switch (name) {
        case "outage":
          if (on)
            outage().catch((error: unknown) =>
              remark(`The outage cannot be ended (${String(error)}). Start the playground again.`),
            );
          return;
        case "flood":
          flood?.off();
          flood = on
            ? api.faults.calls({ kind: "flood", retryAfter: REST_S, methods: SPEAKING, times: 1 })
            : undefined;
          break;
        case "slowFiles":
          slowFiles?.off();
          slowFiles = on
            ? api.faults.files({ kind: "slow", bytesPerSecond: SLOW_BYTES_PER_SECOND })
            : undefined;
          break;
      }
      changed(state());
    },
    close: () => closed.abort(),
  };
}
