import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startBotApi } from "../src/playground/bot-api/start.ts";
import { startPageServer } from "../src/playground/server/page-server.ts";
import { startStandInModel } from "../src/playground/stand-in-model.ts";
import { createFakeClock } from "./fakes/fake-clock.ts";
import { createHttpRig, openHttp } from "./http/rig.ts";

/*
 * Every server that evie opens, against requests that no honest client sends. They arrive in this very process, so an
 * error that a listener throws ends the tests.
 */

interface Listening {
  readonly port: number;
  readonly close: () => unknown;
}

const OPENERS: Readonly<Record<string, () => Promise<Listening>>> = {
  async "the HTTP face"() {
    const rig = createHttpRig();
    const server = await openHttp(rig);
    rig.port.number = server.number;
    return { port: server.number, close: () => server.close() };
  },
  async "the playground's page"() {
    const clock = createFakeClock();
    const page = { html: "", js: "", css: "", icon: "", readme: "" };
    return await startPageServer({
      page,
      port: 0,
      clock,
      snapshot: () => {
        throw new Error("nobody asks for it here");
      },
      act: () => Promise.resolve(),
      file: () => undefined,
    });
  },
  async "the embedded Bot API"() {
    const api = await startBotApi({ clock: createFakeClock() });
    return { port: Number(new URL(api.root).port), close: () => api.close() };
  },
  "the stand-in model": async () => await startStandInModel(),
};

/** Sends the bytes as they are, and returns all that comes back until the server hangs up. */
async function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(request, "latin1");
  return await text(socket).catch((error: unknown) => String(error));
}

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

describe.each(Object.keys(OPENERS))("%s", (name) => {
  let listening: Listening;
  beforeAll(async () => {
    const open = OPENERS[name];
    if (open === undefined) throw new Error(`Nothing opens ${name}.`);
    listening = await open();
  });
  afterAll(() => listening.close());

  const headed = (line: string, ...headers: readonly string[]): string =>
    [line, `Host: 127.0.0.1:${listening.port}`, "Connection: close", ...headers, "", ""].join("\r\n");

  test.each([
    "GET // HTTP/1.1",
    "GET //// HTTP/1.1",
    "GET * HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "GET http:// HTTP/1.1",
    "GET http://[ HTTP/1.1",
    "GET http://127.0.0.1:99999/ HTTP/1.1",
    "GET /% HTTP/1.1",
    "GET /%ff%fe/..;/ HTTP/1.1",
    "GET /s/%E0%A4%A HTTP/1.1",
    "GET //[::1 HTTP/1.1",
    "GET /\\\\evil HTTP/1.1",
    "GET /?key=%&key=%zz HTTP/1.1",
    "GET ? HTTP/1.1",
    "GET a:b@c HTTP/1.1",
    `GET /${"a".repeat(12_000)} HTTP/1.1`,
    "CONNECT 127.0.0.1:1 HTTP/1.1",
    "TRACE / HTTP/1.1",
    "PROPFIND /../../etc/passwd HTTP/1.1",
    "POST //v1/chat/completions HTTP/1.1",
    "GARBAGE",
  ])("answers %j with a refusal or hangs up, and goes on", async (line) => {
    const answer = await exchange(listening.port, headed(line));
    expect(answer === "" || statusOf(answer) < 500).toBe(true);
    expect(statusOf(await exchange(listening.port, headed("GET /nothing HTTP/1.1")))).toBeLessThan(500);
  });

  test.each(["evil.example", "evil.example:80", "", "127.0.0.1:1", "127.0.0.1.evil.example"])(
    "refuses a request for the host %j",
    async (host) => {
      for (const line of ["GET / HTTP/1.1", "GET /v1/models HTTP/1.1", "POST /bot1:a/getMe HTTP/1.1"]) {
        const request = [line, `Host: ${host}`, "Connection: close", "Content-Length: 0", "", ""].join(
          "\r\n",
        );
        expect([400, 403]).toContain(statusOf(await exchange(listening.port, request)));
      }
    },
  );

  test.each([
    "GET /eve",
    "POST /do/say HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 500\r\n\r\n{",
    "POST /bot1:a/sendMessage HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 500\r\n\r\n{",
    "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  ])("goes on, and complains of nothing, when a client leaves that has said %j", async (said) => {
    const complaints = (["log", "info", "warn", "error"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => undefined),
    );
    const gone = (["destroy", "resetAndDestroy"] as const).map(async (leave) => {
      const socket = connect(listening.port, "127.0.0.1").on("error", () => undefined);
      await once(socket, "connect");
      socket.write(said.replace("PORT", String(listening.port)));
      await sleep(10);
      socket[leave]();
    });
    await Promise.all(gone);
    expect(statusOf(await exchange(listening.port, headed("GET /nothing HTTP/1.1")))).toBeLessThan(500);
    for (const complaint of complaints) {
      expect(complaint).not.toHaveBeenCalled();
      complaint.mockRestore();
    }
  });

  test("answers a client that offers HTTP/2 as any other", async () => {
    const plain = await exchange(listening.port, headed("GET /v1/models HTTP/1.1"));
    const offered = [
      "GET /v1/models HTTP/1.1",
      `Host: 127.0.0.1:${listening.port}`,
      "Connection: Upgrade, HTTP2-Settings, close",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAAP__",
      "",
      "",
    ].join("\r\n");
    expect(statusOf(await exchange(listening.port, offered))).toBe(statusOf(plain));
  });

  test.each(["/", "//", "//ws", "*", "/ws/../..//"])(
    "refuses to speak WebSocket at %j, and goes on",
    async (path) => {
      const asked = headed(`GET ${path} HTTP/1.1`, "Upgrade: websocket").replace("close", "Upgrade");
      const answer = await exchange(listening.port, asked);
      expect(answer).not.toContain("101 Switching");
      expect(statusOf(await exchange(listening.port, headed("GET /nothing HTTP/1.1")))).toBeLessThan(500);
    },
  );
});

test("the stand-in model refuses what a page of another site asks", async () => {
  const model = await startStandInModel();
  const asked = await fetch(`${model.baseUrl}/models`, { headers: { origin: "http://evil.example" } });
  expect(asked.status).toBe(403);
  await model.close();
});
