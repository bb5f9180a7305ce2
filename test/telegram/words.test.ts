import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatBytes } from "../../src/domain/file-line.ts";
import type { Notice } from "../../src/domain/events.ts";
import type { ToolState } from "../../src/domain/transcript.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import {
  COMMANDS,
  EMPTY_ANSWER,
  formatElapsed,
  noticeLine,
  outcomeLine,
  PLACEHOLDER,
  replies,
  THINKING,
  toolLine,
  untilElapsedChanges,
} from "../../src/telegram/words.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test.each<[TurnOutcome, string | undefined]>([
  [{ type: "done" }, undefined],
  [{ type: "done", cut: { reason: "length", message: "Cut off here." } }, "✂️ Cut off here."],
  [{ type: "replaced" }, "(interrupted by your next message)"],
  [{ type: "replaced", by: "telegram" }, "(interrupted by your next message)"],
  [{ type: "replaced", by: "deck" }, "(interrupted by a prompt from the deck)"],
  [{ type: "replaced", by: "http" }, "(interrupted by a prompt over HTTP)"],
  [{ type: "stopped" }, "(stopped)"],
  [{ type: "failed", message: "The agent ended." }, "⚠️ The agent ended."],
])("the outcome %o reads %s", (outcome, line) => {
  expect(outcomeLine(outcome)).toBe(line);
});

const retrying = { type: "retrying", attempt: 2, maxAttempts: 3, delayMs: 4_000 } as const;

describe("a notice is one line", () => {
  test.each<[Notice, string]>([
    [{ ...retrying, reason: "529 overloaded" }, "🔁 The model failed: 529 overloaded. Trying again, 2 of 3…"],
    [{ ...retrying, reason: " \n" }, "🔁 The model failed. Trying again, 2 of 3…"],
    [{ type: "compacting" }, "🗜 Making room in the agent's memory…"],
    [{ type: "waiting_for_agent", most: 4 }, "⏳ Waiting for another agent to finish (4 of 4 run)."],
    [
      { type: "question_cancelled", title: "Delete\n it?" },
      "❓ The agent asked “Delete it?”. evie cannot pass questions on yet, so it was told: cancelled.",
    ],
    [
      { type: "question_cancelled", title: "" },
      "❓ The agent asked a question. evie cannot pass questions on yet, so it was told: cancelled.",
    ],
    [{ type: "image_omitted" }, "🖼 The agent could not use a picture and left it out."],
    [{ type: "extension_message", text: " git:\tclean " }, "ℹ️ git: clean"],
  ])("%o", (notice, line) => {
    expect(noticeLine(notice)).toBe(line);
  });

  test("however long and odd what it tells of is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        for (const line of [
          noticeLine({ type: "extension_message", text }),
          noticeLine({ ...retrying, reason: text }),
          noticeLine({ type: "question_cancelled", title: text }),
        ]) {
          expect(Array.from(line).length).toBeLessThan(120 + 100);
          expect(line).not.toMatch(/[\n\r\u2028\u2029\p{Cs}]/u);
        }
      }),
    );
  });

  test("has no half of a character", () => {
    expect(noticeLine({ type: "extension_message", text: "a\ud83d" })).toBe("ℹ️ a\ufffd");
  });

  test("is cut between characters, with an ellipsis", () => {
    const line = (count: number) => noticeLine({ type: "extension_message", text: "😀".repeat(count) });
    expect(line(120)).toBe(`ℹ️ ${"😀".repeat(120)}`);
    expect(line(121)).toBe(`ℹ️ ${"😀".repeat(119)}…`);
  });
});

function tool(fields: Partial<ToolState> = {}): ToolState {
  return { id: "1", name: "bash", summary: "npm test", startedAt: 0, output: "", isError: false, ...fields };
}

describe("the tool line", () => {
  test.each<[string, readonly ToolState[], number, string | undefined]>([
    ["is none when nothing runs", [], 0, undefined],
    ["says nothing of time at first", [tool()], 4_999, "🔧 bash: npm test"],
    ["says how long it runs", [tool()], 2 * MINUTE, "🔧 bash: npm test, 2 min"],
    [
      "names the latest and counts the others",
      [tool(), tool({ summary: "ls" }), tool({ name: "read", summary: "a.ts", startedAt: 10_000 })],
      20_000,
      "🔧 read: a.ts and 2 more, 10 s",
    ],
    ["counts one other", [tool(), tool({ summary: "ls" })], 0, "🔧 bash: ls and 1 more"],
    ["folds white space", [tool({ summary: "a\n  b" })], 0, "🔧 bash: a b"],
    ["names a tool that was called for nothing in particular", [tool({ summary: " " })], 0, "🔧 bash"],
    ["names a tool whose call cannot be seen", [tool({ summary: "\u200b\u3164" })], 0, "🔧 bash"],
    [
      "does not turn the words around what is written from right to left",
      [tool({ summary: "\u2067a\u202eb" }), tool({ summary: "\u2067a\u202eb" })],
      0,
      "🔧 bash: ab and 1 more",
    ],
    ["cuts what is long", [tool({ summary: "x".repeat(200) })], 0, `🔧 bash: ${"x".repeat(113)}…`],
    [
      "says nothing of time when the clock was set back",
      [tool({ startedAt: 9_000 })],
      0,
      "🔧 bash: npm test",
    ],
  ])("%s", (_, running, at, line) => {
    expect(toolLine(running, at)).toBe(line);
  });
});

describe("elapsed time", () => {
  test.each<[number, string]>([
    [-1, ""],
    [0, ""],
    [4_999, ""],
    [5_000, "5 s"],
    [9_999, "5 s"],
    [10_000, "10 s"],
    [59_999, "55 s"],
    [MINUTE, "1 min"],
    [2 * MINUTE - 1, "1 min"],
    [59 * MINUTE, "59 min"],
    [HOUR - 1, "59 min"],
    [HOUR, "1 h 0 min"],
    [HOUR + MINUTE, "1 h 1 min"],
    [25 * HOUR + 5 * MINUTE, "25 h 5 min"],
  ])("of %i ms reads %s", (ms, words) => {
    expect(formatElapsed(ms)).toBe(words);
  });

  test("stays as it is until the moment that is foretold, and changes then", () => {
    const moment = fc.oneof(
      fc.integer({ min: -HOUR, max: 3 * HOUR }),
      fc.integer({ min: -10_000, max: 2 * MINUTE }),
      fc.constantFrom(0, 4_999, 5_000, 55_000, 59_999, MINUTE, HOUR - 1, HOUR),
    );
    fc.assert(
      fc.property(moment, fc.double({ min: 0, max: 1, noNaN: true }), (ms, part) => {
        const wait = untilElapsedChanges(ms);
        expect(wait).toBeGreaterThan(0);
        expect(formatElapsed(ms + Math.floor(part * (wait - 1)))).toBe(formatElapsed(ms));
        expect(formatElapsed(ms + wait)).not.toBe(formatElapsed(ms));
      }),
      { numRuns: 500 },
    );
  });
});

test.each<[number, string]>([
  [0, "0 B"],
  [1, "1 B"],
  [999, "999 B"],
  [1_000, "1.0 kB"],
  [1_234, "1.2 kB"],
  [9_949, "9.9 kB"],
  [9_950, "10 kB"],
  [12_345, "12 kB"],
  [999_499, "999 kB"],
  [999_500, "1.0 MB"],
  [10_000_000, "10 MB"],
  [20 * 1024 * 1024, "21 MB"],
  [3_200_000_000, "3.2 GB"],
  [7_000_000_000_000, "7.0 TB"],
  [7_000_000_000_000_000, "7000 TB"],
])("%i bytes read %s", (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});

describe("what evie replies", () => {
  test.each<[string, string]>([
    [replies.unknownCommand("foo"), "There is no command /foo. /help lists what there is."],
    [replies.stranger(66), "This bot is private. Your id is 66."],
    [replies.unusable("a poll"), "I cannot pass a poll on to the agent. Send text, pictures or files."],
    [
      replies.fileMissing("a.pdf", "the download failed"),
      "“a.pdf” did not reach the agent: the download failed. Send it again if it matters.",
    ],
    [
      replies.fileMissing("a\nb.pdf", "it is larger than 20 MB"),
      "“a b.pdf” did not reach the agent: it is larger than 20 MB. Send it again if it matters.",
    ],
    [replies.fault("evie made a mistake."), "⚠️ evie made a mistake."],
  ])("%s", (said, expected) => {
    expect(said).toBe(expected);
  });

  test("has help for every command of the menu", () => {
    for (const { name } of COMMANDS) expect(replies.help).toContain(`/${name} – `);
  });

  test("fits a message and is never blank", () => {
    const fixed = Object.values(replies).filter((reply) => typeof reply === "string");
    for (const text of [...fixed, PLACEHOLDER, THINKING, EMPTY_ANSWER]) {
      expect(text.trim()).not.toBe("");
      expect(text.length).toBeLessThan(4_096);
    }
  });

  test("names commands as Telegram's menu takes them", () => {
    for (const { name, description } of COMMANDS) {
      expect(name).toMatch(/^[a-z0-9_]{1,32}$/);
      expect(description.length).toBeLessThanOrEqual(256);
    }
  });
});
