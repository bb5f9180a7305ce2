import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutPaste } from "../../../src/playground/bot-api/paste.ts";

const text = fc
  .array(fc.constantFrom("a", "bc", " ", "\n", "😀", "👨‍👩‍👧", "é", "中"), { maxLength: 400 })
  .map((parts) => parts.join(""));
const limits = fc.integer({ min: 2, max: 150 });

describe("cutting a long paste", () => {
  test.each([
    ["a text that fits stays whole", "one two", 10, ["one two"]],
    ["the ends are trimmed", "  one \n", 10, ["one"]],
    ["blank text gives nothing", " \n ", 10, []],
    ["a line's end near the limit comes first", "aaa\nbbb ccc ddd", 10, ["aaa", "bbb ccc", "ddd"]],
    ["then a space", "aaa bbb ccc", 8, ["aaa bbb", "ccc"]],
    ["a full part may end just before white space", "aaaa bbbb", 4, ["aaaa", "bbbb"]],
    ["without either it is cut hard", "aaaaaaaaab", 4, ["aaaa", "aaaa", "ab"]],
    ["a surrogate pair stays whole", "aaa😀b", 4, ["aaa", "😀b"]],
  ])("%s", (_, given, limit, expected) => {
    expect(cutPaste(given, limit)).toEqual(expected);
  });

  test("a far line's end does not make a short part", () => {
    const parts = cutPaste(`first\n${"x".repeat(5000)}`);
    expect(parts.map(({ length }) => length)).toEqual([4096, 910]);
  });

  test("parts fit, none is blank or cuts a pair, and nothing but white space is lost", () => {
    fc.assert(
      fc.property(text, limits, (given, limit) => {
        const parts = cutPaste(given, limit);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(part.trim()).not.toBe("");
          expect(part.isWellFormed()).toBe(true);
        }
        expect(parts.join("").replaceAll(/\s/g, "")).toBe(given.replaceAll(/\s/g, ""));
      }),
    );
  });
});
