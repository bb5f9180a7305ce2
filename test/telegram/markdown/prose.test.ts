import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBlocks } from "../../../src/telegram/markdown/parse.ts";
import { proseOf } from "../../../src/telegram/markdown/prose.ts";

/** Letters and signs that prose is made of, and pieces that turn it into something else. */
const prose = fc.constantFrom(
  "a",
  "é",
  "日",
  "word",
  "1",
  " ",
  ". ",
  ", ",
  "(so)",
  "it's",
  "50%",
  "\n",
  "!",
  "—",
);
const marks = fc.constantFrom(
  "*",
  "_",
  "`",
  "[x]",
  "|",
  "# ",
  "- ",
  "1. ",
  "---",
  "===",
  "www.a.b",
  "http://a.b",
);
const moreMarks = fc.constantFrom(
  "a@b.cd",
  "<b>",
  "&amp;",
  "\\",
  "~~",
  "\t",
  "  ",
  "\n\n",
  ">",
  "$",
  "+ ",
  "🎉",
);

function joined(pieces: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  return fc.array(pieces, { maxLength }).map((words) => words.join(""));
}

describe("prose that is known at a glance", () => {
  test.each([
    ["a word", "Yes"],
    ["a sentence that is still being written", "Sure, I will look at th"],
    ["lines of one paragraph", "It's done:\nall of it (50%)."],
    ["white space at its end", "One moment "],
    ["letters of any alphabet", "Ça va? 日本語."],
  ])("is %s", (_, source) => {
    expect(proseOf(source)).toBeDefined();
    expect([proseOf(source)]).toEqual(parseBlocks(source));
  });

  test.each([
    ["a mark", "a *b*"],
    ["a list", "1. a"],
    ["a link without marks", "see www.example.com"],
    ["an address", "see http://example.com"],
    ["a hard break", "a  \nb"],
    ["two paragraphs", "a\n\nb"],
    ["a heading by its second line", "a\n==="],
    ["nothing", ""],
    ["white space alone", "  "],
  ])("is not %s", (_, source) => {
    expect(proseOf(source)).toBeUndefined();
  });

  test("is parsed as the parser would", () => {
    fc.assert(
      fc.property(joined(fc.oneof({ weight: 12, arbitrary: prose }, marks, moreMarks), 14), (source) => {
        const known = proseOf(source);
        if (known !== undefined) expect([known]).toEqual(parseBlocks(source));
      }),
      { numRuns: 3_000 },
    );
  });

  test("is found in most of what has no marks", () => {
    const found = fc.sample(joined(prose, 14), 1_000).filter((source) => proseOf(source) !== undefined);
    expect(found.length).toBeGreaterThan(200);
  });
});
