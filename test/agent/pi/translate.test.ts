import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PiMessage } from "../../../src/agent/pi/message.ts";
import type { PiRecord } from "../../../src/agent/pi/protocol.ts";
import { createTranslator } from "../../../src/agent/pi/translate.ts";
import { cutSentence } from "../../../src/domain/cut.ts";
import type { AgentEvent } from "../../../src/domain/events.ts";
import { fold, textsOf } from "../recorder.ts";

const assistant = (text: string, more: Partial<PiMessage> = {}): PiMessage => ({
  role: "assistant",
  content: text === "" ? [] : [{ type: "text", text }],
  stopReason: "stop",
  ...more,
});
const start = (message: PiMessage): PiRecord => ({ type: "message_start", message });
const end = (message: PiMessage): PiRecord => ({ type: "message_end", message });
const delta = (text: string, index = 0): PiRecord => ({ type: "block_delta", block: "text", index, text });
const blockEnd = (text: string, index = 0): PiRecord => ({ type: "block_end", block: "text", index, text });
const retry: PiRecord = {
  type: "auto_retry_start",
  attempt: 1,
  maxAttempts: 3,
  delayMs: 20,
  errorMessage: "no",
};
const failed = assistant("oops", { stopReason: "error", errorMessage: "no" });

function translate(records: readonly PiRecord[], asked = ""): readonly AgentEvent[] {
  const translator = createTranslator("k");
  translator.begin(asked);
  return records.flatMap((record) => translator.translate(record, 7));
}

describe("a message", () => {
  test("has one key from its start to its end, with the prefix of its process", () => {
    const events = translate([start(assistant("")), delta("a"), end(assistant("a"))]);
    expect(events.map((event) => ("key" in event ? event.key : ""))).toEqual(["k-1", "k-1", "k-1"]);
  });

  test("has the agent's time, or else evie's", () => {
    const events = translate([start(assistant("", { timestamp: 3 })), start(assistant(""))]);
    expect(events).toMatchObject([{ message: { at: 3 } }, { message: { at: 7 } }]);
  });

  test("of a person is whole at its start", () => {
    const user: PiMessage = { role: "user", content: [{ type: "text", text: "hi" }] };
    expect(translate([start(user), end(user)]).map((event) => event.type)).toEqual([
      "message_start",
      "message_end",
    ]);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ["a character in two deltas", ["a\ud83d", "\ude00b"], ["a", "😀b"]],
    ["a delta that is half a character", ["a", "\ud83d", "\ude00", "b"], ["a", "😀", "b"]],
    ["a character with NUL in it", ["\ud83d\0", "\0\ude00"], ["😀"]],
    ["half a character that stays one", ["a\ud83d", "b", "\ude00c"], ["a", "\ufffdb", "\ufffdc"]],
    ["NUL alone", ["\0", "a\0b"], ["ab"]],
  ])("is said in whole characters: %s", (_, deltas, expected) => {
    const events = translate([start(assistant("")), ...deltas.map((text) => delta(text))]);
    expect(events.flatMap((event) => (event.type === "message_update" ? [event.delta.text] : []))).toEqual(
      expected,
    );
  });

  test("gets the other half of a character at its block's end, and each block its own", () => {
    const events = translate([start(assistant("")), delta("a\ud83d"), delta("\ude00", 1), blockEnd("a😀")]);
    expect(fold(events).messages[0]?.content).toEqual([
      { type: "text", text: "a😀" },
      { type: "text", text: "\ufffd" },
    ]);
  });

  test("that comes in pieces cut anywhere folds to all of it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.nat(30)), (text, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
        const pieces = places.map((place, index) => text.slice(place, places[index + 1] ?? place));
        const events = translate([
          start(assistant("")),
          ...pieces.map((piece) => delta(piece)),
          blockEnd(text),
        ]);
        expect(JSON.stringify(events)).not.toMatch(/\\ud[89a-f]/);
        expect(fold(events).messages.flatMap(({ content }) => content)).toEqual(
          text === "" ? [] : [{ type: "text", text }],
        );
      }),
    );
  });

  test("gets what its deltas left out when a block ends", () => {
    const events = translate([start(assistant("")), delta("al"), blockEnd("alpha"), blockEnd("beta", 1)]);
    expect(fold(events).messages[0]?.content).toEqual([
      { type: "text", text: "alpha" },
      { type: "text", text: "beta" },
    ]);
  });

  test("gets nothing twice from a block's end, and no contradiction before its own end", () => {
    const open = [start(assistant("")), delta("alpha"), blockEnd("alpha"), blockEnd("other")];
    expect(textsOf(fold(translate(open)), "assistant")).toEqual(["alpha"]);
    expect(textsOf(fold(translate([...open, end(assistant("other"))])), "assistant")).toEqual(["other"]);
  });

  test("is built by content index, in whatever order blocks grow and end", () => {
    const piece = fc.record({ index: fc.nat(3), text: fc.string({ minLength: 1 }) });
    fc.assert(
      fc.property(fc.array(piece), fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), (pieces, order) => {
        const whole = (index: number): string =>
          pieces.map((piece) => (piece.index === index ? piece.text : "")).join("");
        const events = translate([
          start(assistant("")),
          ...pieces.map(({ index, text }) => delta(text, index)),
          ...order.map((index) => blockEnd(whole(index), index)),
        ]);
        expect(textsOf(fold(events), "assistant")).toEqual([[0, 1, 2, 3].map(whole).join("")]);
      }),
    );
  });

  test("has its tool call named by the first piece of it", () => {
    const toolCall = { id: "c", name: "bash" };
    const events = translate([
      start(assistant("")),
      { type: "block_start", block: "toolCall", index: 0, toolCall },
      { type: "block_delta", block: "toolCall", index: 0, text: "" },
      { type: "block_delta", block: "toolCall", index: 0, text: '{"a"' },
      { type: "block_end", block: "toolCall", index: 0, text: '{"a":1}' },
    ]);
    expect(fold(events).messages[0]?.content).toEqual([
      { type: "toolCall", id: "c", name: "bash", args: '{"a":1}' },
    ]);
    expect(events).toHaveLength(4);
  });

  test("ends as stopped when pi gives a reason that is not known", () => {
    expect(translate([end(assistant("a", { stopReason: "deferred" }))])).toMatchObject([
      { message: { stopReason: "stop" } },
    ]);
  });

  test("gets no delta that belongs to none", () => {
    expect(translate([delta("a"), start(assistant("")), end(assistant("")), delta("b")])).toHaveLength(2);
  });

  test("of a tool is told by its result", () => {
    const result: PiMessage = {
      role: "toolResult",
      content: [{ type: "text", text: "out" }],
      toolCallId: "c",
      toolName: "bash",
      isError: true,
    };
    const expected = {
      key: "k-1",
      message: { role: "toolResult", toolCallId: "c", toolName: "bash", isError: true },
    };
    expect(translate([start(result), end(result)])).toMatchObject([expected, expected]);
  });
});

describe("an attempt that failed", () => {
  const attempt = [start(assistant("")), delta("oops"), end(failed)];

  test.each([
    ["when pi says that it tries once more", [...attempt, retry]],
    ["when it was cut off without an end", [start(assistant("")), delta("oops"), retry]],
    ["when a new answer begins all the same", [...attempt, start(assistant(""))]],
  ])("leaves %s", (_when, records) => {
    const events = translate(records);
    expect(events).toContainEqual({ type: "message_discard", key: "k-1" });
    expect(textsOf(fold(events), "assistant").join("")).toBe("");
  });

  test("leaves once", () => {
    const events = translate([...attempt, retry, start(assistant("")), end(assistant("good"))]);
    expect(events.filter((event) => event.type === "message_discard")).toHaveLength(1);
    expect(textsOf(fold(events), "assistant")).toEqual(["good"]);
  });

  test("stays when it was the last, and in the next run", () => {
    const translator = createTranslator("k");
    const events = attempt.flatMap((record) => translator.translate(record, 1));
    translator.begin("next");
    events.push(...translator.translate(start(assistant("")), 1));
    expect(textsOf(fold(events), "assistant")).toEqual(["oops", ""]);
  });

  test("leaves as well when it was cut off, and the agent shortens its history to ask once more", () => {
    const half = assistant("half", { stopReason: "length" });
    const again = [start(assistant("")), end(assistant("whole"))];
    const compacted = (willRetry: boolean): PiRecord => ({ type: "compaction_end", willRetry });
    const textsAfter = (willRetry: boolean) =>
      textsOf(
        fold(translate([start(assistant("")), end(half), compacted(willRetry), ...again])),
        "assistant",
      );
    expect(textsAfter(true)).toEqual(["whole"]);
    expect(textsAfter(false)).toEqual(["half", "whole"]);
  });

  test("is told with its reason", () => {
    const notice = { type: "retrying", attempt: 1, maxAttempts: 3, delayMs: 20, reason: "no" };
    expect(translate([retry])).toEqual([{ type: "notice", notice }]);
  });
});

describe("a message that is not whole, or that failed, says why", () => {
  test.each<[string, Partial<PiMessage>, string | undefined]>([
    ["at its longest", { stopReason: "length" }, cutSentence({ type: "length" })],
    ["with a tool that was not named", { stopReason: "toolUse" }, cutSentence({ type: "no_tool" })],
    ["whole", { stopReason: "stop" }, undefined],
    [
      "with a page of a proxy",
      { stopReason: "error", errorMessage: "502 <html><head><title>502 Bad Gateway</title></head></html>" },
      "The provider's server failed (502). Wait a minute, then send the message again.",
    ],
    [
      "with nothing but the provider's word for its stop",
      { stopReason: "error", errorMessage: "An unknown error occurred", rawStopReason: "SAFETY" },
      "The provider's filter for content stopped the answer. Ask in other words, or send /clear for a new session.",
    ],
  ])("%s", (_, more, error) => {
    const [, event] = translate([start(assistant("")), end(assistant("x", more))]);
    expect(event?.type === "message_end" && event.message.error).toBe(error);
  });

  test("also in the notice of a new attempt, without advice", () => {
    const events = translate([{ ...retry, errorMessage: '529 {"error":{"type":"overloaded_error"}}' }]);
    expect(events).toMatchObject([{ notice: { reason: "the provider is overloaded (529)" } }]);
  });
});

describe("a picture that was left out", () => {
  const user = (text: string): PiRecord => start({ role: "user", content: [{ type: "text", text }] });
  const OMITTED = "[Image omitted: could not be resized below the inline image size limit.]";

  test.each([
    ["look", `look\n\n${OMITTED}`, true],
    ["", OMITTED, true],
    ["/look", `the template of look\n\n${OMITTED}`, true],
    ["look", "look", false],
    [`what is ${OMITTED}?`, `what is ${OMITTED}?`, false],
  ])("is told when pi says so, not when the person does: %j", (asked, text, told) => {
    const notices = translate([user(text)], asked).filter((event) => event.type === "notice");
    expect(notices).toEqual(told ? [{ type: "notice", notice: { type: "image_omitted" } }] : []);
  });
});

test("what an extension says is one line, and nothing is not said", () => {
  const say = (text: string): PiRecord => ({ type: "extension_message", text });
  expect(translate([say("a\n\u001b[31mb\u001b[0m"), say(" \n")])).toEqual([
    { type: "notice", notice: { type: "extension_message", text: "a b" } },
  ]);
});

test("a web page in what an extension says becomes its title", () => {
  const text = "Server git: 502 <html><head><title>502 Bad Gateway</title></head><body>x</body></html>";
  expect(translate([{ type: "extension_message", text }])).toEqual([
    { type: "notice", notice: { type: "extension_message", text: "Server git: 502 502 Bad Gateway" } },
  ]);
});
