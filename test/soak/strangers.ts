import { setTimeout as sleep } from "node:timers/promises";
import type { BotApi } from "../../src/playground/bot-api/bot-api.ts";
import type { Random } from "./random.ts";

/** What strangers say: by it their words are found wherever they went. */
export const STRANGERS_WORDS = "words-of-a-stranger";

const FIRST_STRANGER = 900_001;
/** How many write at once, now and then. */
const FLOOD = 300;

export interface StrangersFacts {
  readonly messages: number;
  readonly strangers: number;
  /** Those that the bot said something to. */
  readonly greeted: number;
}

/** Lets people write who are not allowed: one now and then, and many at once every 15 to 30 s. Never rejects. */
export async function letStrangersWrite(
  api: BotApi,
  random: Random,
  ended: AbortSignal,
): Promise<() => StrangersFacts> {
  let messages = 0;
  const strangers = new Set<number>();
  const write = (): void => {
    const id = FIRST_STRANGER + random.between(0, 4_000);
    strangers.add(id);
    messages += 1;
    void api.person({ id, first_name: `Stranger ${id}` }).say(`${STRANGERS_WORDS} ${messages}`);
  };
  let nextFlood = Date.now() + 10_000;
  while (!ended.aborted) {
    await sleep(random.between(50, 500), undefined, { signal: ended }).catch(() => undefined);
    write();
    if (Date.now() < nextFlood) continue;
    nextFlood = Date.now() + random.between(15_000, 30_000);
    for (let written = 0; written < FLOOD; written += 1) write();
  }
  return () => ({
    messages,
    strangers: strangers.size,
    greeted: [...strangers].filter((id) => api.chat(id).botMessages.length > 0).length,
  });
}
