import { describe, expect, test } from "vitest";
import { sliceFormatted } from "../../src/telegram/entities.ts";
import { renderMarkdown } from "../../src/telegram/markdown.ts";
import { answerLimits, capPages, MOST_PAGES } from "../../src/telegram/overflow.ts";
import { paginate } from "../../src/telegram/paginate.ts";

const prose = (characters: number): string =>
  "words and words ".repeat(Math.ceil(characters / 16)).slice(0, characters);

const capped = (text: string) => capPages(paginate({ text, entities: [] }, answerLimits));

const times = (text: string) => text.repeat(Math.ceil(45_000 / text.length));

describe("an answer's pages", () => {
  test("are all shown while they are eight at most", () => {
    const pages = paginate({ text: prose(30_000), entities: [] }, answerLimits);
    expect(pages).toHaveLength(MOST_PAGES);
    expect(capPages(pages)).toEqual({ pages, overflows: false });
  });

  test("are never more than eight, and the eighth leaves room for evie's lines", () => {
    const { pages, overflows } = capped(prose(80_000));
    expect(overflows).toBe(true);
    expect(pages).toHaveLength(MOST_PAGES);
    expect(pages.at(-1)?.text.length).toBeLessThanOrEqual(4_096 - 700);
    expect(pages.at(-1)?.text).toMatch(/ (?:words|and)$/);
    const marks = renderMarkdown("`code` ".repeat(2_000), { streaming: false });
    expect(capPages(paginate(marks, answerLimits)).pages.at(-1)?.entities).toHaveLength(99);
  });

  test.each([
    ["words", times("words and words ")],
    ["paragraphs", times(`${prose(1_500)}\n\n`)],
    [
      "code behind paragraphs",
      times(`${prose(1_500)}\n\n`).slice(0, 28_000) + times(`const a = "${prose(50)}";\n`),
    ],
    ["a word without an end", prose(28_000) + times("x")],
    ["marks", times(`${prose(60)} \`code\`\n\n`)],
  ])("only ever grow while the answer does: nothing that was shown is removed (%s)", (_, whole) => {
    const rendered = renderMarkdown(whole, { streaming: false });
    let before = "";
    for (let length = 20_000; length <= 40_000; length += 37) {
      const { pages } = capPages(paginate(sliceFormatted(rendered, 0, length), answerLimits));
      const last = pages[MOST_PAGES - 1]?.text ?? "";
      expect(last.slice(0, before.length)).toBe(before);
      before = last;
    }
    expect(before.length).toBeGreaterThan(3_000);
  });
});
