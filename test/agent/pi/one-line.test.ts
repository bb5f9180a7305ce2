import * as fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine } from "../../../src/agent/pi/one-line.ts";

test.each([
  ["a text that fits", "abc", 3, "abc"],
  ["one that does not", "abcd", 3, "ab…"],
  ["line ends, tabs and runs of spaces", " a\n\tb \r\n c\u2028d ", 20, "a b c d"],
  ["colours and control characters", "\u001b[1mA\u001b[0m\u0000B\u0007", 20, "A B"],
  ["turned writing", "a\u202eb\u2066c", 20, "abc"],
  ["families and flags whole", "👨‍👩‍👧🇨🇭é́x", 3, "👨‍👩‍👧🇨🇭…"],
  ["half a character", "a\ud83d", 20, "a\ufffd"],
  ["nothing", "", 5, ""],
])("one line keeps or folds %s", (_what, text, longest, line) => {
  expect(oneLine(text, longest)).toBe(line);
});

test("a long text is cut however it is written", () => {
  expect(oneLine("x".repeat(1e6), 80)).toHaveLength(80);
  expect(oneLine(`a${"\u0301".repeat(1e6)}`, 80).length).toBeLessThan(2_000);
});

test("one line is always one well-formed line of the length asked", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.integer({ min: 1, max: 30 }),
      (text, longest) => {
        const line = oneLine(text, longest);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(line.isWellFormed()).toBe(true);
        expect([...segmenter.segment(line)].length).toBeLessThanOrEqual(longest);
      },
    ),
  );
});
