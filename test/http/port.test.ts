import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import WebSocket from "ws";
import type { ServerFrame } from "../../src/domain/wire.ts";
import { ListenError } from "../../src/http/port.ts";
import { createDoors } from "../../src/http/doors.ts";
import { opens, says } from "../domain/events.ts";
import { createHttpRig, openHttp, TOKEN } from "./rig.ts";

/** The HTTP face on a real port. `await using` closes it. */
async function listening() {
  const rig = createHttpRig();
  const server = await openHttp(rig);
  rig.port.number = server.number;
  return {
    ...rig,
    server,
    host: `127.0.0.1:${server.number}`,
    async [Symbol.asyncDispose]() {
      await server.close();
      rig[Symbol.dispose]();
    },
  };
}

type Listening = Awaited<ReturnType<typeof listening>>;

interface Upgrade {
  readonly path?: string;
  readonly origin?: string;
  readonly host?: string;
  readonly token?: string;
  /** A deck's key, in place of the token. */
  readonly key?: string;
}

/** A browser's socket; `outcome` is 101, or the status that it was refused with. */
async function connect(host: string, upgrade: Upgrade = {}) {
  const { path = "/ws", origin = `http://${host}`, token = TOKEN } = upgrade;
  const protocols = upgrade.key === undefined ? [] : ["evie", upgrade.key];
  const socket = new WebSocket(`ws://${host}${path}`, protocols, {
    headers: {
      host: upgrade.host ?? host,
      ...(upgrade.key === undefined ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(origin === "" ? {} : { origin }),
  });
  const frames: ServerFrame[] = [];
  socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString("utf8")) as ServerFrame));
  const outcome = await new Promise<number>((resolve) => {
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_, response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    socket.on("error", () => undefined);
  });
  return { socket, frames, outcome, say: (frame: object) => socket.send(JSON.stringify(frame)) };
}

describe("the port", () => {
  test("answers requests behind the guard", async () => {
    await using rig = await listening();
    const known = await fetch(`http://${rig.host}/api/sessions`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect([known.status, await known.json()]).toEqual([200, { sessions: [] }]);
    const unknown = await fetch(`http://${rig.host}/api/sessions`);
    expect(unknown.status).toBe(401);
  });

  test("refuses a name that was made to lead here, whatever page asks", async () => {
    await using rig = await listening();
    const evil = `evil.example:${rig.server.number}`;
    const asked = request({
      host: "127.0.0.1",
      port: rig.server.number,
      path: "/",
      headers: { host: evil },
    }).end();
    const [response] = (await once(asked, "response")) as [{ statusCode: number; resume: () => void }];
    response.resume();
    expect(response.statusCode).toBe(403);
    const socket = await connect(rig.host, { host: evil, origin: `http://${evil}` });
    expect(socket.outcome).toBe(403);
  });

  test.each([
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "" }, 403],
    [{ origin: "null" }, 403],
    [{ token: "wrong" }, 401],
    [{ path: "/other" }, 404],
    [{}, 101],
  ])("answers an upgrade with %j by %d", async (upgrade, status) => {
    await using rig = await listening();
    const { outcome, socket } = await connect(rig.host, upgrade);
    expect(outcome).toBe(status);
    socket.terminate();
  });

  test("lets a deck in with a key beside its protocol, which alone it answers with", async () => {
    await using rig = await listening();
    const { outcome, socket, frames } = await connect(rig.host, { key: rig.keys.keyOf(7) });
    expect([outcome, socket.protocol]).toEqual([101, "evie"]);
    await expect.poll(() => frames[0]?.type).toBe("hello");
    socket.terminate();
  });

  test.each([
    ["that is none", () => "evie-deck-none"],
    ["of somebody who is not allowed", (rig: Listening) => rig.keys.keyOf(666)],
  ])("tells a deck with a key %s so, in a way that its page hears, and nothing else", async (_, keyOf) => {
    await using rig = await listening();
    const { socket, frames } = await connect(rig.host, { key: keyOf(rig) });
    expect((await once(socket, "close"))[0]).toBe(4401);
    expect(frames).toEqual([]);
  });

  test("tells a deck nothing of that which comes from another page", async () => {
    await using rig = await listening();
    const upgrade = { key: rig.keys.keyOf(7), origin: "http://127.0.0.1:1" };
    expect((await connect(rig.host, upgrade)).outcome).toBe(403);
  });

  test("ends the decks of a person who is taken off the list, before they are told anything more", async () => {
    await using rig = await listening();
    const decks = await Promise.all([7, 8].map((id) => connect(rig.host, { key: rig.keys.keyOf(id) })));
    const [anna, bert] = decks;
    for (const { frames } of decks) await expect.poll(() => frames.length).toBe(2);
    rig.allowed.delete(7);
    const closed = anna === undefined ? undefined : once(anna.socket, "close");
    rig.sessions.create({ face: "deck" });
    expect((await closed)?.[0]).toBe(4401);
    await expect.poll(() => bert?.frames.length).toBe(3);
    expect(anna?.frames).toHaveLength(2);
    bert?.socket.terminate();
  });

  test("does nothing that a person asks for who was taken off the list", async () => {
    await using rig = await listening();
    const session = rig.sessions.create({ face: "deck" });
    const { socket, frames, say } = await connect(rig.host, { key: rig.keys.keyOf(7) });
    await expect.poll(() => frames.length).toBe(2);
    rig.allowed.delete(7);
    say({ type: "prompt", sessionId: session.id, text: "rm -rf", requestId: "r1" });
    expect((await once(socket, "close"))[0]).toBe(4401);
    await rig.clock.settle();
    expect(rig.started).toHaveLength(0);
  });

  test("carries frames both ways", async () => {
    await using rig = await listening();
    const { frames, say } = await connect(rig.host);
    const session = rig.sessions.create({ face: "deck" });
    say({ type: "subscribe", sessionId: session.id });
    await expect
      .poll(() => frames.map(({ type }) => type))
      .toEqual(["hello", "sessions", "sessions", "subscribed"]);
    say({ type: "prompt", sessionId: session.id, text: "hi", requestId: "r1" });
    await expect.poll(() => frames.some(({ type }) => type === "accepted")).toBe(true);
    const agent = await rig.agent();
    for (const event of [{ type: "turn_start" } as const, opens("a"), says("a", "\u2028 😀")])
      agent.emit(event);
    await expect
      .poll(() => frames.at(-1))
      .toMatchObject({ type: "session_event", event: { delta: { text: "\u2028 😀" } } });
  });

  test("closes whoever sends more than a frame may hold, and whoever sends no text", async () => {
    await using rig = await listening();
    const [large, binary] = [await connect(rig.host), await connect(rig.host)];
    const closed = Promise.all([large, binary].map(({ socket }) => once(socket, "close")));
    large.socket.send("x".repeat(21 * 2 ** 20));
    binary.socket.send(Buffer.from([1, 2, 3]));
    expect((await closed).map(([code]) => code as number)).toEqual([1009, 1003]);
  });

  test("hands the place of one who left over to nobody: a session goes on without those who watched", async () => {
    await using rig = await listening();
    const session = rig.sessions.create({ face: "deck" });
    const { socket, say, frames } = await connect(rig.host);
    say({ type: "subscribe", sessionId: session.id });
    await expect.poll(() => frames.length).toBe(3);
    socket.terminate();
    await expect.poll(() => rig.clock.sleepers).toBe(0);
    expect(() => session.rename("unwatched")).not.toThrow();
  });

  test("is free again once it is closed, and those who were connected are told", async () => {
    const rig = await listening();
    const { socket } = await connect(rig.host);
    const closed = once(socket, "close");
    await rig.server.close();
    await closed;
    const again = await openHttp(rig, [rig.server.number]);
    expect(again.number).toBe(rig.server.number);
    await again.close();
    rig[Symbol.dispose]();
  });

  test("that another program has is named, with what to do", async () => {
    await using rig = await listening();
    const second = openHttp(rig, [rig.server.number]);
    await expect(second).rejects.toThrow(ListenError);
    await expect(second).rejects.toThrow(/EVIE_HTTP_PORT to another port/);
  });

  test("is the first one that is free where there is a choice", async () => {
    await using rig = await listening();
    const other = await openHttp(rig, [rig.server.number, 0]);
    expect(other.number).not.toBe(rig.server.number);
    await other.close();
  });

  test("opens its doors when the first comes, and again when that failed", async () => {
    const rig = createHttpRig();
    let tries = 0;
    const port = await openHttp(rig, [0], () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error("no")) : Promise.resolve(createDoors(rig));
    });
    rig.port.number = port.number;
    expect(tries).toBe(0);
    const ask = async () => (await fetch(`http://127.0.0.1:${port.number}/health`)).status;
    expect([await ask(), await ask(), await ask(), tries]).toEqual([500, 200, 200, 2]);
    await port.close();
    rig[Symbol.dispose]();
  });
});

test("a browser that stops reading is closed with 1013 and can come back", async () => {
  await using rig = await listening();
  const session = rig.sessions.create({ face: "deck" });
  const { socket, say, frames } = await connect(rig.host);
  say({ type: "subscribe", sessionId: session.id });
  await expect.poll(() => frames.length).toBeGreaterThan(2);
  const closed = once(socket, "close");
  socket.pause();
  for (let n = 0; n < 60; n += 1) session.rename(`${n}${"x".repeat(1_000_000)}`);
  socket.resume();
  const [code] = (await closed) as [number];
  expect(code).toBe(1013);
  const back = await connect(rig.host);
  expect(back.outcome).toBe(101);
});
