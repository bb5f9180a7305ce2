import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { Duplex } from "node:stream";
import type { Log } from "../domain/log.ts";

// Not imported: an import of it loads Node's `fetch` as well, which nothing here uses.
const { createServer } = process.getBuiltinModule("node:http");

/** The HTTP face cannot listen. The message says why and what to do. */
export class ListenError extends Error {
  readonly port: number;

  constructor(address: string, port: number, cause: unknown) {
    const code = codeOf(cause);
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

/** What answers those who come to a port. */
export interface Doors {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void;
  /** Ends what was upgraded. */
  close(): void;
}

export interface PortOptions {
  readonly address: string;
  /** Which to listen on: the first that is free. 0 stands for any. */
  readonly ports: readonly number[];
  /** Called when the first request comes; again with the next one when it failed. */
  readonly open: () => Promise<Doors>;
  readonly log: Log;
}

export interface Port {
  readonly number: number;
  /** Ends every connection; resolves when the port is free. */
  close(): Promise<void>;
}

/** Listens, and has the doors opened once somebody comes: until then it costs next to nothing. Rejects with a ListenError. */
export async function openPort({ address, ports, open, log }: PortOptions): Promise<Port> {
  const server = createServer({
    // Whatever else a client would like to speak (`curl --http2` offers h2c), the answer comes in HTTP/1.1 as ever.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
  });
  let opening: Promise<Doors> | undefined;
  let doors: Doors | undefined;

  /** Leads somebody in, or sends them away when the doors cannot be opened. */
  async function lead(enter: (doors: Doors) => void, sendAway: () => void): Promise<void> {
    try {
      opening ??= open();
      doors = await opening;
      enter(doors);
    } catch (error) {
      if (doors === undefined) opening = undefined;
      log.error({ err: error }, "the HTTP face could not let somebody in");
      sendAway();
    }
  }

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    void lead(
      (opened) => opened.request(request, response),
      () => void response.writeHead(500).end(),
    );
  });
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on("error", () => stream.destroy());
    void lead(
      (opened) => opened.upgrade(request, stream, head),
      () => void stream.destroy(),
    );
  });

  await listenOnFirst(server, address, ports);
  server.on("error", (error) => log.error({ err: error }, "the HTTP face had a fault"));
  return {
    number: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        doors?.close();
        server.closeAllConnections();
      }),
  };
}

async function listenOnFirst(server: Server, address: string, ports: readonly number[]): Promise<void> {
  for (const [index, port] of ports.entries()) {
    try {
      await listenOn(server, address, port);
      return;
    } catch (error) {
      const isTaken = ["EADDRINUSE", "EACCES"].includes(codeOf(error));
      if (!isTaken || index === ports.length - 1) throw new ListenError(address, port, error);
    }
  }
}

function listenOn(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
