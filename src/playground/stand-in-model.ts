import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { checkLevels } from "../domain/levels.ts";
import { isOwnRequest, targetOf } from "../domain/loopback.ts";
import { MODEL } from "./stand-in-model/agent-folder.ts";
import { answerPieces, tokensOf } from "./stand-in-model/chunks.ts";
import { chooseStep } from "./stand-in-model/reply.ts";
import { lastUserIndex, readRequest } from "./stand-in-model/request.ts";
import type { ModelRequest } from "./stand-in-model/request.ts";
import type { Step } from "./stand-in-model/step.ts";

/** What the model was asked, and how that went. */
export interface SeenRequest extends ModelRequest {
  /** Whether the one who asked went away before the answer's end. */
  readonly aborted: boolean;
}

/** A small HTTP server that speaks OpenAI's chat completions and answers by rule, for trials and tests. */
export interface StandInModel {
  readonly port: number;
  /** What a provider's configuration wants: `http://<host>:<port>/v1`. */
  readonly baseUrl: string;
  /** The requests since the last reset, oldest first, the newest 500 of them. */
  readonly requests: readonly SeenRequest[];
  /** Answers the next requests, one step each, before anything that the messages say. */
  enqueue(steps: readonly Step[]): void;
  /** Forgets the queue, the requests and the counts of failures. */
  reset(): void;
  /** Drops every connection and frees the port. */
  close(): Promise<void>;
}

/** Pictures of a whole conversation travel with each request. */
const LARGEST_BODY = 256 * 2 ** 20;
/** Bytes of all bodies that are being read, together. */
const LARGEST_BODIES = 2 * LARGEST_BODY;
const MOST_CONNECTIONS = 256;
const REQUESTS_KEPT = 500;
/** UTF-16 units of the texts of all kept requests, together. */
const TEXT_KEPT = 32 * 2 ** 20;
const LOOPBACK = "127.0.0.1";

/**
 * Listens on `port` (a free one when left out) of `host`, 127.0.0.1 unless told otherwise. Rejects when the port is
 * taken.
 */
export async function startStandInModel(
  options: { readonly port?: number; readonly host?: string } = {},
): Promise<StandInModel> {
  const { port = 0, host = LOOPBACK } = options;
  const requests: { -readonly [Key in keyof SeenRequest]: SeenRequest[Key] }[] = [];
  const queue: Step[] = [];
  const failures = new Map<string, number>();
  let answers = 0;
  let bytesInWork = 0;

  /** A step that fails only so many times gives way to its successor: the same request comes again when the agent retries. */
  const resolveTimes = (step: Step, request: ModelRequest): Step => {
    if (step.times === undefined) return step;
    const key = JSON.stringify([step, lastUserIndex(request)]);
    const seen = failures.get(key) ?? 0;
    if (seen < step.times) {
      failures.set(key, seen + 1);
      return step;
    }
    // Counted afresh from here, or the same words in another conversation would never fail.
    failures.delete(key);
    return step.then ?? { text: "recovered" };
  };

  const complete = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = readRequest(await readJson(incoming));
    if (request === undefined) {
      sendError(response, 400, "this is no streaming chat completion");
      return;
    }
    const seen = { ...request, aborted: false };
    requests.push(seen);
    requests.splice(0, tooMany(requests));
    const step = resolveTimes(queue.shift() ?? chooseStep(request), request);
    const gone = new AbortController();
    response.on("close", () => {
      seen.aborted = !response.writableEnded && step.malformed !== "cut";
      gone.abort();
    });
    answers += 1;
    await answer(response, step, { id: `answer_${answers}`, request, signal: gone.signal });
  };

  async function readJson(incoming: IncomingMessage): Promise<unknown> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of incoming) {
        if (!Buffer.isBuffer(chunk)) continue;
        size += chunk.length;
        bytesInWork += chunk.length;
        if (size > LARGEST_BODY || bytesInWork > LARGEST_BODIES) throw new Error("this request is too large");
        chunks.push(chunk);
      }
      const json = Buffer.concat(chunks).toString();
      checkLevels(json);
      return JSON.parse(json);
    } finally {
      bytesInWork -= size;
    }
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A page of the internet whose name was made to lead to this address sends its own name.
    if (host === LOOPBACK && !isOwnRequest(incoming.headers, { port: addressOf(server).port })) {
      sendError(response, 403, "this request is for another server");
      return;
    }
    const route = `${incoming.method} ${targetOf(incoming.url)?.pathname}`;
    if (route === "GET /v1/models") {
      sendJson(response, 200, { object: "list", data: [{ id: MODEL, object: "model" }] });
      return;
    }
    if (route !== "POST /v1/chat/completions") {
      sendError(response, 404, `there is no ${incoming.method} ${incoming.url}`);
      return;
    }
    await complete(incoming, response);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else sendError(response, 400, error instanceof Error ? error.message : String(error));
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  await once(server, "listening");
  const { port: taken } = addressOf(server);

  return {
    port: taken,
    baseUrl: `http://${host}:${taken}/v1`,
    requests,
    enqueue: (steps) => {
      queue.push(...steps);
    },
    reset: () => {
      queue.length = 0;
      requests.length = 0;
      failures.clear();
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Speaks one step. Comes back when there is nothing left to say, or when the other side has gone. */
async function answer(
  response: ServerResponse,
  step: Step,
  { id, request, signal }: { id: string; request: ModelRequest; signal: AbortSignal },
): Promise<void> {
  await pause(step.firstMs, signal);
  if (signal.aborted || step.hang === "connect") return;
  if (step.status !== undefined) {
    if (step.body === undefined) sendError(response, step.status, `stand-in error ${step.status}`);
    else sendRaw(response, step.status, step.body);
    return;
  }
  if (step.malformed === "html") {
    sendRaw(response, 200, "<html><body>502 Bad Gateway</body></html>");
    return;
  }

  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  const inputTokens = tokensOf(request.messages.map(({ text }) => text).join(""));
  for (const { data, paced } of answerPieces(step, { id, model: request.model, inputTokens })) {
    if (!response.write(data)) await drained(response, signal);
    if (paced) await pause(step.delayMs, signal);
    if (signal.aborted) return;
  }
  if (step.hang === "stream") return;
  if (step.malformed === "cut") {
    // Sends what was written before it cuts.
    response.socket?.destroySoon();
    return;
  }
  response.end();
}

async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms === undefined || ms === 0) return;
  // The only way that this sleep rejects is its own signal, and the caller looks at that.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await once(response, "drain", { signal }).catch(() => undefined);
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the stand-in listens on no port");
  return address;
}

/** How many of the oldest requests are to be forgotten, so that all that are kept stay within their bounds. */
function tooMany(requests: readonly ModelRequest[]): number {
  const sizes = requests.map(({ messages }) => messages.reduce((sum, { text }) => sum + text.length, 0));
  let size = sizes.reduce((sum, each) => sum + each, 0);
  let forgotten = Math.max(0, requests.length - REQUESTS_KEPT);
  for (const each of sizes.slice(0, forgotten)) size -= each;
  while (size > TEXT_KEPT && forgotten < requests.length - 1) {
    size -= sizes[forgotten] ?? 0;
    forgotten += 1;
  }
  return forgotten;
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const type =
    status === 429 ? "rate_limit_exceeded" : status < 500 ? "invalid_request_error" : "server_error";
  sendJson(response, status, { error: { message, type, code: status } });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** A web page where an answer was expected, or whatever else stands between a model and its clients. */
function sendRaw(response: ServerResponse, status: number, body: string): void {
  const type = body.trimStart().startsWith("<") ? "text/html" : "application/json";
  response.writeHead(status, { "content-type": type });
  response.end(body);
}
