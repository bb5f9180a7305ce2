import { get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random.ts";

export interface SlowReaders {
  readonly opened: number;
  /** Those that evie left because too much waited for them. */
  readonly cutOff: number;
}

export interface SlowReadersOptions {
  /** Where evie's HTTP API is, and the token for it. */
  readonly base: string;
  readonly token: string;
  readonly count: number;
  readonly random: Random;
  readonly ended: AbortSignal;
}

/** Attaches readers that read nothing for a while, each again and again to another session. Never rejects. */
export async function readSlowly({ count, ...options }: SlowReadersOptions): Promise<SlowReaders> {
  const each = await Promise.all(Array.from({ length: count }, () => readOneSlowly(options)));
  return {
    opened: each.reduce((sum, { opened }) => sum + opened, 0),
    cutOff: each.reduce((sum, { cutOff }) => sum + cutOff, 0),
  };
}

async function readOneSlowly(options: Omit<SlowReadersOptions, "count">): Promise<SlowReaders> {
  const { random, ended } = options;
  let opened = 0;
  let cutOff = 0;
  while (!ended.aborted) {
    const reader = await attach(options).catch(() => undefined);
    if (reader !== undefined) {
      opened += 1;
      let left = false;
      reader.once("close", () => (left = true)).once("error", () => (left = true));
      // Not a byte is read meanwhile but what fits into the first buffers.
      reader.pause();
      await sleep(random.between(5_000, 20_000), undefined, { signal: ended }).catch(() => undefined);
      if (left) cutOff += 1;
      reader.destroy();
    }
    await sleep(random.between(100, 1_000), undefined, { signal: ended }).catch(() => undefined);
  }
  return { opened, cutOff };
}

async function attach({ base, token, random }: Omit<SlowReadersOptions, "count">): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${base}/api/sessions`, { headers });
  const { sessions } = (await answer.json()) as { readonly sessions: readonly { readonly id: string }[] };
  // The busy ones come first.
  const { id } = random.pick(sessions.slice(0, 50));
  return await new Promise((resolve, reject) => {
    get(`${base}/api/sessions/${id}/events`, { headers, agent: false }, resolve).once("error", reject);
  });
}
