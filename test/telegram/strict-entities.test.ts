import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeTurnId } from "../../src/domain/ids.ts";
import type { ShownMessage } from "../../src/playground/bot-api/bot-api.ts";
import { formatText } from "../../src/playground/bot-api/formatted-text.ts";
import { capPages } from "../../src/telegram/overflow.ts";
import { createPerform } from "../../src/telegram/perform.ts";
import { createRendering } from "../../src/telegram/rendering.ts";
import { createShownPages } from "../../src/telegram/shown-pages.ts";
import { withLines } from "../../src/telegram/view.ts";
import { EMPTY_ANSWER } from "../../src/telegram/words.ts";
import { play } from "./always-right-rig.ts";
import type { StepScript } from "./always-right-scenario.ts";
import { startApiRig } from "./api-rig.ts";
import { nastyMarkdown, referringMarkdown } from "./nasty-markdown.ts";

const PLACE = { chatId: 7 };

async function startWriting() {
  const { server, api, clock, log } = await startApiRig();
  const perform = createPerform(api, clock, new AbortController().signal);

  /** Writes an answer as it grows, piece by piece, with a line below it; gives everything that Telegram had against it. */
  return async function write(markdown: string, places: readonly number[]): Promise<readonly string[]> {
    const rendering = createRendering();
    const pages = createShownPages({ turn: makeTurnId(), log });
    const before = server.calls.length;
    const wrong: string[] = [];
    for (const [length, final] of [
      ...places.map((at) => [at, false] as const),
      [markdown.length, true] as const,
    ]) {
      const rendered = rendering.update([markdown.slice(0, length)], { streaming: !final });
      const wanted = withLines(capPages(rendered).pages, final ? [] : ["🔧 bash: npm test"], final);
      for (;;) {
        const [call] = pages.calls(wanted, { final });
        if (call === undefined) break;
        const answer = await perform(PLACE, call);
        if (answer.type !== "done") wrong.push(`${call.type}: ${JSON.stringify(answer)}`);
        pages.heard(answer);
      }
      const ids = new Set(pages.messages.map(({ messageId }) => messageId));
      const shown = server.chat(PLACE.chatId).botMessages.filter(({ id }) => ids.has(id));
      const kept = wanted.map(({ text, entities }) => formatText(text, entities, "text", () => undefined));
      if (JSON.stringify(shown.map(lookOf)) !== JSON.stringify(kept)) wrong.push("it shows something else");
    }
    const complaints = server.calls.slice(before).flatMap((call) => call.complaints);
    return [...wrong, ...complaints];
  };
}

function lookOf({ text, entities }: ShownMessage) {
  return { text, entities };
}

test.each([
  ["nasty", nastyMarkdown],
  ["referring", referringMarkdown],
])("Telegram takes %s markdown as it is, at every stage of its growth", async (_, markdown) => {
  const write = await startWriting();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(markdown, fc.constantFrom(1, 1, 1, 8)).map(([text, times]) => text.repeat(times)),
      fc.array(fc.nat(1_000), { maxLength: 12 }),
      async (text, cuts) => {
        const places = cuts.map((cut) => Math.floor((text.length * cut) / 1_000)).toSorted((a, b) => a - b);
        expect(await write(text, places)).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

test("Telegram takes bold text with many links in it, of which it makes many more entities", async () => {
  const write = await startWriting();
  const text = `**${"bold [link](https://example.com/a) ".repeat(60)}end**`;
  expect(await write(text, [100, 700, 1_500, 2_000])).toEqual([]);
});

/** Everything that was ever shown of one answer, and what stays of it. */
async function answered(step: Partial<StepScript>) {
  const { problems, shown, doings } = await play({
    chats: [
      {
        turns: [
          {
            pause: 0,
            steps: [{ text: "", cuts: [], gap: 1_100, thinking: false, retried: false, ...step }],
            outcome: { type: "done" },
            reached: 1_000,
          },
        ],
        replies: [],
        deletions: [],
      },
    ],
    troubles: [],
  });
  const seen = doings.flatMap(({ call }) => ("content" in call ? [call.content.text] : []));
  return { problems, shown, seen };
}

/** Where an answer is cut; there are so few pieces that the turn is over before its end would ring. */
const tenths = [...Array(10).keys()].map((at) => at * 100);

describe("bad input is shown as what it is", () => {
  test.each<[string, string, string]>([
    ["a name with underscores", "snake_case and __init__.py", "snake_case and __init__.py"],
    ["a lone star", "2 * 3 and *", "2 * 3 and *"],
    ["a fence that is never closed", "```ts\nconst a = 1;\n\n  b", "const a = 1;\n\n  b"],
    ["a link that is never closed", "see [this](https://example.com/a", "see [this](https://example.com/a"],
    ["bars in code", "`a || b || c`", "a || b || c"],
    ["a type's parameter", "Vec<T> and <T>", "Vec<T> and <T>"],
    ["an amount of money", "$400-600K", "$400-600K"],
    ["a null and a terminal's colours", "a\u0000b \u001b[31mred\u001b[0m \u001b]0;title\u0007!", "ab red !"],
    ["half a character", "x \ud83d y \ude00", "x � y �"],
    ["nothing that can be seen", "\u200b\u200d\u2060\ufeff\u00ad", EMPTY_ANSWER],
    ["white space", " \n\t\n ", EMPTY_ANSWER],
    ["nothing", "", EMPTY_ANSWER],
  ])("%s", async (_, text, shows) => {
    const { problems, shown } = await answered({ text, cuts: tenths });
    expect(problems).toEqual([]);
    expect(shown.map((message) => message.text)).toEqual([shows]);
  });

  test("an address of five thousand characters", async () => {
    const address = `https://example.com/${"x".repeat(5_000)}`;
    const { problems, shown } = await answered({ text: `[long](${address}) and ${address}`, cuts: tenths });
    expect(problems).toEqual([]);
    expect(shown.map(({ text }) => text).join("")).toContain("x".repeat(2_000));
  });
});

describe("a tool", () => {
  const nasty = "\u0000\u001b[31mred\u001b[0m\u001b]0;title\u0007 \ud83d \u009b1m \u202eback\u2028next";

  test("never shows a terminal's escapes, in its line or in a failure's", async () => {
    const { problems, shown, seen } = await answered({
      text: nasty,
      cuts: tenths,
      retried: true,
      tool: { summary: `cat ${nasty}`, output: nasty, ms: 9_000 },
    });
    expect(problems).toEqual([]);
    expect(seen.some((text) => text.includes("🔧 bash: cat red"))).toBe(true);
    expect(seen.some((text) => text.includes("🔁 The model failed: red"))).toBe(true);
    const rubbish = /(?!\n)[\p{Cc}\u202e]|\[31m|\[0m|title/u;
    expect(seen.filter((text) => rubbish.test(text))).toEqual([]);
    expect(shown).toHaveLength(1);
  });

  test("that says eighty thousand characters leaves nothing of them in the chat", async () => {
    const output = "2026-01-01 ERROR something is wrong\n".repeat(2_300);
    const { problems, shown, seen } = await answered({
      text: "Done.",
      tool: { summary: "npm test", output, ms: 9_000 },
    });
    expect(problems).toEqual([]);
    expect(shown.map(({ text }) => text)).toEqual(["Done."]);
    expect(seen.join("")).not.toContain("ERROR");
  });
});

test("a log of eighty thousand characters fills eight messages and a file that holds all of it", async () => {
  const text = `\`\`\`\n${"2026-01-01 ERROR something is wrong\n".repeat(2_300)}\`\`\``;
  const { problems, shown } = await answered({ text, cuts: tenths });
  expect(problems).toEqual([]);
  expect(shown.filter(({ file }) => file === undefined)).toHaveLength(8);
  expect(shown.map(({ file }) => file?.length).filter((length) => length !== undefined)).toEqual([
    text.length,
  ]);
});
