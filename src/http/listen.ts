import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Log } from "../domain/log.ts";
import { LARGEST_BODY } from "./bodies.ts";
import type { Guard } from "./guard.ts";
import type { Hub } from "./hub.ts";

/** The HTTP face cannot listen. The message says why and what to do. */
export class ListenError extends Error {
  readonly port: number;

  constructor(address: string, port: number, cause: unknown) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    const why =
      code === "EADDRINUSE"
        ? "another program listens there"
        : code === "EACCES"
          ? "that is not allowed"
          : code;
    super(
      `evie cannot listen on ${address}:${port}: ${why}. Set EVIE_HTTP_PORT to another port, or to 0 for none.`,
      { cause },
    );
    this.name = "ListenError";
    this.port = port;
  }
}

export interface ListenOptions {
  readonly app: Hono;
  readonly hub: Hub;
  readonly guard: Guard;
  readonly address: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly log: Log;
}

export interface Listening {
  readonly port: number;
  /** Ends every connection; resolves when the port is free. */
  close(): Promise<void>;
}

/** "Going away": what browsers are told when evie ends. */
const GOING_AWAY = 1001;

/** Listens for requests, and for the WebSockets of `/ws`. Rejects with a ListenError. */
export async function listen({ app, hub, guard, address, port, log }: ListenOptions): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_BODY });

  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on("error", () => stream.destroy());
    const refused = refusalOf(request, guard);
    if (refused !== undefined) {
      stream.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => welcome(socket, hub, log));
  });

  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void => reject(new ListenError(address, port, error));
    server.once("error", fail);
    server.listen(port, address, () => {
      server.off("error", fail);
      server.on("error", (error) => log.error({ err: error }, "the HTTP face had a fault"));
      resolve();
    });
  });

  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.close(GOING_AWAY, "evie ends");
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets.clients) socket.terminate();
      }),
  };
}

/** Why an upgrade is refused; undefined when it is welcome. */
function refusalOf({ url, headers }: IncomingMessage, guard: Guard): string | undefined {
  if (!guard.isOwnHost(headers.host) || !guard.isOwnOrigin(headers.origin)) return "403 Forbidden";
  if (new URL(url ?? "/", "http://localhost").pathname !== "/ws") return "404 Not Found";
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
