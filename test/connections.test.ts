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

/**
 * A Telegram that is only a door, a proxy that lets nobody through, the same for SOCKS 5, which also refuses every
 * password, and an evie that wants to that Telegram.
 */
async function setUp(env: (proxy: string, socks: string) => Readonly<Record<string, string>>) {
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
  const socks = createTcpServer((socket) => {
    const steps = [
      () => socket.write(Buffer.of(5, 2)),
      (sign: Buffer) => {
        first.resolve(
          `SOCKS for ${sign
            .toString("latin1")
            .replaceAll(/[^a-z\d-]+/g, " ")
            .trim()}`,
        );
        socket.write(Buffer.of(1, 1));
      },
    ];
    socket.on("data", (chunk: Buffer) => steps.shift()?.(chunk)).on("error", () => socket.destroy());
  });
  const socksPort = await opened(socks);
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
      ...env(`127.0.0.1:${port}`, `127.0.0.1:${socksPort}`),
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

test.each(["HTTPS_PROXY", "ALL_PROXY", "all_proxy"])(
  "Telegram is reached through the proxy that %s names, whose password is nowhere in the log",
  async (name) => {
    const { way, output } = await setUp((proxy) => ({ [name]: `http://ada:s3cret-word@${proxy}` }));
    expect(way).toBe(`CONNECT telegram Basic ${Buffer.from("ada:s3cret-word").toString("base64")}`);
    expect(output).toContain(`Telegram is reached through ${name} (http://127.0.0.1:`);
    expect(output).not.toContain("s3cret-word");
  },
);

test("Telegram is reached through a SOCKS proxy, whose password is nowhere in the log when it is refused", async () => {
  const { way, output } = await setUp((_, socks) => ({ ALL_PROXY: `socks5h://ada:s3cret-word@${socks}` }));
  expect(way).toBe("SOCKS for ada s3cret-word");
  expect(output).toContain("Telegram is reached through ALL_PROXY (socks5h://127.0.0.1:");
  expect(output).not.toContain("s3cret-word");
});

test.each<[string, RegExp, (proxy: string) => Readonly<Record<string, string>>]>([
  [
    "its host needs none",
    /HTTPS_PROXY is not used: NO_PROXY names 127\.0\.0\.1/,
    (proxy) => ({ HTTPS_PROXY: `http://${proxy}`, NO_PROXY: "example.org,127.0.0.1" }),
  ],
  ["there is none", /^((?!_PROXY).)*$/s, () => ({})],
  [
    "there is one for plain http only",
    /HTTP_PROXY is not used: Telegram is asked over https/,
    (proxy) => ({ HTTP_PROXY: `http://${proxy}` }),
  ],
  ["it is empty", /^((?!_PROXY).)*$/s, () => ({ HTTPS_PROXY: "" })],
  [
    "it is one that nobody can follow",
    /HTTPS_PROXY cannot be used, and Telegram is asked without it/,
    () => ({ HTTPS_PROXY: "::s3cret-word::" }),
  ],
])("Telegram is reached straight, and the log says why, when %s", async (_, said, env) => {
  const { way, output } = await setUp(env);
  expect(way).toBe("straight");
  expect(output).toMatch(said);
  expect(output).not.toContain("s3cret-word");
});
