import type { Api } from "grammy";

/** What grammY and its runner take and hand over as a signal: the type of a look-alike from before Node had its own. */
export type GrammySignal = NonNullable<Parameters<Api["getMe"]>[0]>;

/** For a call of grammY's: it only listens, so Node's signal does. */
export function toGrammy(signal: AbortSignal): GrammySignal {
  return signal as GrammySignal;
}

/** Node's functions refuse the look-alike; this follows it. */
export function toNative(signal: GrammySignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener("abort", () => controller.abort(), { once: true });
  return controller.signal;
}
