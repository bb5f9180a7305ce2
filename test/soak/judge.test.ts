import { describe, expect, test } from "vitest";
import type { AgentNote, ChatFacts, TelegramFacts } from "./facts.ts";
import { judge } from "./judge.ts";
import { judgeMemory } from "./memory.ts";
import { planMessages } from "./plan.ts";
import { createRandom } from "./random.ts";

const prompt = (pid: number, message: string): AgentNote => ({
  at: 0,
  pid,
  event: "received",
  record: { type: "prompt", message },
});
const note = (pid: number, event: string): AgentNote => ({ at: 0, pid, event });
const abort = (pid: number): AgentNote => ({ at: 0, pid, event: "received", record: { type: "abort" } });
const ran = (pid: number, message: string): readonly AgentNote[] => [
  prompt(pid, message),
  note(pid, "accepted"),
  note(pid, "settled"),
];
const order = (tag: string): string => `${tag} FAKE{"text":"answer-${tag} and more"}`;

const chat = (facts: Partial<ChatFacts>): TelegramFacts => ({
  chats: [
    {
      id: 1,
      written: [{ messageId: 1, tag: "m1m" }],
      shown: [{ messageId: 2, text: "answer-m1m and more" }],
      unknown: [],
      ...facts,
    },
  ],
  calls: 0,
  answers: {},
  strangers: { messages: 2, strangers: 1, greeted: 1 },
  outages: 0,
  violations: [],
  refusals: [],
});

describe("a soak is judged", () => {
  test("well when each message was taken once and each answer can be read once", () => {
    expect(judge(chat({}), ran(1, order("m1m"))).broken).toEqual([]);
  });

  test("badly when strangers wrote and none was told anything", () => {
    const strangers = { messages: 2, strangers: 1, greeted: 0 };
    expect(judge({ ...chat({}), strangers }, ran(1, order("m1m"))).broken).toEqual([
      "no stranger was told that the bot is private",
    ]);
  });

  test.each<{ what: string; facts: Partial<ChatFacts>; notes: readonly AgentNote[]; broken: RegExp }>([
    { what: "a message that no agent took", facts: {}, notes: [], broken: /m1m .* was lost/ },
    {
      what: "a message that two agents took",
      facts: {},
      notes: [...ran(1, order("m1m")), ...ran(2, order("m1m"))],
      broken: /2 times/,
    },
    {
      what: "an answer that is nowhere",
      facts: { shown: [] },
      notes: ran(1, order("m1m")),
      broken: /nowhere to be read/,
    },
    {
      what: "a last message without an answer",
      facts: { shown: [] },
      notes: [prompt(1, order("m1m")), note(1, "accepted")],
      broken: /has no answer/,
    },
    {
      what: "an answer that is shown twice",
      facts: { shown: [2, 3].map((messageId) => ({ messageId, text: "answer-m1m and more" })) },
      notes: ran(1, order("m1m")),
      broken: /once too often/,
    },
    {
      what: "a placeholder that stays",
      facts: {
        shown: [
          { messageId: 2, text: "…" },
          { messageId: 3, text: "answer-m1m and more" },
        ],
      },
      notes: ran(1, order("m1m")),
      broken: /1 placeholders stand/,
    },
  ])("badly by $what", ({ facts, notes, broken }) => {
    expect(judge(chat(facts), notes).broken.join("\n")).toMatch(broken);
  });

  test("well when a double comes of a send whose outcome could not be known", () => {
    const shown = [2, 3].map((messageId) => ({ messageId, text: "answer-m1m and more" }));
    expect(judge(chat({ shown, unknown: ["…"] }), ran(1, order("m1m"))).broken).toEqual([]);
  });

  test("well when a placeholder and then the answer had an unknown outcome", () => {
    const texts = ["…", "answer-m1m", "answer-m1m and more"];
    const shown = texts.map((text, index) => ({ messageId: index + 2, text }));
    const unknown = ["…", "answer-m1m"];
    expect(judge(chat({ shown, unknown }), ran(1, order("m1m"))).broken).toEqual([]);
  });

  test("well when what was not taken was told, and what was replaced is not shown", () => {
    const shown = [{ messageId: 3, text: "⚠️ The agent ended unexpectedly" }];
    expect(judge(chat({ shown }), []).broken).toEqual([]);
    const written = [
      { messageId: 1, tag: "m1m" },
      { messageId: 4, tag: "m2m" },
    ];
    const notes = [
      prompt(1, order("m1m")),
      note(1, "accepted"),
      abort(1),
      note(1, "settled"),
      ...ran(1, order("m2m")),
    ];
    expect(
      judge(chat({ written, shown: [{ messageId: 5, text: "answer-m2m and more" }] }), notes).broken,
    ).toEqual([]);
  });
});

test.each([
  [[10, 20, 20, 20, 21, 22], []],
  [[10, 20, 20, 20, 23, 23], [expect.stringMatching(/^evie's memory grows/)]],
])("memory of %j is flat, or is told to grow", (samples, broken) => {
  expect(judgeMemory(samples).broken).toEqual(broken);
});

test("the same seed plans the same messages, as many as asked for, each chat's last one plain", () => {
  const options = { seed: 7, chats: 5, messages: 100, seconds: 10 };
  const [one, other] = [7, 7].map((seed) => planMessages(options, createRandom(seed)));
  expect(one).toEqual(other);
  expect(one).toHaveLength(100);
  expect(new Set(one?.map(({ tag }) => tag)).size).toBe(100);
  for (const { text } of one?.slice(-5) ?? []) expect(text).toMatch(/^(m\d+m) FAKE\{"text":"answer-\1"\}$/);
});
