import type { OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { json } from "node:stream/consumers";
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
  return { json: (): Promise<unknown> => json(answer) };
}
