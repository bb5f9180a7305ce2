import type { IncomingMessage } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Log } from "../domain/log.ts";
import { targetOf } from "../domain/loopback.ts";
import { LARGEST_BODY } from "./bodies.ts";
import type { Guard } from "./guard.ts";
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

/** Leads requests to the app, and the WebSockets of `/ws` to the hub. */
export function createDoors({ app, hub, guard, log }: DoorsOptions): Doors {
  const answer = getRequestListener(app.fetch);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_BODY });
  return {
    request(request, response) {
      answer(request, response).catch((error: unknown) => {
        log.error({ err: error }, "a request could not be answered");
        response.destroy();
      });
    },
    upgrade(request, stream, head) {
      const refused = refusalOf(request, guard);
      if (refused !== undefined) {
        stream.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, stream, head, (socket) => welcome(socket, hub, log));
    },
    close() {
      for (const socket of sockets.clients) socket.close(GOING_AWAY, "evie ends");
      for (const socket of sockets.clients) socket.terminate();
    },
  };
}

/** Why an upgrade is refused; undefined when it is welcome. */
function refusalOf({ url, headers }: IncomingMessage, guard: Guard): string | undefined {
  if (!guard.isOwnHost(headers.host) || !guard.isOwnOrigin(headers.origin)) return "403 Forbidden";
  if (targetOf(url)?.pathname !== "/ws") return "404 Not Found";
  return guard.isKnown(headers) ? undefined : "401 Unauthorized";
}

function welcome(socket: WebSocket, hub: Hub, log: Log): void {
  const connection = hub.connect(socket);
  socket.on("message", (data: RawData, isBinary) => {
    if (isBinary) return socket.close(1003, "Send text.");
    connection.receive(textOf(data));
  });
  socket.on("close", connection.closed);
  socket.on("error", (error) => log.debug({ err: error }, "a browser's connection had a fault"));
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.from(data as Buffer).toString("utf8");
}
