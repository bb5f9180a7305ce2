import type { ApiClientOptions } from "grammy";
import { type GrammySignal, toNative } from "./signals.ts";

/** What grammY calls to reach Telegram. */
type GrammyFetch = NonNullable<ApiClientOptions["fetch"]>;

/**
 * A `fetch` for grammY that uses Node's own.
 *
 * grammY's default never notices a response that is cut in the middle, and leaves the bot deaf until its timeout;
 * and its errors carry the address with the bot's token in it. Node's does neither.
 */
export const grammyFetch: GrammyFetch = (input: string, init: FetchInit = {}) => {
  // `agent` is node-fetch's own; the signal is followed until the body has been read as well.
  const { signal, agent: _agent, ...rest } = init;
  const followed = signal === null || signal === undefined ? {} : { signal: toNative(signal) };
  return fetch(input, { ...rest, ...followed });
};

type FetchInit = Omit<RequestInit, "signal"> & {
  readonly signal?: GrammySignal | null;
  readonly agent?: unknown;
};
