import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, Content, Notice, TurnEvent } from "../../src/domain/events.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import type { Entity, FormattedText } from "../../src/telegram/entities.ts";
import {
  hasAnswer,
  MOST_EXTENSION_LINES,
  untilViewChanges,
  viewOf,
  withLines,
} from "../../src/telegram/view.ts";
import {
  EMPTY_ANSWER,
  moreRemarks,
  noticeLine,
  PLACEHOLDER,
  STEP_CUT,
  THINKING,
} from "../../src/telegram/words.ts";
import {
  assistant,
  begin,
  end,
  opens,
  said,
  says,
  SECOND,
  T0,
  thinks,
  toolEnds,
  toolStarts,
  transcriptOf,
} from "../domain/events.ts";

type Events = readonly (AgentEvent | TurnEvent)[];

const retrying: Notice = { type: "retrying", attempt: 1, maxAttempts: 3, delayMs: 2_000, reason: "529" };
const omitted: Notice = { type: "image_omitted" };
const notice = (what: Notice): AgentEvent => ({ type: "notice", notice: what });
const discard = (key: string): AgentEvent => ({ type: "message_discard", key });
const asked: AgentEvent = {
  type: "message_end",
  key: "u",
  message: { key: "u", role: "user", at: T0, content: [{ type: "text", text: "do it" }] },
};
const toolResult: AgentEvent = {
  type: "message_end",
  key: "r",
  message: { key: "r", role: "toolResult", at: T0, content: [{ type: "text", text: "ok" }], toolCallId: "1" },
};

const call = { type: "toolCall", id: "1", name: "bash", args: "{}" } as const;

const atEnd = (events: Events): number => T0 + (events.length - 1) * SECOND;
/** The steps of an answer, as the tables below give it: one as a text, none as an empty one. */
const stepsOf = (answer: string | readonly string[]) => [answer].flat().filter((step) => step !== "");

const view = (...events: Events) => viewOf(transcriptOf(...events), atEnd(events));

describe("while a turn runs, its view", () => {
  test.each<[string, Events, string | readonly string[], readonly string[]]>([
    ["is the placeholder before any word", [begin], "", [PLACEHOLDER]],
    ["is the placeholder while the prompt is all there is", [begin, asked], "", [PLACEHOLDER]],
    ["is the placeholder while a message is open and empty", [begin, opens("a")], "", [PLACEHOLDER]],
    [
      "is the placeholder while nothing can be seen",
      [begin, opens("a"), says("a", " \n")],
      "",
      [PLACEHOLDER],
    ],
    [
      "is the placeholder while there is nothing but a zero-width space",
      [begin, opens("a"), says("a", "\u200b")],
      "",
      [PLACEHOLDER],
    ],
    ["says that the agent thinks", [begin, opens("a"), thinks("a", "hm")], "", [THINKING]],
    [
      "does not say that it thinks when it has begun to speak",
      [begin, opens("a"), thinks("a", "hm"), says("a", "So", 1)],
      "So",
      [],
    ],
    [
      "says that it thinks again",
      [begin, opens("a"), says("a", "So"), thinks("a", "hm", 1)],
      "So",
      [THINKING],
    ],
    [
      "does not think in a message that is over",
      [begin, said("a", { type: "thinking", text: "hm" })],
      "",
      [PLACEHOLDER],
    ],
    ["is the answer so far", [begin, asked, opens("a"), says("a", "Hel"), says("a", "lo")], "Hello", []],
    [
      "names the tool that runs",
      [begin, said("a", "Let me see.", call), toolStarts("1", "bash", "npm test")],
      "Let me see.",
      ["🔧 bash: npm test"],
    ],
    [
      "names a tool that runs in place of the placeholder",
      [begin, toolStarts("1", "bash", "npm test")],
      "",
      ["🔧 bash: npm test"],
    ],
    [
      "does not name a tool that has ended",
      [begin, toolStarts("1", "bash", "npm test"), toolEnds("1"), toolResult],
      "",
      [PLACEHOLDER],
    ],
    [
      "has what several steps said, in their order, and leaves results out",
      [
        begin,
        said("a", "First.", call),
        toolStarts("1", "bash", "x"),
        toolEnds("1"),
        toolResult,
        said("b", "Then."),
      ],
      ["First.", "Then."],
      [],
    ],
    [
      "joins the texts of one message",
      [begin, said("a", "One.", { type: "thinking", text: "hm" }, "Two.")],
      "One.\n\nTwo.",
      [],
    ],
    ["keeps a text to the character", [begin, said("a", "  code\n")], "  code\n", []],
    [
      "says that the model is tried again, and nothing of the attempt that failed",
      [begin, opens("a"), says("a", "Hal"), discard("a"), notice(retrying)],
      "",
      [noticeLine(retrying)],
    ],
    [
      "says so before it names tools",
      [begin, toolStarts("1", "bash", "x"), notice({ type: "compacting" })],
      "",
      [noticeLine({ type: "compacting" })],
    ],
    [
      "does not say so any more when the agent speaks again",
      [begin, notice(retrying), opens("b"), says("b", "Hello")],
      "Hello",
      [],
    ],
    [
      "keeps remarks above what passes",
      [begin, notice(omitted), toolStarts("1", "bash", "x")],
      "",
      [noticeLine(omitted), "🔧 bash: x"],
    ],
    ["has no placeholder beside a remark", [begin, notice(omitted)], "", [noticeLine(omitted)]],
  ])("%s", (_, events, answer, lines) => {
    expect(view(...events)).toEqual({ answer: stepsOf(answer), lines, final: false });
  });
});

describe("when a turn has ended, its view", () => {
  const done: TurnOutcome = { type: "done" };
  const replaced: TurnOutcome = { type: "replaced" };
  const stopped: TurnOutcome = { type: "stopped" };
  const failed: TurnOutcome = { type: "failed", message: "The agent ended." };
  const hello = [opens("a"), says("a", "Hello")];
  const tools = [said("a", call), toolStarts("1", "bash", "x")];

  test.each<[string, Events, TurnOutcome, string, readonly string[]]>([
    ["is the answer alone", hello, done, "Hello", []],
    ["marks an answer that was replaced", hello, replaced, "Hello", ["(interrupted by your next message)"]],
    ["marks an answer that was stopped", hello, stopped, "Hello", ["(stopped)"]],
    ["says below an answer what went wrong", hello, failed, "Hello", ["⚠️ The agent ended."]],
    ["is a neutral line when nothing was said", [], done, "", [EMPTY_ANSWER]],
    ["is nothing when a turn without a word was replaced", [], replaced, "", []],
    ["is nothing when a turn without a word was stopped", [], stopped, "", []],
    ["is what went wrong when nothing was said", [], failed, "", ["⚠️ The agent ended."]],
    ["is a neutral line when only tools ran", tools, done, "", [EMPTY_ANSWER]],
    ["is nothing when only tools ran and it was stopped", tools, stopped, "", []],
    [
      "is a neutral line when only white space was said",
      [said("a", " \n", "\u200b")],
      done,
      "",
      [EMPTY_ANSWER],
    ],
    [
      "is a neutral line when only thoughts were thought",
      [opens("a"), thinks("a", "hm")],
      done,
      "",
      [EMPTY_ANSWER],
    ],
    ["keeps no tool line", [...hello, toolStarts("1", "bash", "x")], done, "Hello", []],
    ["keeps no notice that passes", [...hello, notice(retrying)], done, "Hello", []],
    ["keeps remarks", [notice(omitted), ...hello], done, "Hello", [noticeLine(omitted)]],
    ["keeps remarks without an answer too", [notice(omitted)], done, "", [noticeLine(omitted), EMPTY_ANSWER]],
    [
      "marks what was stopped after a remark",
      [notice(omitted)],
      stopped,
      "",
      [noticeLine(omitted), "(stopped)"],
    ],
    ["has nothing of an attempt that was discarded", [...hello, discard("a")], stopped, "", []],
  ])("%s", (_, events, outcome, answer, lines) => {
    expect(view(begin, ...events, end(outcome))).toEqual({
      answer: stepsOf(answer),
      lines,
      final: true,
    });
  });
});

describe("words that are not whole", () => {
  const cut = (key: string, ...content: readonly Content[]): AgentEvent => ({
    type: "message_end",
    key,
    message: assistant(key, content, { stopReason: "length" }),
  });
  const half: Content = { type: "text", text: "half" };
  const outcome: TurnOutcome = { type: "done", cut: { reason: "length", message: "Cut off here." } };

  test.each<[string, Events, readonly string[]]>([
    ["are said to be below a turn's end", [cut("a", half), end(outcome)], ["✂️ Cut off here."]],
    ["also when there are none", [cut("a"), end(outcome)], ["✂️ Cut off here."]],
    [
      "are said to be below what came behind them",
      [cut("a", half), said("b", "x"), end({ type: "done" })],
      [STEP_CUT],
    ],
    ["while that comes", [cut("a", half), opens("b"), says("b", "x")], [STEP_CUT]],
    ["once", [cut("a", half), cut("b", half), end(outcome)], ["✂️ Cut off here."]],
    ["not while nothing came behind them", [cut("a", half)], []],
    [
      "not when only a call of a tool was cut off",
      [cut("a", call), said("b", "x"), end({ type: "done" })],
      [],
    ],
  ])("%s", (_, events, lines) => {
    expect(view(begin, ...events).lines).toEqual(lines);
  });
});

describe("an extension", () => {
  const speaks = (text: string) => notice({ type: "extension_message", text });

  test("that says the same again and again is heard once", () => {
    const events = Array.from({ length: 500 }, () => speaks("oops"));
    expect(view(begin, speaks("hello"), ...events).lines).toEqual(["ℹ️ hello", "ℹ️ oops"]);
  });

  test("that says very much is heard in part, and hides nothing else", () => {
    const events = Array.from({ length: MOST_EXTENSION_LINES + 45 }, (_, at) => speaks(`line ${at}`));
    expect(view(begin, ...events, notice(omitted)).lines).toEqual([
      ...Array.from({ length: MOST_EXTENSION_LINES }, (_, at) => `ℹ️ line ${at}`),
      noticeLine(omitted),
      moreRemarks(45),
    ]);
  });

  test("that says as much as is heard is heard whole", () => {
    const events = Array.from({ length: MOST_EXTENSION_LINES }, (_, at) => speaks(`line ${at}`));
    expect(view(begin, ...events).lines).toHaveLength(MOST_EXTENSION_LINES);
  });
});

test("a tool's line tells how long it runs by the time that is asked for", () => {
  const transcript = transcriptOf(begin, toolStarts("1", "bash", "npm test"));
  expect(viewOf(transcript, T0 + SECOND + 120_000).lines).toEqual(["🔧 bash: npm test, 2 min"]);
});

describe("the moment at which a view changes by itself", () => {
  test.each<[string, Events, number | undefined]>([
    ["is none when nothing runs", [begin, said("a", "Hi")], undefined],
    ["is the next step of the latest tool's time", [begin, toolStarts("1", "bash", "x"), opens("a")], 4_000],
    [
      "is none while a notice stands in the tool's place",
      [begin, toolStarts("1", "bash", "x"), notice(retrying)],
      undefined,
    ],
    ["is none when the tool has ended", [begin, toolStarts("1", "bash", "x"), toolEnds("1")], undefined],
    [
      "is none when the turn has ended",
      [begin, toolStarts("1", "bash", "x"), end({ type: "stopped" })],
      undefined,
    ],
  ])("%s", (_, events, wait) => {
    expect(untilViewChanges(transcriptOf(...events), atEnd(events))).toBe(wait);
  });
});

const anyEvent = fc.oneof(
  fc.constantFrom<AgentEvent>(
    opens("a"),
    opens("b"),
    says("a", "text"),
    says("a", " \n"),
    says("b", "\u200b"),
    says("b", "more", 1),
    thinks("a", "hm"),
    thinks("b", "hm", 1),
    said("a", "whole", call),
    said("b"),
    discard("a"),
    discard("b"),
    toolStarts("1", "bash", "x"),
    toolStarts("2", "read", ""),
    toolEnds("1"),
    toolEnds("2", "read"),
    notice(retrying),
    notice(omitted),
    asked,
    toolResult,
    { type: "turn_start" },
    { type: "turn_end" },
  ),
);
const anyOutcome = fc.constantFrom<TurnOutcome>(
  { type: "done" },
  { type: "replaced" },
  { type: "stopped" },
  { type: "failed", message: "Broken." },
);

describe("whatever happens in a turn", () => {
  test("the placeholder stands there exactly when nothing else does", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), fc.nat(200_000), (events, later) => {
        const { answer, lines, final } = viewOf(transcriptOf(begin, ...events), T0 + later);
        expect(final).toBe(false);
        const others = lines.filter((line) => line !== PLACEHOLDER);
        expect(lines.includes(PLACEHOLDER)).toBe(answer.length === 0 && others.length === 0);
      }),
    );
  });

  test("its end leaves no placeholder, and says something unless somebody wanted its silence", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), anyOutcome, (events, outcome) => {
        const { answer, lines, final } = view(begin, ...events, end(outcome));
        expect(final).toBe(true);
        expect(lines).not.toContain(PLACEHOLDER);
        const wanted = outcome.type === "stopped" || outcome.type === "replaced";
        expect(answer.length > 0 || lines.length > 0 || wanted).toBe(true);
        if (wanted) expect(lines.length > 0).toBe(answer.length > 0 || lines.length > 1);
      }),
    );
  });

  test("it has an answer exactly when its view has one", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), (events) => {
        const transcript = transcriptOf(begin, ...events);
        expect(hasAnswer(transcript)).toBe(viewOf(transcript, T0).answer.length > 0);
      }),
    );
  });

  test("its view stays as it is until the moment that is foretold, and changes then", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), fc.nat(200_000), (events, later) => {
        const transcript = transcriptOf(begin, ...events);
        const at = atEnd(events) + SECOND + later;
        const wait = untilViewChanges(transcript, at);
        const before = viewOf(transcript, at);
        expect(viewOf(transcript, at + (wait ?? 3_600_000) - 1)).toEqual(before);
        if (wait !== undefined) expect(viewOf(transcript, at + wait)).not.toEqual(before);
      }),
    );
  });
});

test("only the agent's own words count as an answer", () => {
  expect(hasAnswer(transcriptOf(begin, asked, toolResult))).toBe(false);
  const blank = { type: "message_end", key: "a", message: assistant("a", []) } as const;
  expect(hasAnswer(transcriptOf(begin, blank))).toBe(false);
  expect(hasAnswer(transcriptOf(begin, blank, said("b", "x")))).toBe(true);
});

const plain = (text: string): FormattedText => ({ text, entities: [] });
const italic = (text: string): FormattedText => ({
  text,
  entities: [{ type: "italic", offset: 0, length: text.length }],
});

describe("evie's lines", () => {
  test("change nothing when there are none", () => {
    const pages = [plain("a"), plain("b")];
    expect(withLines(pages, [], true)).toEqual(pages);
    expect(withLines([], [], true)).toEqual([]);
  });

  test("stand alone, in italics, when there is no answer", () => {
    expect(withLines([], ["one", "two"], false)).toEqual([italic("one\ntwo")]);
  });

  test("leave the placeholder upright", () => {
    expect(withLines([], [PLACEHOLDER], false)).toEqual([plain(PLACEHOLDER)]);
  });

  test("stand below the last page, in italics, whose own entities stay", () => {
    const page: FormattedText = { text: "hello", entities: [{ type: "bold", offset: 0, length: 5 }] };
    expect(withLines([plain("first"), page], ["one", "two"], false)).toEqual([
      plain("first"),
      {
        text: "hello\n\none\ntwo",
        entities: [
          { type: "bold", offset: 0, length: 5 },
          { type: "italic", offset: 7, length: 7 },
        ],
      },
    ]);
  });

  const line = "(stopped)";
  const full = (spare: number) => plain("x".repeat(4_096 - 2 - line.length - spare));
  const bolds = (count: number): FormattedText => ({
    text: "x".repeat(count),
    entities: Array.from({ length: count }, (_, offset): Entity => ({ type: "bold", offset, length: 1 })),
  });

  test.each<[string, FormattedText, boolean]>([
    ["a page with just enough room", full(0), true],
    ["a page with one unit too few", full(-1), false],
    ["a page that is full", plain("x".repeat(4_096)), false],
    ["a page with room for one entity", bolds(99), true],
    ["a page with room for none", bolds(100), false],
  ])("below %s", (_, page, fits) => {
    for (const final of [true, false]) {
      const pages = withLines([plain("first"), page], [line], final);
      expect(pages[0]).toEqual(plain("first"));
      if (fits) {
        expect(pages[1]?.text).toBe(`${page.text}\n\n${line}`);
        expect(pages).toHaveLength(2);
      } else {
        expect(pages.slice(1)).toEqual(final ? [page, italic(line)] : [page]);
      }
    }
  });

  test("that are too many for one message get several", () => {
    const lines = Array.from({ length: 60 }, (_, index) => `${index} ${"x".repeat(100)}`);
    for (const [pages, final, before] of [
      [[], false, 0],
      [[plain("hello")], true, 1],
    ] as const) {
      const made = withLines(pages, lines, final).slice(before);
      expect(made.length).toBeGreaterThan(1);
      expect(made.map(({ text }) => text).join("\n")).toBe(lines.join("\n"));
      for (const page of made) {
        expect(page.text.length).toBeLessThanOrEqual(4_096);
        expect(page).toEqual(italic(page.text));
      }
    }
  });
});
