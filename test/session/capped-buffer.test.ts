import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/domain/events.ts";
import { applyEvent, emptyTranscript } from "../../src/domain/transcript.ts";
import { createCappedBuffer, LARGEST_BUFFER } from "../../src/session/capped-buffer.ts";
import { condenseForReplay } from "../../src/session/turn-buffer.ts";
import { fold, numbered, opens, said, says, toolEnds, toolStarts } from "../domain/events.ts";
import { stepEvents, toolSays, turnStart, walkStep } from "./step-events.ts";

function bufferOf(events: readonly AgentEvent[], limit?: number) {
  const buffer = createCappedBuffer(limit);
  walkStep(emptyTranscript, numbered([turnStart, ...events]), (event) => buffer.append(event));
  return buffer.entries;
}

const bytes = (entries: readonly object[]): number =>
  entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);

const ends = (id: string, output: string): AgentEvent => ({
  type: "tool_execution_end",
  toolCallId: id,
  toolName: "bash",
  output,
  isError: false,
});

describe("a step's buffer", () => {
  test("drops the updates of a tool when it ends, and of no other", () => {
    const entries = bufferOf([
      toolStarts("t1", "bash", "one"),
      toolStarts("t2", "bash", "two"),
      toolSays("t1", "1"),
      toolSays("t2", "1"),
      toolSays("t1", "2"),
      ends("t1", "3"),
    ]);
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 5, 7]);
  });

  test("stays within its bytes while two tools talk for an hour, and keeps the newest of each", () => {
    const output = "x".repeat(50_000);
    const talk = Array.from({ length: 400 }, (_, n) => [
      toolSays("t1", `a${n}${output}`),
      toolSays("t2", `b${n}${output}`),
    ]).flat();
    const entries = bufferOf([toolStarts("t1", "bash", "one"), toolStarts("t2", "bash", "two"), ...talk]);
    expect(bytes(entries)).toBeLessThanOrEqual(LARGEST_BUFFER);
    expect(entries.at(-1)).toMatchObject({ output: `b399${output}` });
    expect(entries.at(-2)).toMatchObject({ output: `a399${output}` });
    expect(entries.slice(0, 3).map(({ type }) => type)).toEqual([
      "turn_start",
      "tool_execution_start",
      "tool_execution_start",
    ]);
  });

  test("gives up the oldest superseded updates first", () => {
    const talk = Array.from({ length: 10 }, (_, n) => toolSays(`t${n % 2}`, `${n}`.repeat(1_000)));
    const kept = bufferOf(talk, 6_000).map(({ seq }) => seq);
    expect(kept[0]).toBe(1);
    expect(kept.length).toBeGreaterThan(3);
    expect(kept.slice(1)).toEqual([7, 8, 9, 10, 11].slice(-(kept.length - 1)));
  });

  test("shortens what tools said to head and tail, with a mark, when nothing is left to drop", () => {
    const tools = Array.from({ length: 100 }, (_, n) => [
      toolStarts(`t${n}`, "bash", "ls"),
      ends(`t${n}`, `head ${"😀".repeat(30_000)} tail`),
    ]).flat();
    const entries = bufferOf(tools, 1_000_000);
    expect(bytes(entries)).toBeLessThanOrEqual(1_000_000);
    expect(entries).toHaveLength(201);
    const [first] = entries.filter((entry) => entry.type === "tool_execution_end");
    expect(first?.output).toMatch(/^head 😀.*\n\[… \d+ characters left out …\]\n.*😀 tail$/su);
    expect(first?.output.isWellFormed()).toBe(true);
  });

  test("shortens a tool's result message too, and no message of a person or the agent", () => {
    const text = "y".repeat(40_000);
    const result = {
      key: "r",
      role: "toolResult",
      at: 0,
      content: [{ type: "text", text }],
      toolCallId: "t1",
    } as const;
    const entries = bufferOf(
      [said("a", text), { type: "message_end", key: "r", message: result }, ends("t1", text)],
      60_000,
    );
    const lengths = entries.map((entry) =>
      entry.type === "message_end"
        ? entry.message.content.map((part) => (part.type === "text" ? part.text.length : 0))
        : [],
    );
    expect(lengths[1]).toEqual([40_000]);
    expect(lengths[2]?.[0]).toBeLessThan(10_000);
  });

  test("never gives up a start, an end or a message, however small its limit", () => {
    const property = fc.property(stepEvents, (events) => {
      const lasting = (entries: readonly { readonly type: string; readonly seq: number }[]) =>
        entries.filter(({ type }) => !type.endsWith("_update")).map(({ seq }) => seq);
      expect(lasting(bufferOf(events, 10))).toEqual(lasting(numbered([turnStart, ...events])));
    });
    expect(() => fc.assert(property)).not.toThrow();
  });

  test("folds as the whole step does as long as nothing was shortened", () => {
    const property = fc.property(stepEvents, fc.integer({ min: 10, max: 2_000 }), (events, limit) => {
      const state = condenseForReplay(bufferOf(events, limit)).reduce(applyEvent, emptyTranscript);
      expect({ ...state, seq: 0 }).toEqual({ ...fold(numbered([turnStart, ...events])), seq: 0 });
    });
    expect(() => fc.assert(property, { numRuns: 1_000 })).not.toThrow();
  });

  test("weighs a long message at its end, not at each of its updates", () => {
    let lengths = 0;
    const big = "z".repeat(1_000);
    const buffer = createCappedBuffer(1_000_000);
    const pieces = Array.from({ length: 2_000 }, () => says("a", big));
    walkStep(emptyTranscript, numbered([turnStart, opens("a"), ...pieces, toolEnds("t")]), (event) => {
      if (event.type === "message_update") {
        const { message } = event;
        buffer.append({
          ...event,
          get message() {
            lengths += 1;
            return message;
          },
        });
      } else buffer.append(event);
    });
    expect(lengths).toBeLessThan(10);
    expect(buffer.entries).toHaveLength(4);
  });
});
