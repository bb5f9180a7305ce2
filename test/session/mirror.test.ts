import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, Message, TurnEvent, Usage } from "../../src/domain/events.ts";
import { makeSessionId, makeTurnId } from "../../src/domain/ids.ts";
import type { Question } from "../../src/domain/question.ts";
import type { Observation } from "../../src/domain/sessions.ts";
import { applyEvent, emptyTranscript, type Transcript } from "../../src/domain/transcript.ts";
import { type SessionFrame, transcriptFrom } from "../../src/domain/wire.ts";
import { LIST_BYTES, SNAPSHOT_BYTES } from "../../src/session/bounds.ts";
import { createMirror } from "../../src/session/mirror.ts";
import { assistant, begin, end, opens, said, says, toolEnds, toolStarts } from "../domain/events.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";
import { discards, stepEvents, toolSays, turnStart } from "./step-events.ts";

const turnEnd: AgentEvent = { type: "turn_end" };
const noticed: AgentEvent = { type: "notice", notice: { type: "image_omitted" } };

function setUp(known: { readonly messages?: readonly Message[] } = {}) {
  const id = makeSessionId();
  const clock = createFakeClock();
  const log = createMemoryLog();
  const memory = createMemoryLedgers([{ id, cwd: "/w", face: "deck", createdAt: 0, lastUsedAt: 0 }]);
  for (const message of known.messages ?? []) memory.ledgers.messages.save(id, message);
  const questions: Question[] = [];
  const mirror = createMirror({
    id,
    cwd: "/w",
    facts: {},
    messages: memory.ledgers.messages,
    note: (facts) => memory.ledgers.sessions.note(id, facts),
    questions: () => questions,
    queue: () => noQueue,
    changed: () => undefined,
    clock,
    log,
  });
  const emit = (...events: readonly (AgentEvent | TurnEvent)[]): void => events.forEach(mirror.emit);
  return { id, mirror, emit, clock, log, memory, questions };
}

const noQueue: readonly never[] = [];

/** What a face shows that attached with `observation` and then heard `frames`. */
function shown({ snapshot, seq, replay }: Observation, frames: readonly SessionFrame[] = []): Transcript {
  const live = frames.flatMap((frame) => (frame.type === "session_event" ? [frame.event] : []));
  return [...replay, ...live].reduce(applyEvent, transcriptFrom(snapshot, seq));
}

function user(key: string, text: string): readonly AgentEvent[] {
  const message: Message = { key, role: "user", at: 0, content: [{ type: "text", text }] };
  return [
    { type: "message_start", key, message },
    { type: "message_end", key, message },
  ];
}

function result(key: string, toolCallId: string, text: string): readonly AgentEvent[] {
  const content = [{ type: "text", text }] as const;
  const message: Message = { key, role: "toolResult", at: 0, content, toolCallId, toolName: "bash" };
  return [
    { type: "message_start", key, message },
    { type: "message_end", key, message },
  ];
}

function costing(key: string, text: string, usage: Usage): AgentEvent {
  const message = assistant(key, [{ type: "text", text }], {
    stopReason: "stop",
    usage,
    model: "mock/mock-1",
  });
  return { type: "message_end", key, message };
}

const one: Usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 };

const bytes = (value: object): number => Buffer.byteLength(JSON.stringify(value));

const roles = ({ messages }: Transcript): readonly string[] => messages.map(({ role }) => role);

describe("attaching to a mirror", () => {
  test("gives the message in flight whole, in one entry, and from then on every piece", () => {
    const { mirror, emit } = setUp();
    emit(begin, turnStart, ...user("u", "hi"), opens("a"), says("a", "one "), says("a", "two "));
    const frames: SessionFrame[] = [];
    const observation = mirror.observe((frame) => frames.push(frame));
    expect(observation.snapshot.messages).toEqual([]);
    expect(observation.replay.map(({ type }) => type)).toEqual([
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_update",
    ]);
    expect(shown(observation).messages.at(-1)?.content).toEqual([{ type: "text", text: "one two " }]);
    emit(says("a", "three"));
    expect(frames).toMatchObject([
      { type: "session_event", event: { type: "message_update", delta: { text: "three" } } },
    ]);
    expect(shown(observation, frames).messages.at(-1)?.content).toEqual([
      { type: "text", text: "one two three" },
    ]);
  });

  test("gives no replay when no step runs: before it began, between steps and after the turn", () => {
    const { mirror, emit } = setUp();
    const replayed = (): number => mirror.observe(() => undefined).replay.length;
    const lengths = [replayed()];
    emit(begin);
    lengths.push(replayed());
    emit(turnStart, opens("a"), said("a", "x"), turnEnd);
    lengths.push(replayed());
    emit(turnStart);
    lengths.push(replayed());
    emit(end({ type: "failed", message: "The agent ended." }));
    lengths.push(replayed());
    expect(lengths).toEqual([0, 0, 0, 1, 0]);
    expect(mirror.state).toBe("failed");
  });

  test("shows a session that is parked on a question with one bubble of each, and counts its cost once", () => {
    const { mirror, emit, questions } = setUp();
    emit(
      begin,
      turnStart,
      ...user("u", "go"),
      opens("a"),
      says("a", "Shall I?"),
      costing("a", "Shall I?", one),
    );
    emit(toolStarts("t", "ask", "Shall I?"));
    questions.push({ id: "q", kind: "confirm", title: "Shall I?" });
    mirror.refresh();
    const observation = mirror.observe(() => undefined);
    expect(roles(transcriptFrom(observation.snapshot, observation.seq))).toEqual([]);
    expect(roles(shown(observation))).toEqual(["user", "assistant"]);
    expect(observation.questions).toEqual(questions);
    expect(observation.snapshot).toMatchObject({ state: "waiting", usage: one, model: "mock/mock-1" });
  });

  test("cuts the snapshot at the step's start: what an earlier step said is in it, and in the replay no more", () => {
    const { mirror, emit } = setUp();
    emit(begin, turnStart, ...user("u", "go"), opens("a"), said("a", "first"), toolStarts("t", "bash", "ls"));
    emit(toolEnds("t"), ...result("r", "t", "files"), turnEnd, turnStart, opens("b"), says("b", "second"));
    const observation = mirror.observe(() => undefined);
    expect(observation.snapshot.messages.map(({ key }) => key)).toEqual(["u", "a", "r"]);
    expect(observation.snapshot.tools).toMatchObject([{ id: "t", name: "bash", summary: "ls" }]);
    expect(JSON.stringify(observation.replay)).not.toContain("first");
    expect(shown(observation).messages.map(({ key }) => key)).toEqual(["u", "a", "r", "b"]);
  });

  test("gives a frame that later events do not change", () => {
    const { mirror, emit } = setUp();
    emit(begin, turnStart, opens("a"), says("a", "one"));
    const observation = mirror.observe(() => undefined);
    const before = structuredClone([observation.snapshot, observation.replay, observation.questions]);
    emit(says("a", " two"), said("a", "other words"), toolStarts("t", "bash", "ls"), toolSays("t", "x"));
    expect([observation.snapshot, observation.replay, observation.questions]).toEqual(before);
  });

  test("shows for how long a tool has run, whoever attaches when", async () => {
    const { mirror, emit, clock } = setUp();
    emit(begin, turnStart);
    const began = clock.date();
    emit(toolStarts("t", "bash", "sleep"));
    await clock.advance(180_000);
    emit(toolSays("t", "still"));
    const [tool] = shown(mirror.observe(() => undefined)).tools;
    expect(clock.date() - (tool?.startedAt ?? 0)).toBe(180_000);
    expect(tool?.startedAt).toBe(began);
  });

  test("leaves out an attempt that the agent gave up, also one whose step had ended", () => {
    const { mirror, emit, memory, id } = setUp();
    emit(begin, turnStart, ...user("u", "go"), opens("a"), said("a", "half an ans"), turnEnd);
    emit(discards("a"));
    const between = mirror.observe(() => undefined);
    emit(turnStart, opens("b"), says("b", "the answer"));
    const after = mirror.observe(() => undefined);
    expect(shown(between).messages.map(({ key }) => key)).toEqual(["u"]);
    expect(shown(after).messages.map(({ key }) => key)).toEqual(["u", "b"]);
    expect(memory.messages.get(id)?.map(({ key }) => key)).toEqual(["u"]);
  });

  test("loses nothing and repeats nothing, however attaching and events come to lie", () => {
    const action = fc.oneof(
      { weight: 4, arbitrary: stepEvents.map((events) => ({ emit: events.slice(0, 6) })) },
      { weight: 2, arbitrary: fc.constantFrom(turnStart, turnEnd).map((event) => ({ emit: [event] })) },
      { weight: 1, arbitrary: fc.constant({ emit: [end({ type: "done" }), begin] }) },
      { weight: 3, arbitrary: fc.constant("attach" as const) },
    );
    const property = fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const { mirror, emit } = setUp();
      const faces: { observation: Observation; from: number; frames: SessionFrame[] }[] = [];
      let whole: Transcript = emptyTranscript;
      mirror.listen((event) => {
        whole = applyEvent(whole, event);
      });
      emit(begin);
      for (const each of actions) {
        if (each !== "attach") {
          emit(...each.emit);
          continue;
        }
        const frames: SessionFrame[] = [];
        faces.push({ observation: mirror.observe((frame) => frames.push(frame)), from: whole.seq, frames });
      }
      for (const { observation, from, frames } of faces) {
        const live = frames.flatMap((frame) => (frame.type === "session_event" ? [frame.event.seq] : []));
        expect(live).toEqual(Array.from({ length: whole.seq - from }, (_, n) => from + 1 + n));
        expect(observation.seq).toBeLessThanOrEqual(from);
        expect(observation.replay.every(({ seq }) => seq > observation.seq && seq <= from)).toBe(true);
        const { messages, turn, tools } = shown(observation, frames);
        expect({ messages, turn }).toEqual({ messages: whole.messages, turn: whole.turn });
        const withoutOutput = tools.map(({ output: _output, ...tool }) => tool);
        expect(withoutOutput).toEqual(whole.tools.map(({ output: _output, ...tool }) => tool));
      }
    });
    expect(() => fc.assert(property, { numRuns: 1_000 })).not.toThrow();
  });
});

describe("the running turn", () => {
  const earlier: readonly AgentEvent[] = [...user("before", "earlier"), said("old", "An earlier answer.")];

  test("is what a sink has that was there from its begin, whatever was said before it", () => {
    const action = fc.oneof(
      { weight: 4, arbitrary: stepEvents.map((events) => events.slice(0, 8)) },
      { weight: 2, arbitrary: fc.constantFrom(turnStart, turnEnd).map((event) => [event]) },
      { weight: 1, arbitrary: fc.constant([noticed]) },
    );
    const property = fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
      const { mirror, emit } = setUp();
      emit(begin, turnStart, ...earlier, toolStarts("t", "bash", "ls"), turnEnd, end({ type: "done" }));
      let whole: Transcript = emptyTranscript;
      mirror.listen((event) => (whole = applyEvent(whole, event)));
      emit({ type: "agent_start", turnId: makeTurnId(), face: "deck" });
      for (const events of actions) {
        emit(...events);
        expect(mirror.turnSoFar).toEqual({ id: whole.turn?.id, face: "deck", transcript: whole });
      }
    });
    expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
  });

  test("is nobody's before one begins and from its end on", () => {
    const { mirror, emit } = setUp();
    const turns = [mirror.turnSoFar];
    mirror.listen((event) => {
      if (event.type === "agent_end") turns.push(mirror.turnSoFar);
    });
    emit(begin, turnStart, ...earlier, end({ type: "stopped" }));
    expect(turns).toEqual([undefined, undefined]);
  });

  test("keeps its prompt and its first words however many messages it has", () => {
    const { mirror, emit } = setUp();
    emit(begin, turnStart, ...earlier, turnEnd, end({ type: "done" }), begin, turnStart, ...user("u", "go"));
    const keys = Array.from({ length: 300 }, (_, n) => `a${n}`);
    for (const key of keys) emit(opens(key), said(key, "x"), turnEnd, turnStart);
    emit(opens("last"), says("last", "and"));
    expect(mirror.turnSoFar?.transcript.messages.map(({ key }) => key)).toEqual(["u", ...keys, "last"]);
  });
});

describe("a mirror's snapshot", () => {
  const many = Array.from({ length: 250 }, (_, n): Message => ({
    key: `m${n}`,
    role: "user",
    at: n,
    content: [{ type: "text", text: `${n}` }],
  }));

  test("begins with what was said before evie was started: the last 200, and where to ask for older ones", () => {
    const { snapshot } = setUp({ messages: many }).mirror.observe(() => undefined);
    expect(snapshot.messages).toEqual(many.slice(50));
    expect(snapshot.before).toBe("m50");
  });

  test("holds all and names no older ones when there are none", () => {
    const { snapshot } = setUp({ messages: many.slice(0, 200) }).mirror.observe(() => undefined);
    expect(snapshot.messages).toHaveLength(200);
    expect(snapshot).not.toHaveProperty("before");
  });

  test("stays within 200 messages while more are said", () => {
    const { mirror, emit } = setUp({ messages: many.slice(0, 200) });
    emit(begin, turnStart, ...user("u", "go"), opens("a"), said("a", "x"), turnEnd, end({ type: "done" }));
    const { snapshot } = mirror.observe(() => undefined);
    expect(snapshot.messages).toHaveLength(200);
    expect(snapshot.messages.at(-1)?.key).toBe("a");
    expect(snapshot.before).toBe("m2");
  });

  const large = (n: number, length = 100_000): Message => ({
    key: `r${n}`,
    role: "toolResult",
    at: n,
    content: [{ type: "text", text: `${n} ${"x".repeat(length)}` }],
    toolCallId: `t${n}`,
  });

  test("holds as many messages as have 512 KiB, from the store as of a turn that runs", () => {
    const hundred = Array.from({ length: 100 }, (_, n) => large(n));
    const stored = setUp({ messages: hundred }).mirror.observe(() => undefined);
    const live = setUp();
    live.emit(begin);
    for (const n of hundred.keys())
      live.emit(turnStart, ...result(`r${n}`, `t${n}`, `${n} ${"x".repeat(100_000)}`), turnEnd);
    for (const { snapshot } of [stored, live.mirror.observe(() => undefined)]) {
      expect(snapshot.messages.map(({ key }) => key)).toEqual(["r95", "r96", "r97", "r98", "r99"]);
      expect(snapshot.before).toBe("r95");
      expect(bytes(snapshot)).toBeLessThan(SNAPSHOT_BYTES + 2_000);
    }
  });

  test("shortens one message that is larger than that, which can be read whole by its key", () => {
    const huge = large(1, 20_000_000);
    const { mirror } = setUp({ messages: [large(0, 10), huge] });
    const { snapshot } = mirror.observe(() => undefined);
    expect(snapshot.messages).toMatchObject([{ key: "r1", shortened: true }]);
    expect(snapshot.before).toBe("r1");
    expect(bytes(snapshot)).toBeLessThan(SNAPSHOT_BYTES);
    expect(mirror.message("r1")).toEqual(huge);
    expect([mirror.message("r0")?.key, mirror.message("none")]).toEqual(["r0", undefined]);
  });

  test("bounds what is no message as well: tools, remarks, and the output of one that an earlier step left running", () => {
    const { mirror, emit } = setUp();
    emit(begin, turnStart, toolStarts("long", "bash", "x"), toolSays("long", "y".repeat(500_000)));
    for (let n = 0; n < 5_000; n += 1) {
      const text = `${n} ${"z".repeat(400)}`;
      emit(toolStarts(`t${n}`, "bash", "s".repeat(80)), toolEnds(`t${n}`));
      emit({ type: "notice", notice: { type: "extension_message", text } });
    }
    emit(turnEnd, toolStarts("last", "bash", "x"), toolSays("last", "y".repeat(500_000)));
    const { snapshot } = mirror.observe(() => undefined);
    expect(bytes(snapshot)).toBeLessThan(3 * LIST_BYTES);
    expect(snapshot.remarks?.at(-1)).toMatchObject({ text: expect.stringMatching(/^4999 /) });
    expect(snapshot.tools?.at(-1)).toMatchObject({ id: "last", output: expect.stringContaining("left out") });
  });

  test("comes with a replay within 512 KiB, in which nothing is missing but the middle of long texts", () => {
    const { mirror, emit } = setUp();
    emit(begin, turnStart, ...user("u", "p".repeat(1_000_000)), opens("a"), says("a", "w".repeat(600_000)));
    for (let n = 0; n < 100; n += 1)
      emit(toolStarts(`t${n}`, "bash", "x"), ...result(`r${n}`, `t${n}`, `${n} ${"y".repeat(100_000)}`));
    const frames: SessionFrame[] = [];
    const observation = mirror.observe((frame) => frames.push(frame));
    expect(bytes(observation.replay)).toBeLessThanOrEqual(512 * 2 ** 10);
    const state = shown(observation);
    expect(state.messages.map(({ key }) => key)).toEqual([
      "u",
      "a",
      ...Array.from({ length: 100 }, (_, n) => `r${n}`),
    ]);
    expect(state.messages.find(({ key }) => key === "r7")).toMatchObject({ shortened: true });
    emit(said("a", "whole"));
    expect(shown(observation, frames).messages.find(({ key }) => key === "a")?.content).toEqual([
      { type: "text", text: "whole" },
    ]);
  });

  test("is named after the first line of the first prompt, and everybody is told", () => {
    const { mirror, emit, memory, id } = setUp();
    const frames: SessionFrame[] = [];
    mirror.observe((frame) => frames.push(frame));
    emit(
      begin,
      turnStart,
      ...user("u", `\n  Plan   the ${"very ".repeat(20)}long trip\nto Rome`),
      ...user("v", "no"),
    );
    expect(mirror.name).toMatch(/^Plan the very .*…$/);
    expect(mirror.name).toHaveLength(60);
    expect(memory.sessions.get(id)?.name).toBe(mirror.name);
    expect(frames).toContainEqual({ type: "session_changed", sessionId: id, change: { name: mirror.name } });
    mirror.rename("Rome");
    expect(memory.sessions.get(id)?.name).toBe("Rome");
    expect(frames.at(-1)).toEqual({ type: "session_changed", sessionId: id, change: { name: "Rome" } });
  });

  test("counts each message's cost once, and tells the sum", () => {
    const { mirror, emit, memory, id } = setUp();
    const frames: SessionFrame[] = [];
    mirror.observe((frame) => frames.push(frame));
    emit(begin, turnStart, opens("a"), costing("a", "x", one), costing("a", "x", one), turnEnd);
    emit(turnStart, opens("b"), costing("b", "y", one), turnEnd, end({ type: "done" }));
    const twice = { input: 2, output: 4, cacheRead: 6, cacheWrite: 8, cost: 1 };
    expect(mirror.observe(() => undefined).snapshot.usage).toEqual(twice);
    expect(memory.sessions.get(id)?.usage).toEqual(twice);
    const told = frames.flatMap((frame) => (frame.type === "session_changed" ? [frame.change.usage] : []));
    expect(told.filter((usage) => usage !== undefined)).toEqual([one, twice]);
  });

  test("tells what the session is doing: idle, running, waiting, failed", () => {
    const { mirror, emit, questions } = setUp();
    const states = [mirror.state];
    const note = (): number => states.push(mirror.state);
    emit(begin);
    note();
    questions.push({ id: "q", kind: "confirm", title: "?" });
    note();
    questions.pop();
    note();
    emit(end({ type: "failed", message: "no" }));
    note();
    emit(begin, end({ type: "stopped" }));
    note();
    expect(states).toEqual(["idle", "running", "waiting", "running", "failed", "idle"]);
  });
});

describe("what a mirror keeps in the store", () => {
  test("is each message when it has ended, in order", () => {
    const { emit, memory, id } = setUp();
    emit(begin, turnStart, ...user("u", "go"), opens("a"), says("a", "x"));
    expect(memory.messages.get(id)?.map(({ key }) => key)).toEqual(["u"]);
    emit(said("a", "x"));
    expect(memory.messages.get(id)?.map(({ key }) => key)).toEqual(["u", "a"]);
  });

  test("is also what an agent said before it died in the middle of it", () => {
    const { emit, mirror, memory, id } = setUp();
    emit(begin, turnStart, opens("a"), says("a", "half"), end({ type: "failed", message: "gone" }));
    expect(memory.messages.get(id)).toMatchObject([
      { key: "a", content: [{ type: "text", text: "half" }], stopReason: "aborted" },
    ]);
    expect(mirror.observe(() => undefined).snapshot.messages).toEqual(memory.messages.get(id));
  });

  test("may be nothing when the disk is full: everybody still sees the turn and its end", () => {
    const { mirror, emit, memory, log } = setUp();
    memory.state.broken = true;
    const frames: SessionFrame[] = [];
    mirror.observe((frame) => frames.push(frame));
    emit(begin, turnStart, opens("a"), said("a", "x"), turnEnd, end({ type: "done" }));
    expect(frames.flatMap((frame) => (frame.type === "session_event" ? [frame.event.type] : []))).toEqual([
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
    ]);
    expect(log.messages("error")).toContain("what was said could not be stored");
  });

  test("gives the last words of a turn, without its thoughts and tools", () => {
    const { mirror, emit } = setUp();
    emit(
      begin,
      turnStart,
      opens("a"),
      said("a", "Let me look."),
      toolStarts("t", "bash", "ls"),
      toolEnds("t"),
    );
    emit(...result("r", "t", "files"), turnEnd, turnStart, opens("b"));
    emit(said("b", { type: "thinking", text: "hm" }, "Here it is."), turnEnd, turnStart, opens("c"));
    emit(says("c", "And"), says("c", " now"));
    expect(mirror.lastText).toBe("And now");
    emit({ type: "message_discard", key: "c" }, end({ type: "stopped" }));
    expect(mirror.lastText).toBe("Here it is.");
    emit(begin, end({ type: "stopped" }));
    expect(mirror.lastText).toBe("");
  });
});
