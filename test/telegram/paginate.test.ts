import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isBlank, joinFormatted, type Entity, type FormattedText } from "../../src/telegram/entities.ts";
import { renderMarkdown } from "../../src/telegram/markdown.ts";
import { messageLimits, paginate, type PageLimits } from "../../src/telegram/paginate.ts";
import { nastyMarkdown } from "./nasty-markdown.ts";
import { faults } from "./telegram-rules.ts";

const plain = (text: string): FormattedText => ({ text, entities: [] });
const texts = (pages: readonly FormattedText[]) => pages.map((page) => page.text);
const units = (count: number): PageLimits => ({ units: count, entities: 100 });

describe("where a text is cut", () => {
  test.each([
    ["nowhere, if it fits", "aaaa bbbb", 9, ["aaaa bbbb"]],
    ["at a blank line rather than a line or a space", "aaaaa\n\nb\nc d eeee", 9, ["aaaaa", "b\nc d", "eeee"]],
    ["at a line rather than a space", "aaaaaa\nb cccccc", 10, ["aaaaaa", "b cccccc"]],
    ["at a space rather than in a word", "aaaaaa bbbbbb", 10, ["aaaaaa", "bbbbbb"]],
    [
      "at a space rather than at a blank line near the start",
      "a\n\nbbb ccc ddd",
      12,
      ["a\n\nbbb ccc", "ddd"],
    ],
    ["at a far line rather than in a word", "a\nbbbbbbbbb", 10, ["a", "bbbbbbbbb"]],
    ["right at the limit if white space follows", "aaaa bbbb\ncccc", 9, ["aaaa bbbb", "cccc"]],
    ["in a word that is longer than a page", "aaaaaaaaaaaa", 5, ["aaaaa", "aaaaa", "aa"]],
    ["not in a pair of surrogates", "a😀😀", 4, ["a😀", "😀"]],
    ["not between a letter and its accents", "aae\u0301\u0302", 3, ["aa", "e\u0301\u0302"]],
    ["not in a family", "aa👨‍👩‍👧", 9, ["aa", "👨‍👩‍👧"]],
    ["not in a flag", "a🇩🇪🇫🇷", 7, ["a🇩🇪", "🇫🇷"]],
    ["in a grapheme that is longer than a page, between code points", "👨‍👩‍👧", 5, ["👨‍👩", "‍👧"]],
    ["one character a page at the smallest limit", "😀ab😀", 2, ["😀", "ab", "😀"]],
    ["nowhere, if nothing can be seen", "\u200b \n\u2800", 2, []],
    ["so that no page is blank", `a${"\u200b".repeat(12)}b`, 4, ["a\u200b\u200b\u200b", "\u200bb"]],
    ["without white space at a page's ends", "  \n aaaa  \n\n  bbbb \n", 6, ["aaaa", "bbbb"]],
  ])("%s", (_name, text, limit, pages) => {
    expect(texts(paginate(plain(text), units(limit)))).toEqual(pages);
  });

  test("holds 4,096 emoji two to a message, none cut", () => {
    expect(texts(paginate(plain("😀".repeat(4096))))).toEqual(["😀".repeat(2048), "😀".repeat(2048)]);
  });

  test("ends with a letter that has 10,000 accents", () => {
    const pages = paginate(plain(`a${"\u0301".repeat(10_000)}b`));
    expect(pages.map((page) => page.text.length)).toEqual([4096, 10_002 - 2 * 4096]);
  });
});

describe("entities at a cut", () => {
  test("go on in the next page", () => {
    const bold: Entity = { type: "bold", offset: 2, length: 9 };
    expect(paginate({ text: "a bbbb bbbb c", entities: [bold] }, units(8))).toEqual([
      { text: "a bbbb", entities: [{ type: "bold", offset: 2, length: 4 }] },
      { text: "bbbb c", entities: [{ type: "bold", offset: 0, length: 4 }] },
    ]);
  });

  test("close a code block and open it again with its language, and the next line's indentation", () => {
    const code = renderMarkdown("```ts\naaaa\n\n  bbbb\n  cccc\n```", { streaming: false });
    expect(paginate(code, units(8))).toEqual([
      { text: "aaaa", entities: [{ type: "pre", offset: 0, length: 4, language: "ts" }] },
      { text: "  bbbb", entities: [{ type: "pre", offset: 0, length: 6, language: "ts" }] },
      { text: "  cccc", entities: [{ type: "pre", offset: 0, length: 6, language: "ts" }] },
    ]);
  });

  test("move a code block to the next page as a whole, if the page is half full", () => {
    const text = renderMarkdown("aaaa bbbb\n\n```\nc\n\nd\n```", { streaming: false });
    expect(texts(paginate(text, units(13)))).toEqual(["aaaa bbbb", "c\n\nd"]);
  });

  test("end the page before there are too many of them, at white space if there is some", () => {
    const markdown = Array.from({ length: 250 }, (_, at) => `**a${at}**`).join(" ");
    const pages = paginate(renderMarkdown(markdown, { streaming: false }));
    expect(pages.map((page) => page.entities.length)).toEqual([100, 100, 50]);
    expect(pages[1]?.text.startsWith("a100 a101 ")).toBe(true);
  });

  test("end the page before there are too many of them, also without any white space", () => {
    const entities = Array.from({ length: 250 }, (_, at): Entity => {
      return { type: at % 2 === 0 ? "bold" : "italic", offset: at, length: 1 };
    });
    const pages = paginate({ text: "a".repeat(250), entities });
    expect(texts(pages)).toEqual(["a".repeat(100), "a".repeat(100), "a".repeat(50)]);
  });

  test("split a line of 10,000 characters in a fence into code blocks", () => {
    const pages = paginate(renderMarkdown(`\`\`\`ts\n${"x".repeat(10_000)}`, { streaming: false }));
    expect(pages.map(({ text, entities }) => [text.length, entities])).toEqual(
      [4096, 4096, 1808].map((length) => [length, [{ type: "pre", offset: 0, length, language: "ts" }]]),
    );
  });
});

describe("a table that goes on on the next page", () => {
  const table = (rows: number, head = "| name | note |\n|-|-|\n") =>
    renderMarkdown(
      head +
        Array.from({ length: rows }, (_, at) => `| n${at} | ${"w ".repeat(at % 3 === 0 ? 20 : 3)}|`).join(
          "\n",
        ),
      { streaming: false },
    );
  const title = "name │ note\n─────┼────────";

  test("begins with its head again, and is cut between two rows", () => {
    const pages = paginate(table(400));
    expect(pages.length).toBeGreaterThan(2);
    for (const { text, entities } of pages) {
      expect(text.startsWith(title)).toBe(true);
      expect(text.split("\n")[2]).toMatch(/^n\d+ /);
      expect(entities).toEqual([{ type: "pre", offset: 0, length: text.length }]);
      expect(text.length).toBeLessThanOrEqual(4096);
    }
    const rows = pages.flatMap(({ text }) => text.match(/^n\d+/gm) ?? []);
    expect(rows).toEqual(Array.from({ length: 400 }, (_, at) => `n${at}`));
  });

  test("is in a quote that begins with the head, too", () => {
    const markdown = `> | a | b |\n> |-|-|\n${"> | word | word |\n".repeat(600)}`;
    const pages = paginate(renderMarkdown(markdown, { streaming: false }));
    expect(pages.flatMap(faults)).toEqual([]);
    expect(pages.map(({ entities }) => entities.map(({ type, offset }) => `${type} ${offset}`))).toEqual(
      pages.map(() => ["blockquote 0", "pre 0"]),
    );
    expect(pages[1]?.text.startsWith("a    │ b\n")).toBe(true);
  });

  test("has other text behind it, which is where it would be without the head", () => {
    const text = joinFormatted(table(150), renderMarkdown("\n\n**bold** behind", { streaming: false }));
    const last = paginate(text).at(-1) ?? plain("");
    expect(last.text.startsWith(title)).toBe(true);
    const bold = last.entities.find(({ type }) => type === "bold");
    expect(last.text.slice(bold?.offset, (bold?.offset ?? 0) + 4)).toBe("bold");
  });

  test("has no head that would fill an eighth of the page", () => {
    const wide = `| ${"very long name ".repeat(40)}| b |\n|-|-|\n`;
    const pages = paginate(table(400, wide));
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.slice(1).some(({ text }) => text.includes("very long"))).toBe(false);
  });

  test("is not in the way of what is not a table", () => {
    const text = renderMarkdown(`| a |\n|-|\n| b |\n\n${"word ".repeat(2_000)}`, { streaming: false });
    expect(
      paginate(text)
        .slice(1)
        .every((page) => page.text.startsWith("word")),
    ).toBe(true);
  });
});

/** Six entities are as many as rendering ever begins at one place. */
const anyLimits = fc.oneof(
  fc.constant(messageLimits),
  fc.record({ units: fc.integer({ min: 2, max: 60 }), entities: fc.integer({ min: 6, max: 10 }) }),
);
const anyText = fc.oneof(
  nastyMarkdown.map((markdown) => renderMarkdown(markdown, { streaming: false })),
  fc.string({ unit: "binary", maxLength: 200 }).map((text) => plain(text.toWellFormed())),
  fc
    .array(fc.constantFrom(" ", "\n", "\n\n", "a", "\u0301", "😀", "\u200d", "👨‍👩‍👧", "\u200b"), {
      maxLength: 200,
    })
    .map((parts) => plain(parts.join(""))),
);

describe("the pages of any text", () => {
  test("are within the limits, and none is blank", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        for (const page of paginate(text, limits)) {
          expect(page.text.length).toBeLessThanOrEqual(limits.units);
          expect(page.entities.length).toBeLessThanOrEqual(limits.entities);
          expect(isBlank(page)).toBe(false);
          expect(page.text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("are each what Telegram accepts, if the whole is", () => {
    fc.assert(
      fc.property(nastyMarkdown, anyLimits, (markdown, limits) => {
        const pages = paginate(renderMarkdown(markdown, { streaming: false }), limits);
        expect(pages.flatMap(faults)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test("joined are the text again, but for what cannot be seen at the cuts, and for heads of tables", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        const heads = text.entities.flatMap((entity) =>
          entity.type === "pre" && entity.table !== undefined ? [visible(entity.table.head)] : [],
        );
        let rest = visible(text.text);
        for (const page of texts(paginate(text, limits)).map(visible)) {
          const repeated = rest.startsWith(page) ? "" : heads.find((head) => page.startsWith(head));
          const own = page.slice(repeated?.length ?? 0);
          expect(rest.startsWith(own)).toBe(true);
          rest = rest.slice(own.length);
        }
        expect(rest).toBe("");
      }),
      { numRuns: 300 },
    );
  });

  test("lose white space only, if all else can be seen", () => {
    const words = fc.array(fc.constantFrom("a", "bb", " ", "\n", "\n\n", "漢", "😀", "ccccccccc"), {
      maxLength: 100,
    });
    fc.assert(
      fc.property(words, anyLimits, (parts, limits) => {
        const text = parts.join("");
        let rest = text;
        for (const page of texts(paginate(plain(text), limits))) {
          rest = rest.trimStart();
          expect(rest.startsWith(page)).toBe(true);
          rest = rest.slice(page.length);
        }
        expect(rest.trim()).toBe("");
      }),
    );
  });

  test("stay as they are when text is appended, all but the last", () => {
    fc.assert(
      fc.property(anyText, anyText, anyLimits, (text, more, limits) => {
        const sealed = paginate(text, limits).slice(0, -1);
        const longer = paginate(joinFormatted(text, more), limits);
        expect(longer.slice(0, sealed.length)).toEqual(sealed);
      }),
      { numRuns: 300 },
    );
  });
});

function visible(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu, "");
}
