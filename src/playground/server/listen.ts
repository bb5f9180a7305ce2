import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Where the playground is found unless something else is there. */
export const DEFAULT_PORT = 3844;
/** How many ports are tried before any free one is taken. */
const TRIED = 10;

/** Somebody else listens on the port that was asked for. */
export class PortTakenError extends Error {
  readonly port: number;
  constructor(port: number, cause: unknown) {
    super(`Port ${port} is taken. Name another one with --port, or leave it out.`, { cause });
    this.name = "PortTakenError";
    this.port = port;
  }
}

/** Listens on loopback: on `port`, or on the first free one from DEFAULT_PORT on. Rejects with a PortTakenError. */
export async function listen(
  port: number | undefined,
  handle: RequestListener,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const wanted =
    port === undefined ? [...Array.from({ length: TRIED }, (_, step) => DEFAULT_PORT + step), 0] : [port];
  const server = createServer(handle);
  for (const [index, candidate] of wanted.entries()) {
    const taken = await tryPort(server, candidate);
    if (taken === undefined) break;
    if (index === wanted.length - 1) throw new PortTakenError(candidate, taken);
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Undefined when the server listens; the error when the port is another's. Rejects when it is something else. */
function tryPort(server: Server, port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(error);
      else reject(error);
    };
    server.once("error", failed);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", failed);
      resolve(undefined);
    });
  });
}
