import type { IncomingMessage } from "node:http";
import { checkLevels } from "../../domain/levels.ts";
import { ApiError, badRequest } from "./errors.ts";
import { parseMultipart } from "./multipart.ts";
import { isRecord } from "./params.ts";
import type { Upload } from "./params.ts";

/** The largest request that the cloud server takes: a file of 50 MB and its surroundings. */
const MAX_BODY = 52 * 1024 * 1024;

export interface Body {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly uploads: ReadonlyMap<string, Upload>;
}

/**
 * Reads query and body of a request: JSON, urlencoded or multipart. The body's fields win over the query's.
 * Throws an ApiError 413 for a body beyond Telegram's size and 400 for one that cannot be read.
 */
export async function readBody(request: IncomingMessage, query: URLSearchParams): Promise<Body> {
  const fields = Object.fromEntries(query);
  const uploads: ReadonlyMap<string, Upload> = new Map();
  const bytes = await collect(request);
  const type = request.headers["content-type"] ?? "";
  if (bytes.length === 0) return { fields, uploads };

  if (type.startsWith("application/json")) return { fields: { ...fields, ...parseJson(bytes) }, uploads };
  if (type.startsWith("application/x-www-form-urlencoded")) {
    const form = Object.fromEntries(new URLSearchParams(bytes.toString("utf8")));
    return { fields: { ...fields, ...form }, uploads };
  }
  if (type.startsWith("multipart/form-data")) {
    const form = parseMultipart(bytes, type);
    if (form === undefined) throw badRequest("can't parse request body: malformed form");
    return { fields: { ...fields, ...form.fields }, uploads: form.uploads };
  }
  return { fields, uploads };
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest is read and thrown away: a client that still writes would see a reset instead of the answer.
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  if (size > MAX_BODY) throw new ApiError(413, "Request Entity Too Large");
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const json = bytes.toString("utf8");
    checkLevels(json);
    const value: unknown = JSON.parse(json);
    if (isRecord(value)) return value;
  } catch {
    // Falls through to the same answer as any other body that is no object.
  }
  throw badRequest("can't parse request body: object expected");
}
