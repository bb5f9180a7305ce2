import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Listens, and closes with the test; the port. */
async function opened(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A Telegram that is only a door, a proxy that lets nobody through, and an evie that wants to that Telegram. */
async function setUp(env: (proxy: string) => Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), "evie-proxy-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const first = Promise.withResolvers<string>();
  const telegram = createTcpServer((socket) => {
    first.resolve("straight");
    socket.destroy();
  });
  const target = await opened(telegram);
  const proxy = createServer().on("connect", ({ url, headers }, socket) => {
    first.resolve(
      `CONNECT ${url === `127.0.0.1:${target}` ? "telegram" : url} ${headers["proxy-authorization"] ?? ""}`.trim(),
    );
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const port = await opened(proxy);
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      EVIE_HOME: join(folder, "home"),
      EVIE_HTTP_PORT: "0",
      TELEGRAM_BOT_TOKEN: "12345678:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      TELEGRAM_API_ROOT: `https://127.0.0.1:${target}`,
      EVIE_ALLOWED_USERS: "1",
      EVIE_WORKSPACE: folder,
      ...env(`127.0.0.1:${port}`),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => void written.push(chunk));
  const exited = once(child, "exit");
  const way = await Promise.race([
    first.promise,
    exited.then(() => Promise.reject(new Error(Buffer.concat(written).toString("utf8")))),
  ]);
  child.kill("SIGTERM");
  await exited;
  return { way, output: Buffer.concat(written).toString("utf8") };
}

test("Telegram is reached through the proxy that the environment names, whose password is nowhere in the log", async () => {
  const { way, output } = await setUp((proxy) => ({ HTTPS_PROXY: `http://ada:s3cret-word@${proxy}` }));
  expect(way).toBe(`CONNECT telegram Basic ${Buffer.from("ada:s3cret-word").toString("base64")}`);
  expect(output).not.toContain("s3cret-word");
});

test.each<[string, (proxy: string) => Readonly<Record<string, string>>]>([
  ["its host needs none", (proxy) => ({ HTTPS_PROXY: `http://${proxy}`, NO_PROXY: "example.org,127.0.0.1" })],
  ["there is none", () => ({})],
  ["there is one for plain http only", (proxy) => ({ HTTP_PROXY: `http://${proxy}` })],
  ["it is empty", () => ({ HTTPS_PROXY: "" })],
])("Telegram is reached straight when %s", async (_, env) => {
  expect((await setUp(env)).way).toBe("straight");
});

test("a proxy that is no address is told, and evie lives", async () => {
  const { output } = await setUp(() => ({ HTTPS_PROXY: "::s3cret-word::" }));
  expect(output).toContain("HTTPS_PROXY cannot be used");
  expect(output).not.toContain("s3cret-word");
});
