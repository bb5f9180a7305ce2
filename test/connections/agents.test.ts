import { once } from "node:events";
import { readFileSync } from "node:fs";
import http, { type ClientRequest } from "node:http";
import https from "node:https";
import {
  type AddressInfo,
  connect,
  createServer,
  type LookupFunction,
  type Server,
  type Socket,
} from "node:net";
import process from "node:process";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createHttpAgent, createHttpsAgent, createProxyAgent } from "../../src/connections/agents.ts";

const ONE = "127.0.0.1";
/** Another address of this machine, at which nobody listens; macOS has no other that is IPv4. */
const OTHER = process.platform === "linux" ? "127.0.0.2" : "::1";

/** A certificate of telegram.test, which signed itself. */
const CERTIFICATE = readFileSync(new URL("../fixtures/tls/certificate.pem", import.meta.url));
const KEY = readFileSync(new URL("../fixtures/tls/key.pem", import.meta.url));

const lookup: LookupFunction = (_host, _options, callback) =>
  callback(null, [
    { address: OTHER, family: OTHER.includes(":") ? 6 : 4 },
    { address: ONE, family: 4 },
  ]);

async function listening(server: Server): Promise<number> {
  server.listen(0, ONE);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** What was answered, and which addresses were tried for it. */
async function ask(
  asked: ClientRequest,
): Promise<{ readonly said: string; readonly tried: readonly string[] }> {
  asked.end();
  const [socket] = (await once(asked, "socket")) as [Socket];
  const [answer] = (await once(asked, "response")) as [http.IncomingMessage];
  return { said: await text(answer), tried: socket.autoSelectFamilyAttemptedAddresses };
}

test.each(["http", "https"])(
  "the address that was reached is tried first from then on, over %s",
  async (scheme) => {
    const answer: http.RequestListener = (_, response) => response.end("here");
    const isPlain = scheme === "http";
    const server = isPlain
      ? http.createServer(answer)
      : https.createServer({ cert: CERTIFICATE, key: KEY }, answer);
    const port = await listening(server);
    // Not kept, so that each request needs a connection of its own.
    const options = { headers: { connection: "close" }, ca: CERTIFICATE, host: "telegram.test", port };
    const agent = isPlain ? createHttpAgent(lookup) : createHttpsAgent(lookup);
    const again = (): ClientRequest => (isPlain ? http : https).request({ ...options, agent });
    expect(await ask(again())).toEqual({ said: "here", tried: [`${OTHER}:${port}`, `${ONE}:${port}`] });
    expect(await ask(again())).toEqual({ said: "here", tried: [`${ONE}:${port}`] });
  },
);

/** A proxy for SOCKS 5 with a user and a password, and for HTTP; `wishes` are the addresses that it was asked for. */
async function startProxy(target: () => number) {
  const wishes: string[] = [];
  const through = (socket: Socket, rest: Buffer, hello: string | Buffer): void => {
    const onward = connect(target(), ONE, () => {
      socket.write(hello);
      onward.write(rest);
      socket.pipe(onward).pipe(socket);
    });
    for (const each of [socket, onward]) each.on("error", () => each.destroy());
  };
  const web = http.createServer().on("connect", (request, socket, head) => {
    wishes.push(`${request.url} for ${request.headers["proxy-authorization"]}`);
    through(socket as Socket, head, "HTTP/1.1 200 OK\r\n\r\n");
  });
  const socks = createServer((socket) => {
    const steps = [
      () => socket.write(Buffer.of(5, 2)),
      (sign: Buffer) => {
        wishes.push(
          sign
            .toString("latin1")
            .replaceAll(/[^a-z\d]+/g, " ")
            .trim(),
        );
        socket.write(Buffer.of(1, 0));
      },
      (ask: Buffer) => {
        wishes.push(`${ask.subarray(5, -2).toString()}:${ask.readUInt16BE(ask.length - 2)}`);
        socket.removeAllListeners("data");
        through(socket, Buffer.of(), Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
      },
    ];
    socket.on("data", (chunk: Buffer) => steps.shift()?.(chunk)).on("error", () => socket.destroy());
  });
  return { wishes, ports: { "http:": await listening(web), "socks5h:": await listening(socks) } };
}

test.each([
  ["http:", ["telegram.test:443 for Basic YWRhOnMzY3JldA=="]],
  ["socks5h:", ["ada s3cret", "telegram.test:443"]],
] as const)(
  "requests over https share a connection through a proxy of the kind %s",
  async (kind, expected) => {
    const server = https.createServer({ cert: CERTIFICATE, key: KEY }, (_, response) => response.end("here"));
    const target = await listening(server);
    const { wishes, ports } = await startProxy(() => target);
    const agent = await createProxyAgent(new URL(`${kind}//ada:s3cret@${ONE}:${ports[kind]}`));
    onTestFinished(() => agent.destroy());
    for (const _ of ["first", "second"]) {
      const { said } = await ask(https.request("https://telegram.test/", { agent, ca: CERTIFICATE }));
      expect(said).toBe("here");
    }
    expect(wishes).toEqual(expected);
  },
);
