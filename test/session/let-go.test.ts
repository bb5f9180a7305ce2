import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, Message, TurnEvent } from "../../src/domain/events.ts";
import { makeSessionId } from "../../src/domain/ids.ts";
import { applyEvent } from "../../src/domain/transcript.ts";
import { transcriptFrom } from "../../src/domain/wire.ts";
import { SNAPSHOT_MESSAGES } from "../../src/session/bounds.ts";
import { createMirror, LET_GO_AFTER, type Mirror } from "../../src/session/mirror.ts";
import { assistant, begin, end, opens, said, says, toolEnds, toolStarts } from "../domain/events.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";
import { turnStart } from "./step-events.ts";

const done = end({ type: "done" });

function setUp(known: readonly Message[] = []) {
  const id = makeSessionId();
  const clock = createFakeClock();
  const memory = createMemoryLedgers([{ id, cwd: "/w", face: "deck", createdAt: 0, lastUsedAt: 0 }]);
  for (const message of known) memory.ledgers.messages.save(id, message);
  const { messages } = memory.ledgers;
  const read = { pages: 0 };
  const mirror = createMirror({
    id,
    cwd: "/w",
    facts: {},
    messages: {
      ...messages,
      page(...about) {
        read.pages += 1;
        return messages.page(...about);
      },
    },
    note: () => undefined,
    questions: () => [],
    queue: () => [],
    changed: () => undefined,
    clock,
    log: createMemoryLog(),
  });
  const emit = (...events: readonly (AgentEvent | TurnEvent)[]): void => events.forEach(mirror.emit);
  return { id, mirror, emit, clock, memory, read };
}

/** What somebody who attaches now is shown, as texts by keys. */
function seen(mirror: Mirror): Record<string, string> {
  const { snapshot, seq, replay, detach } = mirror.observe(() => undefined);
  detach();
  const { messages } = replay.reduce(applyEvent, transcriptFrom(snapshot, seq));
  return Object.fromEntries(messages.map(({ key, content }) => [key, JSON.stringify(content)]));
}

function old(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) =>
    assistant(`old-${index}`, [{ type: "text", text: `${index}` }], { stopReason: "stop" }),
  );
}

describe("a session in memory", () => {
  test("reads nothing of what was said before until somebody looks, also while it answers a chat", () => {
    const { mirror, emit, read } = setUp(old(3));
    mirror.listen(() => undefined);
    emit(begin, turnStart, opens("a"), says("a", "hi"), said("a", "hi"), done);
    expect(mirror.lastText).toBe("hi");
    expect(read.pages).toBe(0);
    expect(Object.keys(seen(mirror))).toEqual(["old-0", "old-1", "old-2", "a"]);
    expect(read.pages).toBe(1);
    seen(mirror);
    expect(read.pages).toBe(1);
  });

  test("shows who comes in the middle of its first turn all of what was said before, and can be asked for more", () => {
    const { mirror, emit } = setUp(old(SNAPSHOT_MESSAGES + 10));
    emit(
      begin,
      turnStart,
      opens("a"),
      said("a", "one"),
      { type: "turn_end" },
      turnStart,
      opens("b"),
      says("b", "t"),
    );
    const { snapshot, detach } = mirror.observe(() => undefined);
    detach();
    expect(snapshot.messages).toHaveLength(SNAPSHOT_MESSAGES);
    expect(snapshot.before).toBe("old-11");
    expect(Object.keys(seen(mirror)).slice(-3)).toEqual(["old-209", "a", "b"]);
  });

  test("finds the way to older messages where the running step alone fills a snapshot", () => {
    const { mirror, emit } = setUp(old(3));
    emit(begin, turnStart, opens("a"), said("a", "x".repeat(600_000)));
    const { snapshot } = mirror.observe(() => undefined);
    expect(snapshot.messages.map(({ key }) => key)).toEqual(["old-0", "old-1", "old-2"]);
  });

  test("lets go of it half a minute after its last use, and reads it again when somebody looks", async () => {
    const { mirror, emit, clock, read } = setUp(old(2));
    emit(begin, turnStart, opens("a"), said("a", "hi"), done);
    const before = seen(mirror);
    await clock.advance(LET_GO_AFTER - 1);
    expect(seen(mirror)).toEqual(before);
    await clock.advance(LET_GO_AFTER - 1);
    expect(seen(mirror)).toEqual(before);
    expect(read.pages).toBe(1);
    await clock.advance(LET_GO_AFTER);
    expect(seen(mirror)).toEqual(before);
    expect(read.pages).toBe(2);
    expect(clock.sleepers).toBe(1);
  });

  test("lets go of a turn's own words half a minute after its end, though nobody has looked", async () => {
    const { id, mirror, emit, clock, memory } = setUp();
    emit(begin, turnStart, opens("a"), said("a", "held"), done);
    await clock.advance(LET_GO_AFTER);
    memory.ledgers.messages.save(id, assistant("a", [{ type: "text", text: "stored" }]));
    expect(seen(mirror)["a"]).toContain("stored");
  });

  test("keeps what the running turn has said, however long it runs", async () => {
    const { mirror, emit, clock, read } = setUp(old(1));
    emit(begin, turnStart, opens("a"), said("a", "one"), done);
    seen(mirror);
    emit(begin, turnStart, opens("b"), says("b", "two"), toolStarts("1", "bash", "ls"));
    await clock.advance(10 * LET_GO_AFTER);
    mirror.letGo();
    expect(Object.keys(seen(mirror))).toEqual(["old-0", "a", "b"]);
    expect(read.pages).toBe(1);
    expect(mirror.turnSoFar?.transcript.messages.map(({ key }) => key)).toEqual(["b"]);
  });

  test("keeps what could not be stored until it can be", async () => {
    const { id, mirror, emit, clock, memory } = setUp(old(1));
    memory.state.broken = true;
    emit(begin, turnStart, opens("a"), said("a", "unstored"), done);
    await clock.advance(2 * LET_GO_AFTER);
    expect(seen(mirror)["a"]).toContain("unstored");
    memory.state.broken = false;
    await clock.advance(2 * LET_GO_AFTER);
    expect(memory.messages.get(id)).toHaveLength(2);
    expect(seen(mirror)["a"]).toContain("unstored");
  });

  test("still tells of the last turn's tools, without their output", async () => {
    const { mirror, emit, clock } = setUp();
    emit(begin, turnStart, toolStarts("1", "bash", "ls"), toolEnds("1", "x".repeat(1_000)), done);
    const { snapshot } = mirror.observe(() => undefined);
    emit(
      begin,
      turnStart,
      opens("a"),
      said("a", "hi"),
      toolStarts("2", "bash", "ls"),
      toolEnds("2", "y"),
      done,
    );
    const after = mirror.observe(() => undefined).snapshot;
    await clock.advance(LET_GO_AFTER);
    expect(mirror.observe(() => undefined).snapshot).toEqual(after);
    expect(snapshot.tools).toHaveLength(1);
  });

  test("is the same to everybody, whenever it let go of what was said", () => {
    const action = fc.constantFrom("step", "say", "turn", "let go", "look");
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), fc.nat(4), (actions, before) => {
        const [one, other] = [setUp(old(before)), setUp(old(before))];
        let count = 0;
        for (const { emit } of [one, other]) emit(begin, turnStart);
        for (const what of actions) {
          count += 1;
          const key = `m-${count}`;
          for (const { emit, mirror } of [one, other]) {
            if (what === "step") emit({ type: "turn_end" }, turnStart);
            if (what === "say") emit(opens(key), says(key, "a"), said(key, `word ${count}`));
            if (what === "turn") emit(done);
            if (what === "let go" && mirror === one.mirror) emit(done);
            if (what === "let go" && mirror === other.mirror) {
              emit(done);
              mirror.letGo();
            }
            if (what === "turn" || what === "let go") emit(begin, turnStart);
            if (what === "look") seen(mirror);
          }
          if (what === "look") expect(seen(other.mirror)).toEqual(seen(one.mirror));
        }
        expect(seen(other.mirror)).toEqual(seen(one.mirror));
        expect(Object.keys(seen(other.mirror))).toEqual(Object.keys(seen(one.mirror)));
      }),
    );
  });
});
