import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "./bodies.ts";
import type { CallLog, OpenCall } from "./call-log.ts";
import { ApiError, tooManyRequests } from "./errors.ts";
import type { CallFault, FaultPlan, Hit } from "./faults.ts";
import type { Flood } from "./flood.ts";
import { methodOf } from "./methods.ts";
import { createParams } from "./params.ts";
import type { Params } from "./params.ts";
import type { World } from "./world.ts";

export interface Desk {
  readonly world: World;
  readonly log: CallLog;
  readonly faults: FaultPlan;
  readonly flood: Flood;
}

/** What goes out: a JSON answer of Telegram's, or the HTML page of a proxy. */
type Answer =
  | { readonly ok: true; readonly result: unknown; readonly description: string | undefined }
  | { readonly ok: false; readonly error: ApiError }
  | { readonly html: number };

/** Answers one call of a method, faults and flood control included, and logs it. */
export async function answerCall(
  { world, log, faults, flood }: Desk,
  name: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const method = methodOf(name);
  if (method === undefined) return sendError(response, new ApiError(404, "Not Found"));
  let params: Params;
  let open: OpenCall;
  try {
    const { fields, uploads } = await readBody(request, query);
    params = createParams(fields, uploads);
    const files = [...uploads].map(([part, { name, bytes, type }]) => [
      part,
      { name, size: bytes.length, type },
    ]);
    open = log.begin(name, params, { ...fields, ...Object.fromEntries(files) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return sendError(response, error);
  }

  const { chatId, at: now } = open.call;
  const refused = chatId === undefined ? undefined : flood.admit({ method: name, chatId, now });
  const hit = faults.hitCall(name, chatId);
  const lost = (): void => {
    response.destroy();
    open.lost();
  };

  if (hit !== undefined && !(await passes(hit, "before"))) return lost();
  const answer =
    early(hit?.fault) ?? (refused === undefined ? await run() : failed(tooManyRequests(refused)));
  if (hit !== undefined && !(await passes(hit, "after"))) return lost();
  if (gone.aborted) return lost();
  if (hit?.fault.kind === "cut") {
    await sendHalf(response, bodyOf(answer));
    return lost();
  }
  open.answered(
    "html" in answer
      ? { status: answer.html, description: "a page of a proxy" }
      : answer.ok
        ? { status: 200, result: answer.result }
        : { status: answer.error.code, description: answer.error.message },
  );
  send(response, answer);

  /** What a fault answers in the method's place. */
  function early(fault: CallFault | undefined): Answer | undefined {
    switch (fault?.kind) {
      case "flood":
        if (chatId !== undefined) flood.announce(chatId, now, fault.retryAfter);
        return failed(tooManyRequests(fault.retryAfter));
      case "error":
        return failed(new ApiError(fault.code, fault.description));
      case "html":
        return { html: fault.status };
      default:
        return undefined;
    }
  }

  /** False when the answer is to get lost on this side of the effect. */
  async function passes({ fault, off }: Hit<CallFault>, side: "before" | "after"): Promise<boolean> {
    if (fault.kind === "slow" && (fault.when ?? "after") === side) await world.clock.sleep(fault.ms, gone);
    if (fault.kind === "hang" && fault.when === side) {
      await aborted(AbortSignal.any([gone, off]));
      return false;
    }
    if (fault.kind === "reset" && fault.when === side) {
      response.socket?.resetAndDestroy();
      return false;
    }
    return true;
  }

  async function run(): Promise<Answer> {
    if (method === undefined) return failed(new ApiError(404, "Not Found"));
    let description: string | undefined;
    const describe = (text: string): void => {
      description = text;
    };
    try {
      const result = await method({ params, world, signal: gone, complain: open.complain, describe });
      open.took();
      return { ok: true, result, description };
    } catch (error) {
      if (error instanceof ApiError) return failed(error);
      const why = error instanceof Error ? error.message : String(error);
      return failed(new ApiError(500, `Internal Server Error: ${why}`));
    }
  }
}

/** Answers with an error in Telegram's shape. */
export function sendError(response: ServerResponse, error: ApiError): void {
  send(response, failed(error));
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function failed(error: ApiError): Answer {
  return { ok: false, error };
}

function send(response: ServerResponse, answer: Answer): void {
  const body = bodyOf(answer);
  const retryAfter = "error" in answer ? answer.error.retryAfter : undefined;
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
  response.writeHead("html" in answer ? answer.html : answer.ok ? 200 : answer.error.code, {
    "content-type": "html" in answer ? "text/html" : "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function bodyOf(answer: Answer): string {
  if ("html" in answer) {
    return `<html>\r\n<head><title>${answer.html}</title></head>\r\n<body><center><h1>${answer.html}</h1></center><hr><center>nginx</center></body>\r\n</html>\r\n`;
  }
  if (answer.ok) {
    const { result, description } = answer;
    return JSON.stringify({ ok: true, result, ...(description === undefined ? {} : { description }) });
  }
  const { code, message, retryAfter } = answer.error;
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
  return JSON.stringify({ ok: false, error_code: code, description: message, ...parameters });
}

/** Sends the first half and waits until it is on its way, so that it is not lost with the connection. */
function sendHalf(response: ServerResponse, body: string): Promise<void> {
  const bytes = Buffer.from(body, "utf8");
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  return new Promise((resolve) => {
    // What is written into a connection that is dropped meanwhile is never said to be written.
    response.once("close", resolve);
    response.write(bytes.subarray(0, bytes.length >> 1), () => resolve());
  });
}
