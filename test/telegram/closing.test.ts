import { describe, expect, test } from "vitest";
import type { TurnId } from "../../src/domain/ids.ts";
import { emptyTranscript, type Transcript } from "../../src/domain/transcript.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import { type Closing, closingCalls } from "../../src/telegram/closing.ts";
import { RING_AFTER } from "../../src/telegram/timing.ts";

function ended(elapsed: number, outcome: TurnOutcome = { type: "done" }, tools = 0): Transcript {
  const tool = { name: "bash", summary: "x", startedAt: 0, endedAt: 1, output: "", isError: false };
  return {
    ...emptyTranscript,
    turn: { id: "t-1" as TurnId, startedAt: 1_000, endedAt: 1_000 + elapsed, outcome },
    tools: Array.from({ length: tools }, (_, index) => ({ ...tool, id: `${index}` })),
  };
}

const close = (transcript: Transcript, rest: Partial<Closing> = {}) =>
  closingCalls({ transcript, answer: "# All", isIncomplete: false, face: "telegram", replyTo: 7, ...rest });

describe("the close of a turn", () => {
  test("is nothing when it was quick and fitted", () => {
    expect(close(ended(RING_AFTER))).toEqual([]);
  });

  test.each<[TurnOutcome, number, number, string]>([
    [{ type: "done" }, 31_000, 0, "Done, 30 s"],
    [{ type: "done" }, 4 * 60_000 + 12_000, 7, "Done, 4 min, 7 tools"],
    [{ type: "done" }, 61 * 60_000, 1, "Done, 1 h 1 min, 1 tool"],
    [{ type: "failed", message: "No." }, 90_000, 2, "Failed, 1 min, 2 tools"],
  ])(
    "rings after a long wait, as a reply to the prompt: %j, %i ms, %i tools",
    (outcome, elapsed, tools, text) => {
      expect(close(ended(elapsed, outcome, tools))).toEqual([
        { type: "send", content: { text, entities: [] }, silent: false, replyTo: 7 },
      ]);
    },
  );

  test.each<TurnOutcome>([{ type: "stopped" }, { type: "replaced" }])(
    "does not ring for who ended it: %j",
    (outcome) => {
      expect(close(ended(90_000, outcome))).toEqual([]);
    },
  );

  test.each(["deck", "http", undefined] as const)(
    "does not ring for a turn that was begun elsewhere (%s)",
    (face) => {
      expect(close(ended(90_000), { face })).toEqual([]);
    },
  );

  test("rings without a reply where the prompt is not known any more", () => {
    expect(close(ended(90_000), { replyTo: undefined })).toEqual([
      { type: "send", content: { text: "Done, 1 min", entities: [] }, silent: false },
    ]);
  });

  test("brings the whole answer as a file where its pages hold only the beginning, and rings last", () => {
    expect(close(ended(90_000), { isIncomplete: true }).map(({ type }) => type)).toEqual([
      "document",
      "send",
    ]);
    expect(close(ended(1_000, { type: "stopped" }), { isIncomplete: true })).toEqual([
      { type: "document", name: "answer.md", text: "# All" },
    ]);
  });
});
