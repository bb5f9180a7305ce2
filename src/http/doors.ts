import type { IncomingMessage } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Log } from "../domain/log.ts";
import { targetOf } from "../domain/loopback.ts";
import { LARGEST_BODY } from "./bodies.ts";
import { DECK_PROTOCOL, type Guard, isDeckProtocol, type Visitor } from "./guard.ts";
import type { Hub } from "./hub.ts";
import type { Doors } from "./port.ts";

export interface DoorsOptions {
  readonly app: Hono;
  readonly hub: Hub;
  readonly guard: Guard;
  readonly log: Log;
}

/** "Going away": what browsers are told when evie ends. */
const GOING_AWAY = 1001;
/** What a deck is told whose key is none, or has ended: a browser tells a page of no other refusal. */
const LOCKED_OUT = 4401;

/** Leads requests to the app, and the WebSockets of `/ws` to the hub. */
export function createDoors({ app, hub, guard, log }: DoorsOptions): Doors {
  const answer = getRequestListener(app.fetch);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_BODY,
    // Never the key that may stand behind it.
    handleProtocols: (protocols) => (protocols.has(DECK_PROTOCOL) ? DECK_PROTOCOL : false),
  });
  return {
    request(request, response) {
      answer(request, response).catch((error: unknown) => {
        log.error({ err: error }, "a request could not be answered");
        response.destroy();
      });
    },
    upgrade(request, stream, head) {
      const visitor = guard.visitorOf(request.headers);
      const refused = refusalOf(request, guard, visitor);
      if (refused !== undefined) {
        stream.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, stream, head, (socket) => {
        socket.on("error", (error) => log.debug({ err: error }, "a browser's connection had a fault"));
        if (visitor === undefined) lockOut(socket);
        else welcome(socket, visitor, hub);
      });
    },
    close() {
      for (const socket of sockets.clients) socket.close(GOING_AWAY, "evie ends");
      for (const socket of sockets.clients) socket.terminate();
    },
  };
}

/** Why an upgrade is refused; undefined when it is welcome, or is a deck's, which is told so in a way that it can hear. */
function refusalOf(
  { url, headers }: IncomingMessage,
  guard: Guard,
  visitor: Visitor | undefined,
): string | undefined {
  if (!guard.isOwnHost(headers.host) || !guard.isOwnOrigin(headers.origin)) return "403 Forbidden";
  if (targetOf(url)?.pathname !== "/ws") return "404 Not Found";
  const isHeard = visitor !== undefined || isDeckProtocol(headers["sec-websocket-protocol"]);
  return isHeard ? undefined : "401 Unauthorized";
}

function lockOut(socket: WebSocket): void {
  socket.close(LOCKED_OUT, "This key does not open evie.");
}

/** Joins a socket to the hub for as long as its visitor is welcome: what comes or goes after that moment ends it. */
function welcome(socket: WebSocket, visitor: Visitor, hub: Hub): void {
  const connection = hub.connect({
    send(text, sent) {
      if (visitor.isWelcome()) return socket.send(text, () => sent());
      lockOut(socket);
      sent();
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
  });
  socket.on("message", (data: RawData, isBinary) => {
    if (!visitor.isWelcome()) return lockOut(socket);
    if (isBinary) return socket.close(1003, "Send text.");
    connection.receive(textOf(data));
  });
  socket.on("close", connection.closed);
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.from(data as Buffer).toString("utf8");
}
