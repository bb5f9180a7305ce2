import type { OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { parseWithinLevels } from "../domain/levels.ts";
import { loose, numberOf } from "./loose.ts";
import { type GrammySignal, toNative } from "./signals.ts";
import { request } from "./transport.ts";

/** What grammY says to the function that it is given as `fetch`. */
interface FetchInit {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Readable;
  readonly signal: GrammySignal;
}

/**
 * What grammY calls to reach Telegram. Of an answer it reads `json` alone.
 *
 * grammY's default never notices a response that is cut in the middle, and leaves the bot deaf until its timeout;
 * and its errors carry the address with the bot's token in it. Node's own do neither.
 */
export async function grammyFetch(url: string, { method, headers, body, signal }: FetchInit) {
  const answer = await request(url, { method, headers, body, signal: toNative(signal) });
  return { json: async (): Promise<unknown> => fromTelegram(parseWithinLevels(await text(answer))) };
}

/** Throws for the JSON of a proxy: grammY would read it as a refusal by Telegram, and what was to be sent would be given up. */
function fromTelegram(body: unknown): unknown {
  const { ok, result, error_code: code } = loose<{ ok: boolean; result: unknown; error_code: number }>(body);
  if (ok === true ? result === undefined : numberOf(code) === undefined)
    throw new Error("The answer is not Telegram's.");
  return body;
}
