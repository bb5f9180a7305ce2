import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displayWidth } from "../../../src/telegram/markdown/width.ts";
import { wrapLine } from "../../../src/telegram/markdown/wrap.ts";

describe("a line is broken", () => {
  test.each([
    ["nowhere, if it fits", "aa bb", 5, ["aa bb"]],
    ["at spaces", "aa bb cc", 5, ["aa bb", "cc"]],
    ["between wide characters", "漢字かな", 5, ["漢字", "かな"]],
    ["before wide characters that do not fit any more", "aa 漢字", 5, ["aa 漢", "字"]],
    ["not in a word beside a wide character", "aa ✅done", 6, ["aa ✅", "done"]],
    ["not before punctuation of Chinese", "漢字，字", 5, ["漢", "字，", "字"]],
    ["in a long name behind its signs", "src/app/parser.ts", 8, ["src/app/", "parser.", "ts"]],
    ["not in a number", "aa 1,234.5", 7, ["aa", "1,234.5"]],
    ["anywhere, in a word that is longer than a line", "aaaaaaa b", 4, ["aaaa", "aaa", "b"]],
    ["before such a word", "b aaaaaaa", 4, ["b", "aaaa", "aaa"]],
    ["not in an emoji of several characters", "👨‍👩‍👧👨‍👩‍👧", 3, ["👨‍👩‍👧", "👨‍👩‍👧"]],
    ["not between a letter and its accent", "e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]],
    ["never, where there is nothing", "", 4, [""]],
  ])("%s", (_, text, width, lines) => {
    expect(wrapLine(text, width)).toEqual(lines);
  });

  test("so that no line is too wide, and nothing is lost but white space", () => {
    const text = fc
      .array(fc.constantFrom("a", "bcd", "漢", "👨‍👩‍👧", "-", "/", "1", " ", "  ", "e\u0301", "🇩🇪", "\u200b"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 12 }), (line, width) => {
        const lines = wrapLine(line, width);
        expect(lines.join("").replace(/\s/g, "")).toBe(line.replace(/\s/g, ""));
        for (const each of lines) expect(displayWidth(each)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 500 },
    );
  });
});
