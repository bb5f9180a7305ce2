import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, SessionEvent } from "../../src/domain/events.ts";
import { applyEvent, emptyTranscript } from "../../src/domain/transcript.ts";
import { joinPieces, type Piece } from "../../src/domain/pieces.ts";

const piece = (seq: number, text: string, delta: Partial<Piece["delta"]> = {}, key = "a"): Piece => ({
  type: "message_update",
  seq,
  at: seq * 10,
  key,
  delta: { contentIndex: 0, kind: "text", text, ...delta },
});

const opened = (key: string, seq: number): SessionEvent => {
  const message: Message = { key, role: "assistant", at: 0, content: [], stopReason: "pending" };
  return { type: "message_start", key, message, seq, at: 0 };
};

describe("pieces of a message", () => {
  test("that go on one text become one, with the number and the time of the last", () => {
    const pieces = [piece(3, "Hel"), piece(4, "lo "), piece(5, "you")];
    expect(joinPieces(pieces)).toEqual([piece(5, "Hello you")]);
  });

  test.each([
    ["of another content", piece(4, "b", { contentIndex: 1 })],
    ["of another kind", piece(4, "b", { kind: "thinking" })],
    ["of another message", piece(4, "b", {}, "b")],
    ["that begin a tool's call", piece(4, "b", { toolCall: { id: "1", name: "bash" } })],
  ])("%s stay apart", (_which, other) => {
    expect(joinPieces([piece(3, "a"), other])).toEqual([piece(3, "a"), other]);
  });

  test("keep the call of a tool that the first of them begins", () => {
    const call = { kind: "toolCall", toolCall: { id: "1", name: "bash" } } as const;
    const pieces = [piece(3, "", call), piece(4, '{"a"', { kind: "toolCall" })];
    expect(joinPieces(pieces)).toEqual([piece(4, '{"a"', call)]);
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
      fc.property(fc.array(anyDelta), (deltas) => {
        const pieces = deltas.map(({ key, contentIndex, kind, text, begins }, at) => {
          const toolCall = begins && kind === "toolCall" ? { toolCall: { id: `${at}`, name: "bash" } } : {};
          return piece(at + 3, text, { contentIndex, kind, ...toolCall }, key);
        });
        const start = [opened("a", 1), opened("b", 2)].reduce(applyEvent, emptyTranscript);
        expect(joinPieces(pieces).reduce(applyEvent, start)).toEqual(pieces.reduce(applyEvent, start));
      }),
    );
  });
});
