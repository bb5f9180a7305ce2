import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallFault } from "../../src/playground/bot-api/faults.ts";
import type { Doing } from "./always-right-checks.ts";
import { play } from "./always-right-rig.ts";
import {
  type ChatScript,
  scenario,
  type StepScript,
  type Trouble,
  type TurnScript,
} from "./always-right-scenario.ts";

const done = { type: "done" } as const;

function step(text: string, fields: Partial<StepScript> = {}): StepScript {
  return { text, cuts: [], gap: 0, thinking: false, retried: false, ...fields };
}

function turn(...steps: readonly StepScript[]): TurnScript {
  return { pause: 0, steps, outcome: done, reached: 1_000 };
}

function chat(turns: readonly TurnScript[], fields: Partial<ChatScript> = {}): ChatScript {
  return { turns, replies: [], deletions: [], ...fields };
}

function goesWrong(at: number, fault: CallFault): Trouble {
  return { at, kind: "call", fault };
}

/** `send 0 Hello`: what was done, for which turn, with which words. */
function said(doings: readonly Doing[]): readonly string[] {
  return doings
    .filter(({ call }) => call.type !== "typing")
    .map(({ call, turn: number }) => {
      const words = "content" in call ? call.content.text.slice(0, 19) : "";
      return [call.type, number, words.split("\n")[0]]
        .filter((word) => word !== undefined && word !== "")
        .join(" ");
    });
}

test("whatever goes wrong, a chat ends up with exactly what was answered, once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (story) => {
      const { problems } = await play(story);
      expect(problems).toEqual([]);
    }),
    { numRuns: 40, interruptAfterTimeLimit: 100_000 },
  );
}, 120_000);

describe("what was on its way when the line broke", () => {
  test("does not stay when it has passed: a tool's line that arrived unheard goes with the tool", async () => {
    const tool = { summary: "npm test", output: "", ms: 500 };
    const { problems, shown, doings } = await play({
      chats: [chat([turn(step("Hello", { gap: 2_000, tool }))])],
      troubles: [goesWrong(5_000, { kind: "reset", when: "after", methods: "editMessageText", times: 1 })],
    });
    expect(problems).toEqual([]);
    expect(shown.map(({ text }) => text)).toEqual(["Hello"]);
    expect(said(doings)).toEqual(["send 0 …", "edit 0 Hello", "edit 0 Hello", "edit 0 Hello"]);
  });

  test("is not sent a second time before Telegram answers at all, be it a message or a file", async () => {
    const cut: CallFault = { kind: "cut", times: 2 };
    const { problems, doings } = await play({
      chats: [chat([turn(step("word ".repeat(9_000)))])],
      troubles: [
        goesWrong(0, { ...cut, methods: "sendMessage" }),
        goesWrong(0, { ...cut, methods: "sendDocument" }),
      ],
    });
    expect(problems).toEqual([]);
    const words = doings.map(({ call }) => call.type).filter((type) => type !== "typing");
    const sends = Array<string>(8).fill("send");
    const twice = (type: string): readonly string[] => [type, "probe", type, "probe"];
    expect(words).toEqual([...twice("send"), ...sends, ...twice("document"), "document"]);
  });
});

test("a page that the person deleted comes back in its place, not behind the pages that follow it", async () => {
  const late = "[a]: https://example.com/a";
  const pages = ["See [one][a].", "word ".repeat(800), "verse ".repeat(650), "end", late].join("\n\n");
  const { problems, shown } = await play({
    chats: [
      chat([turn(step(pages, { cuts: [990], gap: 8_000 }))], {
        deletions: [{ at: 20_000, which: 0 }],
      }),
    ],
    troubles: [],
  });
  expect(problems).toEqual([]);
  expect(shown.map(({ text }) => text.slice(0, 8))).toEqual(["See one.", "verse ve", "Done, 30"]);
});

describe("the order of what is said", () => {
  test("is a replaced turn's end, then the next turn; and replies before both", async () => {
    const replaced: TurnScript = {
      ...turn(step("First", { gap: 1_500 })),
      outcome: { type: "replaced" },
      pause: 0,
    };
    const { problems, doings, shown } = await play({
      chats: [chat([replaced, turn(step("Second", { gap: 100 }))], { replies: [4_200, 4_300] })],
      troubles: [goesWrong(2_000, { kind: "flood", retryAfter: 20, methods: "editMessageText", times: 1 })],
    });
    expect(problems).toEqual([]);
    expect(said(doings)).toEqual([
      "send 0 …",
      "edit 0 First",
      "send reply 1",
      "send reply 2",
      "edit 0 First",
      "send 1 Second",
    ]);
    expect(shown.map(({ text }) => text)).toEqual([
      "First\n\n(interrupted by your next message)",
      "reply 1",
      "reply 2",
      "Second",
    ]);
  });

  test("holds through an outage: the end of each turn, whole, before the beginning of the next", async () => {
    const stopped: TurnScript = { ...turn(step("word ".repeat(2_000))), outcome: { type: "stopped" } };
    const { problems, doings } = await play({
      chats: [chat([stopped, turn(step("Two")), turn(step("Three"))], { replies: [10_000] })],
      troubles: [{ at: 0, kind: "outage", ms: 60_000 }],
    });
    expect(problems).toEqual([]);
    const heard = doings.filter(({ answer }) => answer?.type === "done");
    expect(said(heard)).toEqual([
      "probe",
      "send reply 1",
      "send 0 word word word word",
      "send 0 word word word word",
      "send 0 word word word word",
      "send 1 Two",
      "send 2 Three",
    ]);
  });
});
