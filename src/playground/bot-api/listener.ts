import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers one request. `gone` is aborted when the client's connection ends before the answer is out. */
export type Handle = (request: IncomingMessage, response: ServerResponse, gone: AbortSignal) => Promise<void>;

/** Idle connections are kept longer than a client keeps them, so that it never writes into one being closed. */
const KEEP_ALIVE_MS = 75_000;

export interface Listener {
  readonly port: number;
  /** Listens, on the same port each time. Rejects when it is taken. */
  open(): Promise<void>;
  /** Stops listening, drops every connection and waits until each request in work has noticed. */
  shut(): Promise<void>;
}

export function createListener(host: string, wantedPort: number, handle: Handle): Listener {
  let port = wantedPort;
  let server: Server | undefined;
  const inWork = new Set<Promise<void>>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    // The response's `close` is the one that also tells of a client that left while it waits for an answer.
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    try {
      await handle(request, response, gone.signal);
    } catch (error) {
      if (gone.signal.aborted || response.headersSent) {
        response.destroy();
        return;
      }
      const description = `Internal Server Error: ${error instanceof Error ? error.message : String(error)}`;
      response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ ok: false, error_code: 500, description }));
    }
  };

  return {
    get port() {
      return port;
    },
    async open() {
      const opened = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
        const work = answer(request, response).finally(() => inWork.delete(work));
        inWork.add(work);
      });
      await new Promise<void>((resolve, reject) => {
        opened.once("error", reject);
        opened.listen(port, host, resolve);
      });
      port = (opened.address() as AddressInfo).port;
      server = opened;
    },
    async shut() {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
      closing.closeAllConnections();
      await Promise.all([closed, ...inWork]);
    },
  };
}
