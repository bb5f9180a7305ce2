import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Delta, joinDeltas } from "../../src/domain/deltas.ts";
import type { Message, SessionEvent } from "../../src/domain/events.ts";
import { applyEvent, emptyTranscript } from "../../src/domain/transcript.ts";

const delta = (seq: number, text: string, more: Partial<Delta["delta"]> = {}, key = "a"): Delta => ({
  type: "message_update",
  seq,
  at: seq * 10,
  key,
  delta: { contentIndex: 0, kind: "text", text, ...more },
});

const opened = (key: string, seq: number): SessionEvent => {
  const message: Message = { key, role: "assistant", at: 0, content: [], stopReason: "pending" };
  return { type: "message_start", key, message, seq, at: 0 };
};

describe("deltas of a message", () => {
  test("that go on one text become one, with the number and the time of the last", () => {
    const deltas = [delta(3, "Hel"), delta(4, "lo "), delta(5, "you")];
    expect(joinDeltas(deltas)).toEqual([delta(5, "Hello you")]);
  });

  test.each([
    ["of another content", delta(4, "b", { contentIndex: 1 })],
    ["of another kind", delta(4, "b", { kind: "thinking" })],
    ["of another message", delta(4, "b", {}, "b")],
    ["that begin a tool's call", delta(4, "b", { toolCall: { id: "1", name: "bash" } })],
  ])("%s stay apart", (_which, other) => {
    expect(joinDeltas([delta(3, "a"), other])).toEqual([delta(3, "a"), other]);
  });

  test("keep the call of a tool that the first of them begins", () => {
    const call = { kind: "toolCall", toolCall: { id: "1", name: "bash" } } as const;
    const deltas = [delta(3, "", call), delta(4, '{"a"', { kind: "toolCall" })];
    expect(joinDeltas(deltas)).toEqual([delta(4, '{"a"', call)]);
  });

  test("fold to the same, joined or not", () => {
    const anyDelta = fc.record({
      key: fc.constantFrom("a", "b", "unknown"),
      contentIndex: fc.nat(2),
      kind: fc.constantFrom("text", "thinking", "toolCall"),
      text: fc.constantFrom("", "x", "yz"),
      begins: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyDelta), (fields) => {
        const deltas = fields.map(({ key, contentIndex, kind, text, begins }, at) => {
          const toolCall = begins && kind === "toolCall" ? { toolCall: { id: `${at}`, name: "bash" } } : {};
          return delta(at + 3, text, { contentIndex, kind, ...toolCall }, key);
        });
        const start = [opened("a", 1), opened("b", 2)].reduce(applyEvent, emptyTranscript);
        expect(joinDeltas(deltas).reduce(applyEvent, start)).toEqual(deltas.reduce(applyEvent, start));
      }),
    );
  });
});
