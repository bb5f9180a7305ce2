import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, SessionEvent } from "../../src/domain/events.ts";
import { applyEvent, emptyTranscript, type Transcript } from "../../src/domain/transcript.ts";
import {
  appendTurnEvent,
  type BufferedEvent,
  condenseForReplay,
  supersededUpdates,
} from "../../src/session/turn-buffer.ts";
import { fold, numbered, opens, said, says, toolEnds, toolStarts } from "../domain/events.ts";
import { discards, stepEvents, toolSays, turnStart, walkStep, whole } from "./step-events.ts";

function buffered(...events: readonly BufferedEvent[]): readonly BufferedEvent[] {
  const buffer: BufferedEvent[] = [];
  for (const event of events) appendTurnEvent(buffer, event);
  return buffer;
}

/** One event as the session numbers it, for the events whose buffered form is their own. */
function at(event: AgentEvent): BufferedEvent {
  return { ...event, seq: 1, at: 0 } as BufferedEvent;
}

function bufferOf(events: readonly SessionEvent[], base: Transcript = emptyTranscript) {
  const buffer: BufferedEvent[] = [];
  walkStep(base, events, (event) => appendTurnEvent(buffer, event));
  return buffer;
}

const start = at(turnStart);
const open = at(opens("a"));

describe("appending to a turn buffer", () => {
  test("an empty one takes whatever comes", () => {
    expect(buffered(whole("a", "x"))).toEqual([whole("a", "x")]);
  });

  test("keeps a step's start, its message's start, and of three updates the last", () => {
    const buffer = buffered(start, open, whole("a", "a"), whole("a", "ab"), whole("a", "abc"));
    expect(buffer).toEqual([start, open, whole("a", "abc")]);
  });

  test("keeps both updates of a message that a tool came between", () => {
    const tool = at(toolStarts("t1", "bash", "ls"));
    expect(buffered(whole("a", "a"), tool, whole("a", "ab"))).toHaveLength(3);
  });

  test("keeps the updates of parallel tools apart, and lets one tool's newest take the place of its last", () => {
    const t1 = at(toolSays("t1", "1"));
    const t2 = at(toolSays("t2", "2"));
    const t1again = at(toolSays("t1", "11"));
    expect(buffered(t1, t2, t1again)).toEqual([t1, t2, t1again]);
    expect(buffered(t1, t1again)).toEqual([t1again]);
  });

  test("keeps the updates of two messages apart", () => {
    expect(buffered(whole("a", "x"), whole("b", "y"))).toHaveLength(2);
  });

  test("takes an update's place by another of the same kind only", () => {
    expect(buffered(whole("t1", "x"), at(toolSays("t1", "y")), whole("t1", "z"))).toHaveLength(3);
  });

  test.each([
    ["a step's start", start],
    ["a message's start", open],
    ["a message's end", at(said("a", "x"))],
    ["a message's leaving", at(discards("a"))],
    ["a tool's start", at(toolStarts("t1", "bash", "ls"))],
    ["a tool's end", at(toolEnds("t1"))],
  ])("keeps both of %s and another one like it", (_, event) => {
    expect(buffered(event, event)).toEqual([event, event]);
  });

  test("changes no event, and nothing that was copied before", () => {
    const first = Object.freeze(whole("a", "a", 1));
    const buffer: BufferedEvent[] = [];
    appendTurnEvent(buffer, first);
    const sent = [...buffer];
    appendTurnEvent(buffer, Object.freeze(whole("a", "ab", 2)));
    expect(sent).toEqual([whole("a", "a", 1)]);
    expect(buffer).toEqual([whole("a", "ab", 2)]);
  });

  test("holds three entries after 25,000 updates of one message", () => {
    const buffer = [start, open];
    for (let seq = 1; seq <= 25_000; seq += 1) appendTurnEvent(buffer, whole("a", `${seq}`, seq));
    expect(buffer).toHaveLength(3);
    expect(buffer[2]?.seq).toBe(25_000);
  });

  test("looks at the last entry only, however many there are", () => {
    const looked = new Set<string>();
    const entries: BufferedEvent[] = Array.from({ length: 1_000 }, (_, n) => at(toolSays(`t${n}`, "x")));
    const watched = new Proxy(entries, {
      get(target, name, receiver) {
        if (typeof name === "string" && /^\d+$/.test(name)) looked.add(name);
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    appendTurnEvent(watched, at(toolSays("t999", "y")));
    appendTurnEvent(watched, at(toolSays("other", "z")));
    expect([...looked]).toEqual(["999"]);
  });
});

describe("what a late face is sent of a step", () => {
  const inStep = (...events: Parameters<typeof numbered>[0]) => bufferOf(numbered([turnStart, ...events]));

  test("holds of each tool only its newest update, where it stood", () => {
    const buffer = inStep(
      toolStarts("t1", "bash", "one"),
      toolStarts("t2", "bash", "two"),
      ...Array.from({ length: 50 }, (_, n) => [toolSays("t1", `a${n}`), toolSays("t2", `b${n}`)]).flat(),
    );
    expect(buffer).toHaveLength(103);
    const sent = condenseForReplay(buffer);
    expect(sent.map(({ type, seq }) => [type, seq])).toEqual([
      ["turn_start", 1],
      ["tool_execution_start", 2],
      ["tool_execution_start", 3],
      ["tool_execution_update", 102],
      ["tool_execution_update", 103],
    ]);
  });

  test("holds no update of a tool that has ended", () => {
    const sent = condenseForReplay(
      inStep(toolStarts("t1", "bash", "ls"), toolSays("t1", "x"), toolEnds("t1")),
    );
    expect(sent.map(({ type }) => type)).toEqual([
      "turn_start",
      "tool_execution_start",
      "tool_execution_end",
    ]);
  });

  test("holds the update of a tool whose id was used before", () => {
    const again = [toolStarts("t1", "bash", "again"), toolSays("t1", "y"), toolEnds("t1")];
    const sent = condenseForReplay(inStep(toolStarts("t1", "bash", "ls"), toolSays("t1", "x"), ...again));
    expect(sent.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 6]);
  });

  test("says a message once, although its start, its update and its end all held it", () => {
    const text = "word ".repeat(1_000);
    const sent = condenseForReplay(inStep(opens("a"), says("a", text), said("a", text)));
    expect(sent.map(({ type }) => type)).toEqual(["turn_start", "message_start", "message_end"]);
    const user = { key: "u", role: "user", at: 0, content: [{ type: "text", text }] } as const;
    const twice = inStep(
      { type: "message_start", key: "u", message: user },
      { type: "message_end", key: "u", message: user },
    );
    expect(JSON.stringify(condenseForReplay(twice)).length).toBeLessThan(text.length + 500);
  });

  test("is ordered by its numbers, each of the last event that its entry stands for", () => {
    const sent = condenseForReplay(inStep(opens("a"), says("a", "x"), says("a", "y"), says("a", "z")));
    expect(sent.map(({ seq }) => seq)).toEqual([1, 2, 5]);
  });

  test("leaves the buffer and its entries as they are", () => {
    const buffer = inStep(opens("a"), says("a", "x"), said("a", "x"), toolSays("t", "1"), toolEnds("t"));
    const before = structuredClone(buffer);
    condenseForReplay(buffer);
    expect(buffer).toEqual(before);
  });

  test("costs at most 110 kB when two commands ran side by side for a minute", () => {
    const tail = "0123456789 0123456789 0123456789 0123456789 123456\n".repeat(1_000);
    expect(tail).toHaveLength(51_000);
    const output = (n: number): string => `${n}${tail}`.slice(0, 50_000);
    const buffer = inStep(
      toolStarts("t1", "bash", "one"),
      toolStarts("t2", "bash", "two"),
      ...Array.from({ length: 600 }, (_, n) => [toolSays("t1", output(n)), toolSays("t2", output(n))]).flat(),
    );
    expect(JSON.stringify(condenseForReplay(buffer)).length).toBeLessThan(110_000);
  });

  test("folds to what the pieces fold to, whatever happened before and in the step", () => {
    const property = fc.property(stepEvents, stepEvents, (before, during) => {
      const events = numbered([...before, turnStart, ...during]);
      const base = fold(events.slice(0, before.length));
      const step = events.slice(before.length);
      const raw = fold(step, base);
      const whole: Transcript = bufferOf(step, base).reduce(applyEvent, base);
      const condensed = condenseForReplay(bufferOf(step, base)).reduce(applyEvent, base);
      expect({ ...whole, seq: 0 }).toEqual({ ...raw, seq: 0 });
      expect({ ...condensed, seq: 0 }).toEqual({ ...raw, seq: 0 });
      expect(condensed.seq).toBeLessThanOrEqual(raw.seq);
    });
    expect(() => fc.assert(property, { numRuns: 1_000 })).not.toThrow();
  });

  test("changes nothing when it comes twice, or when live events overlap it", () => {
    const property = fc.property(stepEvents, fc.nat(), (during, cut) => {
      const step = numbered([turnStart, ...during]);
      const replay = condenseForReplay(bufferOf(step));
      const once = replay.reduce(applyEvent, emptyTranscript);
      expect([...replay, ...replay].reduce(applyEvent, emptyTranscript)).toEqual(once);
      const overlap = step.slice(0, cut % (step.length + 1)).filter(({ seq }) => seq <= once.seq);
      expect(overlap.reduce<Transcript>(applyEvent, once)).toEqual(once);
    });
    expect(() => fc.assert(property, { numRuns: 300 })).not.toThrow();
  });
});

test("the updates that later ones say again are found, oldest first", () => {
  const buffer = bufferOf(
    numbered([turnStart, toolSays("t1", "1"), toolSays("t2", "1"), toolSays("t1", "2"), toolSays("t2", "2")]),
  );
  expect(supersededUpdates(buffer)).toEqual([1, 2]);
});
