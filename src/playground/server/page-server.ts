import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../domain/clock.ts";
import { isOwnHost, isOwnOrigin, targetOf } from "../../domain/loopback.ts";
import type { Page } from "../build-page.ts";
import type { Frame } from "../wire.ts";
import { createEventStream } from "./event-stream.ts";
import { pictureType } from "./file-type.ts";
import { isSame } from "./guard.ts";
import { listen } from "./listen.ts";
import { Refusal } from "./refusal.ts";

export interface PageServerOptions {
  readonly page: Page;
  /** The port to take; without one, the first that is free from DEFAULT_PORT on. */
  readonly port?: number | undefined;
  readonly clock: Clock;
  /** What a browser is told first. */
  readonly snapshot: () => Frame;
  /** Does what `POST /do/<name>` asks. Throws a Refusal. */
  readonly act: (name: string, request: IncomingMessage) => Promise<void>;
  /** The file of a message. */
  readonly file: (messageId: number) => { readonly bytes: Uint8Array; readonly name: string } | undefined;
}

export interface PageServer {
  readonly port: number;
  /** What the person opens: it carries the key that the page keeps for its origin. */
  readonly link: string;
  tell(frame: Frame): void;
  close(): Promise<void>;
}

/** Nothing from elsewhere runs, is shown or is sent; pictures that are about to be sent are blobs. */
const HEADERS = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
};

const LOCKED = "This page is locked. Open the link that evie printed in the terminal.";

/**
 * The playground's page, its events and its actions, on loopback. A page that drives a shell is an open door to
 * every site in the browser and every name that resolves to 127.0.0.1, so each request needs a Host of loopback, all
 * but the page's own files the key that the link brings, as a bearer token, and each action an Origin of its own.
 * Rejects with a PortTakenError.
 */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const { page, clock } = options;
  const key = randomBytes(24).toString("base64url");
  const stream = createEventStream(clock);
  const { port, close } = await listen(options.port, (request, response) => {
    handle(request, response).catch((error: unknown) => refuse(response, error));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { host, origin, authorization = "" } = request.headers;
    if (!isOwnHost(host, { port })) throw new Refusal(403, "This is not the address that evie printed.");
    const url = targetOf(request.url);
    if (url === undefined) throw new Refusal(400, "This is no address of a page.");
    const isAction = request.method === "POST";
    if (!isAction && request.method !== "GET") throw new Refusal(405, "Only GET and POST are known here.");

    const open = isAction ? undefined : openFile(url.pathname);
    if (open !== undefined) return answer(response, 200, open.type, open.body);
    const [, given = ""] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    if (!isSame(given, key)) throw new Refusal(403, LOCKED);

    if (!isAction) return give(url.pathname, response);
    if (!isOwnOrigin(origin, { port })) throw new Refusal(403, "This request comes from another page.");
    const name = /^\/do\/([a-z]+)$/i.exec(url.pathname)?.[1];
    if (name === undefined) throw new Refusal(404, "There is no such action.");
    await options.act(name, request);
    answer(response, 200, "application/json", "{}");
  }

  /** What holds no secret: a browser cannot bring the key that the page keeps when it asks for these. */
  function openFile(path: string): { readonly type: string; readonly body: string } | undefined {
    switch (path) {
      case "/":
        return { type: "text/html; charset=utf-8", body: page.html };
      case "/page.js":
        return { type: "text/javascript; charset=utf-8", body: page.js };
      case "/page.css":
        return { type: "text/css; charset=utf-8", body: page.css };
      case "/icon.svg":
        return { type: "image/svg+xml", body: page.icon };
      case "/readme":
        return { type: "text/plain; charset=utf-8", body: page.readme };
      default:
        return undefined;
    }
  }

  function give(path: string, response: ServerResponse): void {
    if (path === "/events") return stream.join(response, options.snapshot());
    giveFile(Number(/^\/files\/(\d{1,15})$/.exec(path)?.[1] ?? "NaN"), response);
  }

  function giveFile(messageId: number, response: ServerResponse): void {
    const file = options.file(messageId);
    if (file === undefined) throw new Refusal(404, "There is nothing here.");
    const type = pictureType(file.bytes);
    // Anything else could be a page that runs with this one's rights.
    if (type === undefined) {
      const name = encodeURIComponent(file.name).replaceAll("'", "%27");
      response.setHeader("content-disposition", `attachment; filename*=UTF-8''${name}`);
    }
    answer(response, 200, type ?? "application/octet-stream", file.bytes);
  }

  return {
    port,
    // Behind the #, which a browser sends to nobody.
    link: `http://127.0.0.1:${port}/#key=${key}`,
    tell: (frame) => stream.tell(frame),
    close,
  };
}

function answer(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const status = error instanceof Refusal ? error.status : 500;
  const message = error instanceof Error ? error.message : String(error);
  answer(response, status, "application/json", JSON.stringify({ error: { message } }));
}
