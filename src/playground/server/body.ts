import type { IncomingMessage } from "node:http";
import { parseJson } from "../../domain/text.ts";
import { Refusal } from "./refusal.ts";

/** The body of a request. Throws a Refusal 413 with `tooLarge` when it has more than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number, tooLarge: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // What is too much is read and thrown away: a browser that still writes would not see the answer.
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit) throw new Refusal(413, tooLarge);
  return Buffer.concat(chunks);
}

/** The JSON object in a body. Throws a Refusal 400 when there is none. */
export function readJsonObject(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = parseJson(body.toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch {
    // The same answer as for any other body that is no object.
  }
  throw new Refusal(400, "The body is no JSON object.");
}
