import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { opens, says } from "../domain/events.ts";
import { createHttpRig, openHttp, TOKEN } from "./rig.ts";

/*
 * Clients that leave in the middle of things, as phones do in a tunnel: a fault of nobody's, of which the log has nothing
 * to say that a person would have to read.
 */

const WORDS = "x".repeat(2_000_000);

/** The HTTP face on a real port, with a session whose agent speaks. */
async function listening() {
  const rig = createHttpRig();
  const server = await openHttp(rig);
  rig.port.number = server.number;
  const { id } = rig.sessions.create({ face: "http" });
  for (let n = 0; n < 5; n += 1) {
    const content = [{ type: "text", text: WORDS }] as const;
    rig.memory.ledgers.messages.save(id, { key: `m${n}`, role: "toolResult", at: n, content });
  }
  return {
    ...rig,
    server,
    id,
    async [Symbol.asyncDispose]() {
      await server.close();
      rig[Symbol.dispose]();
    },
  };
}

type Rig = Awaited<ReturnType<typeof listening>>;

/** Connects and says this, in bytes. */
async function say(rig: Rig, text: string): Promise<Socket> {
  const socket = connect(rig.server.number, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

function head(rig: Rig, line: string, ...headers: readonly string[]): string {
  const own = [`Host: 127.0.0.1:${rig.server.number}`, `Authorization: Bearer ${TOKEN}`];
  return [`${line} HTTP/1.1`, ...own, ...headers, "", ""].join("\r\n");
}

const JSON_BODY = "Content-Type: application/json";
const UPGRADE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/** What somebody has said when they leave. */
const SAID: Readonly<Record<string, (rig: Rig) => string>> = {
  "nothing yet": () => "",
  "half of a header": () => "GET /api/sess",
  "half of a body": (rig) =>
    `${head(rig, `POST /api/sessions/${rig.id}/prompt`, JSON_BODY, "Content-Length: 500")}{"text":`,
  "one piece of a body that comes in pieces": (rig) =>
    `${head(rig, `POST /api/sessions/${rig.id}/prompt`, JSON_BODY, "Transfer-Encoding: chunked")}5\r\n{"tex\r\n`,
  "half of a new name": (rig) =>
    `${head(rig, `PATCH /api/sessions/${rig.id}`, JSON_BODY, "Content-Length: 500")}{"name":`,
  "half of a new session": (rig) =>
    `${head(rig, "POST /api/sessions", JSON_BODY, "Content-Length: 500")}{"name":`,
  "half of an answer": (rig) =>
    `${head(rig, `POST /api/sessions/${rig.id}/answer`, JSON_BODY, "Content-Length: 500")}{"quest`,
  "half of a body that nobody reads": (rig) =>
    `${head(rig, "POST /nothing", JSON_BODY, "Content-Length: 500000")}{"quest`,
  "a prompt whose answer takes its time": (rig) =>
    `${head(rig, `POST /api/sessions/${rig.id}/prompt`, JSON_BODY, "Content-Length: 13")}{"text":"hi"}`,
  "a prompt whose events are wanted": (rig) =>
    `${head(rig, `POST /api/sessions/${rig.id}/prompt`, JSON_BODY, "Accept: text/event-stream", "Content-Length: 13")}{"text":"hi"}`,
  "that events are wanted": (rig) => head(rig, `GET /api/sessions/${rig.id}/events`),
  "that a long message is wanted": (rig) => head(rig, `GET /api/sessions/${rig.id}/messages/m1`),
  "that a page of the deck is wanted": (rig) => head(rig, "GET /deck.js"),
  "half of a handshake": (rig) => head(rig, "GET /ws", ...UPGRADE).slice(0, -2),
  "a handshake": (rig) => head(rig, "GET /ws", ...UPGRADE, `Origin: http://127.0.0.1:${rig.server.number}`),
  "a handshake and half of a frame": (rig) =>
    `${head(rig, "GET /ws", ...UPGRADE, `Origin: http://127.0.0.1:${rig.server.number}`)}\x81\xfe`,
  "a handshake that is refused": (rig) => head(rig, "GET /other", ...UPGRADE, "Origin: http://evil.example"),
};

const LEAVING: Readonly<Record<string, (socket: Socket) => void>> = {
  "hangs up": (socket) => socket.destroy(),
  "resets the connection": (socket) => socket.resetAndDestroy(),
  "closes its half": (socket) => {
    socket.end();
    void sleep(30).then(() => socket.destroy());
  },
};

/** Milliseconds after which somebody leaves: before anything came of it, and in the midst of it. */
const MOMENTS = [0, 25];

beforeEach(() => {
  for (const name of SAYING) vi.spyOn(console, name).mockImplementation(() => undefined);
});
afterEach(() => void vi.restoreAllMocks());

/** What a library may complain with, past the log. */
const SAYING = ["log", "info", "warn", "error"] as const;

test.each(Object.keys(SAID))(
  "a client that leaves when it has said %s is no fault in the log",
  async (what) => {
    await using rig = await listening();
    const speak = (text: string): void => rig.started.at(-1)?.emit(says("a", text));
    for (const moment of MOMENTS) {
      const leaving = Object.values(LEAVING).map(async (leave) => {
        const socket = await say(rig, SAID[what]?.(rig) ?? "");
        if (moment > 0) await sleep(moment);
        leave(socket);
      });
      rig.started.at(-1)?.getReady();
      for (const event of [{ type: "turn_start" } as const, opens("a")]) rig.started.at(-1)?.emit(event);
      speak("0 ");
      await Promise.all(leaving);
      for (const text of ["1 ", "2 "]) {
        speak(text);
        await sleep(20);
      }
    }
    const health = await fetch(`http://127.0.0.1:${rig.server.number}/health`);
    expect(health.status).toBe(200);
    expect(rig.log.lines.filter(({ level }) => level !== "debug")).toEqual([]);
    for (const name of SAYING) expect(console[name]).not.toHaveBeenCalled();
  },
);
