import { once } from "node:events";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import WebSocket from "ws";
import type { Message } from "../../src/domain/events.ts";
import { makeSessionId, type SessionId } from "../../src/domain/ids.ts";
import type { ServerFrame } from "../../src/domain/wire.ts";
import { CLOSING, TOO_SLOW } from "../../src/http/hub.ts";
import { opens, says } from "../domain/events.ts";
import { createHttpRig, openHttp, TOKEN } from "./rig.ts";

const MEBIBYTE = 2 ** 20;

/** The HTTP face on a real port. `await using` closes it. */
async function listening() {
  const rig = createHttpRig();
  const server = await openHttp(rig);
  rig.port.number = server.number;
  return {
    ...rig,
    host: `127.0.0.1:${server.number}`,
    async [Symbol.asyncDispose]() {
      await server.close();
      rig[Symbol.dispose]();
    },
  };
}

type Rig = Awaited<ReturnType<typeof listening>>;

/** A session of which a hundred results of tools are stored, of 100 kB each: 10 MB. */
function storedSession(rig: Rig): SessionId {
  const id = makeSessionId();
  rig.memory.ledgers.sessions.add({ id, cwd: rig.workspace, face: "deck", createdAt: 0 });
  for (let n = 0; n < 100; n += 1) {
    const content = [{ type: "text", text: `${n} ${"x".repeat(100_000)}` }] as const;
    const message: Message = { key: `r${n}`, role: "toolResult", at: n, content, toolCallId: `t${n}` };
    rig.memory.ledgers.messages.save(id, message);
  }
  return id;
}

/** The same, with an agent that speaks. */
async function runningSession(rig: Rig) {
  const id = storedSession(rig);
  const draft = { ready: Promise.resolve({ text: "go", images: [], files: [] }), release: () => undefined };
  rig.sessions.open(id)?.prompt(draft, { face: "deck", mode: "queue", requestId: `q-${id}`, text: "go" });
  const agent = await rig.agent();
  for (const event of [{ type: "turn_start" } as const, opens("a"), says("a", "0 ")]) agent.emit(event);
  return { id, speak: (text: string) => agent.emit(says("a", text)) };
}

/** A browser that has connected and reads nothing until it is told to. */
async function connect(host: string) {
  const socket = new WebSocket(`ws://${host}/ws`, {
    origin: `http://${host}`,
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const frames: ServerFrame[] = [];
  const sizes: number[] = [];
  const state: { closed?: number } = {};
  socket.on("message", (data: Buffer) => {
    sizes.push(data.length);
    frames.push(JSON.parse(data.toString("utf8")) as ServerFrame);
  });
  socket.on("close", (code) => (state.closed = code));
  await once(socket, "open");
  socket.pause();
  return {
    frames,
    sizes,
    state,
    say: (frame: object) => socket.send(JSON.stringify(frame)),
    read: () => socket.resume(),
    end: () => socket.terminate(),
  };
}

function seqsOf(frames: readonly ServerFrame[], sessionId: string): readonly number[] {
  return frames.flatMap((frame) =>
    frame.type === "session_event" && frame.sessionId === sessionId ? [frame.event.seq] : [],
  );
}

/** Numbers that follow on each other. */
function from(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => first + n);
}

test("a browser that reads slowly is attached to 10 MB of results, and misses nothing that is said meanwhile", async () => {
  await using rig = await listening();
  const { id, speak } = await runningSession(rig);
  const browser = await connect(rig.host);
  browser.say({ type: "subscribe", sessionId: id });
  for (let n = 0; n < 500; n += 1) {
    speak(`${n} ${"y".repeat(10_000)}`);
    if (n % 50 === 0) await sleep(5);
  }
  browser.read();
  const subscribed = () => browser.frames.find((frame) => frame.type === "subscribed");
  await expect.poll(() => seqsOf(browser.frames, id).at(-1), { timeout: 15_000 }).toBeGreaterThan(500);
  expect(browser.state.closed).toBeUndefined();
  const seqs = seqsOf(browser.frames, id);
  expect(seqs).toEqual(from(seqs[0] ?? 0, seqs.length));
  const replay = browser.frames.find((frame) => frame.type === "session_events");
  const last = replay?.type === "session_events" ? replay.events.at(-1)?.seq : undefined;
  expect(seqs[0]).toBe((last ?? 0) + 1);
  expect(subscribed()).toMatchObject({ snapshot: { before: expect.any(String) } });
  expect(Math.max(...browser.sizes)).toBeLessThan(MEBIBYTE);
  browser.end();
});

test("eight sessions at once are all attached, in the order in which they were asked for, while an agent speaks", async () => {
  await using rig = await listening();
  const { id: shown, speak } = await runningSession(rig);
  const others = Array.from({ length: 7 }, () => storedSession(rig));
  const browser = await connect(rig.host);
  browser.say({ type: "subscribe", sessionId: shown, shown: true });
  for (const sessionId of others) browser.say({ type: "subscribe", sessionId });
  const speaking = (async () => {
    for (let n = 0; n < 200 && browser.state.closed === undefined; n += 1) {
      speak(`${n} `);
      await sleep(2);
    }
  })();
  browser.read();
  const attached = () =>
    browser.frames.flatMap((frame) => (frame.type === "subscribed" ? [frame.sessionId] : []));
  await expect.poll(attached, { timeout: 15_000 }).toEqual([shown, ...others]);
  await speaking;
  expect(browser.state.closed).toBeUndefined();
  await expect.poll(() => seqsOf(browser.frames, shown).length, { timeout: 15_000 }).toBeGreaterThan(0);
  const seqs = seqsOf(browser.frames, shown);
  expect(seqs).toEqual(from(seqs[0] ?? 0, seqs.length));
  expect(browser.sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(8 * MEBIBYTE);
  browser.end();
});

test("a browser that does not read at all is closed once 8 MiB wait behind its attach", async () => {
  await using rig = await listening();
  const { id, speak } = await runningSession(rig);
  const browser = await connect(rig.host);
  browser.say({ type: "subscribe", sessionId: id });
  await expect.poll(() => rig.log.messages("error")).toEqual([]);
  for (let n = 0; n < 60; n += 1) {
    speak("z".repeat(400_000));
    await sleep(1);
  }
  browser.read();
  await expect.poll(() => browser.state.closed, { timeout: 15_000 }).toBe(TOO_SLOW);
});

test("a program that reads its events slowly is given the attach whole, and all that is said meanwhile", async () => {
  await using rig = await listening();
  const { id, speak } = await runningSession(rig);
  const headers = { authorization: `Bearer ${TOKEN}`, host: rig.host };
  const request = get(`http://${rig.host}/api/sessions/${id}/events`, { headers });
  const [response] = (await once(request, "response")) as [NodeJS.ReadableStream & { destroy(): void }];
  for (let n = 0; n < 500; n += 1) speak(`${n} ${"y".repeat(10_000)}`);
  let text = "";
  response.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  const seqs = () =>
    [...text.matchAll(/"type":"session_event",.*?"seq":(\d+)/g)].map(([, seq]) => Number(seq));
  await expect.poll(() => seqs().length, { timeout: 15_000 }).toBe(500);
  expect(seqs()).toEqual(from(seqs()[0] ?? 0, 500));
  expect(text).toMatch(/^event: subscribed\n/);
  response.destroy();
});

test("a program that reads none of its events loses its connection, and nobody calls that a fault", async () => {
  const written = vi.spyOn(console, "error");
  onTestFinished(() => written.mockRestore());
  await using rig = await listening();
  const { id, speak } = await runningSession(rig);
  const headers = { authorization: `Bearer ${TOKEN}`, host: rig.host };
  const request = get(`http://${rig.host}/api/sessions/${id}/events`, { headers });
  const [response] = (await once(request, "response")) as [NodeJS.ReadableStream];
  const gone = once(response, "error");
  for (let n = 0; n < 40; n += 1) speak("z".repeat(MEBIBYTE));
  await rig.clock.advance(CLOSING);
  response.resume();
  await gone;
  expect(rig.log.messages("error")).toEqual([]);
  expect(written).not.toHaveBeenCalled();
});
