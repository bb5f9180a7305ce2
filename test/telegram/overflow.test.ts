import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capPages, MOST_PAGES } from "../../src/telegram/overflow.ts";
import { paginate } from "../../src/telegram/paginate.ts";

const prose = (characters: number): string =>
  "words and words ".repeat(Math.ceil(characters / 16)).slice(0, characters);

const capped = (text: string) => capPages(paginate({ text, entities: [] }));

describe("an answer's pages", () => {
  test("are all shown while they are eight at most", () => {
    const pages = paginate({ text: prose(30_000), entities: [] });
    expect(pages).toHaveLength(MOST_PAGES);
    expect(capPages(pages)).toEqual({ pages, overflows: false });
  });

  test("are never more than eight, and the eighth leaves room for evie's lines", () => {
    const { pages, overflows } = capped(prose(80_000));
    expect(overflows).toBe(true);
    expect(pages).toHaveLength(MOST_PAGES);
    expect(pages.at(-1)?.text.length).toBeLessThanOrEqual(4_096 - 700);
  });

  test("only ever grow while the answer does: nothing that was shown is removed", () => {
    const whole = prose(40_000);
    fc.assert(
      fc.property(
        fc.integer({ min: 28_000, max: 40_000 }),
        fc.integer({ min: 0, max: 3_000 }),
        (length, more) => {
          const before = capped(whole.slice(0, length)).pages.map(({ text }) => text);
          const after = capped(whole.slice(0, length + more)).pages.map(({ text }) => text);
          for (const [at, text] of before.entries()) expect(after[at]?.startsWith(text.trimEnd())).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});
