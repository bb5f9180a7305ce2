import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import WebSocket from "ws";
import type { AgentEvent, TurnEvent } from "../../src/domain/events.ts";
import { makeSessionId } from "../../src/domain/ids.ts";
import { attachFrames } from "../../src/http/attach-frames.ts";
import { createMirror } from "../../src/session/mirror.ts";
import { begin, opens, says, toolStarts } from "../domain/events.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHttpRig, openHttp, TOKEN } from "../http/rig.ts";
import { createMemoryLedgers } from "../session/memory-ledgers.ts";
import type { BenchRow } from "./row.ts";

const PIECE = "abc ";
const turnStart: AgentEvent = { type: "turn_start" };

/** What an attach to a running turn costs, its snapshot aside, and what a hundred who watch cost. */
export async function benchAttach(): Promise<readonly BenchRow[]> {
  const sizes = [
    { characters: 8_000, limit: 10_000 },
    { characters: 40_000, limit: 43_000 },
    { characters: 100_000, limit: 105_000 },
  ].map((each) => ({ ...each, ...attach(answerOf(each.characters)) }));
  const [once, twice] = [attach(answerOf(50_000)).bytes, attach(answerOf(100_000)).bytes];
  const tools = attach(parallelTools());
  const long = attach(answerOf(25_000 * PIECE.length));
  return [
    ...sizes.map(({ characters, limit, bytes, frames }) => ({
      name: `attach to an answer of ${characters} characters`,
      value: `${bytes} bytes in ${frames} frame`,
      limit: `${limit} bytes, 1 frame`,
      ok: bytes <= limit && frames === 1,
    })),
    {
      name: "attach to an answer that is twice as long",
      value: `${(twice / once).toFixed(2)} times`,
      limit: "2.1 times",
      ok: twice <= 2.1 * once,
    },
    {
      name: "attach to two commands that run side by side for a minute",
      value: `${tools.bytes} bytes`,
      limit: "110000 bytes",
      ok: tools.bytes <= 110_000,
    },
    {
      name: "keep 25,000 updates of one message",
      value: `${long.events} events, ${((1_000 * long.ms) / 25_000).toFixed(1)} µs each`,
      limit: "3 events",
      ok: long.events === 3,
    },
    ...(await benchWatchers()),
  ];
}

function answerOf(characters: number): readonly AgentEvent[] {
  const pieces = Array.from({ length: characters / PIECE.length }, () => says("a", PIECE));
  return [opens("a"), ...pieces];
}

/** Ten updates a second each, of as much output as the agent passes on. */
function parallelTools(): readonly AgentEvent[] {
  const line = "0123456789 0123456789 0123456789 012345678\n";
  const output = line.repeat(50_000 / line.length);
  const update = (toolCallId: string, n: number): AgentEvent => ({
    type: "tool_execution_update",
    toolCallId,
    toolName: "bash",
    output: `${n}${output}`,
  });
  const updates = Array.from({ length: 600 }, (_, n) => [update("t1", n), update("t2", n)]).flat();
  return [toolStarts("t1", "bash", "make"), toolStarts("t2", "bash", "make check"), ...updates];
}

function attach(events: readonly (AgentEvent | TurnEvent)[]) {
  const id = makeSessionId();
  const mirror = createMirror({
    id,
    cwd: "/w",
    facts: {},
    messages: createMemoryLedgers().ledgers.messages,
    note: () => undefined,
    questions: () => [],
    queue: () => noQueue,
    changed: () => undefined,
    clock: createFakeClock(),
    log: createMemoryLog(),
  });
  const from = performance.now();
  for (const event of [begin, turnStart, ...events]) mirror.emit(event);
  const ms = performance.now() - from;
  const observation = mirror.observe(() => undefined);
  const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  const frames = attachFrames(id, observation);
  return {
    ms,
    events: observation.replay.length,
    bytes: frames.reduce((sum, frame) => sum + bytes(frame), 0) - bytes(observation.snapshot),
    frames: frames.filter(({ type }) => type === "session_events").length,
  };
}

const noQueue: readonly never[] = [];

const WATCHERS = 100;
const RATE = 200;
const SECONDS = 5;

async function benchWatchers(): Promise<readonly BenchRow[]> {
  const rig = createHttpRig();
  const server = await openHttp(rig);
  rig.port.number = server.number;
  const host = `127.0.0.1:${server.number}`;
  const session = rig.sessions.create({ face: "deck" });
  const prompt = { ready: Promise.resolve({ text: "go", images: [], files: [] }), release: () => undefined };
  session.run(prompt, "deck");
  const agent = await rig.agent();
  for (const event of [turnStart, opens("a")]) agent.emit(event);

  const heard = Array.from({ length: WATCHERS }, (): number[] => []);
  const sockets = await Promise.all(
    heard.map(async (seqs) => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const socket = new WebSocket(`ws://${host}/ws`, { origin: `http://${host}`, headers });
      socket.on("message", (data: Buffer) => {
        const frame = JSON.parse(data.toString("utf8")) as { type: string; event?: { seq: number } };
        if (frame.type === "session_event" && frame.event !== undefined) seqs.push(frame.event.seq);
      });
      await once(socket, "open");
      socket.send(JSON.stringify({ type: "subscribe", sessionId: session.id }));
      return socket;
    }),
  );
  await setTimeout(500);

  const total = RATE * SECONDS;
  const began = performance.now();
  let behind = 0;
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * RATE));
    for (; sent < due; sent += 1) agent.emit(says("a", PIECE));
    await setTimeout(5);
    behind = Math.max(behind, sent - Math.min(...heard.map((seqs) => seqs.length)));
  }
  await setTimeout(500);
  const whole = heard.filter((seqs) => seqs.length === total && isGapless(seqs)).length;
  for (const socket of sockets) socket.terminate();
  await server.close();
  rig[Symbol.dispose]();
  return [
    {
      name: `${WATCHERS} who watch ${RATE} pieces a second for ${SECONDS} s: who heard every one`,
      value: `${whole}`,
      limit: `${WATCHERS}`,
      ok: whole === WATCHERS,
    },
    {
      name: "the farthest that the slowest of them was behind",
      value: `${behind} pieces`,
      limit: `${RATE / 2} pieces`,
      ok: behind <= RATE / 2,
    },
  ];
}

function isGapless(seqs: readonly number[]): boolean {
  return seqs.every((seq, index) => index === 0 || seq === (seqs[index - 1] ?? 0) + 1);
}
