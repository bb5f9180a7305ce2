import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

/** A server that answers 200 to whatever it is asked, from when one byte has come on its stdin: until then it stands still. */
const SERVER = `
  const [host, port] = process.argv.slice(1);
  const server = require("node:http").createServer((_, response) => response.end("here"));
  server.listen({ host, port: Number(port), backlog: 1 }, () => {
    const fs = require("node:fs");
    fs.writeSync(1, String(server.address().port));
    fs.readSync(0, Buffer.alloc(1));
  });
`;

/** Milliseconds after which a connection on loopback is not coming. */
const LONG = 200;

export interface UnansweringPort extends AsyncDisposable {
  readonly port: number;
  /** From now on it answers. A connection that was tried before comes about when the system tries it again: within 1 s. */
  answer(): void;
}

/**
 * Opens a port at which the system drops every handshake, as a dead address does, because the queue of its server is full.
 * `port`: 0 for any.
 */
export async function openUnansweringPort(host: string, port: number): Promise<UnansweringPort> {
  const server = spawn(process.execPath, ["-e", SERVER, host, String(port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [written] = (await once(server.stdout, "data")) as [Buffer];
  const opened = Number(written);
  const filling: Socket[] = [];
  for (;;) {
    const socket = connect(opened, host).on("error", () => undefined);
    filling.push(socket);
    const came = await Promise.race([once(socket, "connect").then(() => true), sleep(LONG, false)]);
    if (!came) break;
  }
  return {
    port: opened,
    answer: () => void server.stdin.write("!"),
    async [Symbol.asyncDispose]() {
      for (const socket of filling) socket.destroy();
      server.kill("SIGKILL");
      await once(server, "exit");
    },
  };
}
