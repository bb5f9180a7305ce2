import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LevelsError } from "../../src/domain/levels.ts";
import { clip, clipStart, parseJson, repairText, toJson, trimLines } from "../../src/domain/text.ts";

/** Texts with halves of characters and NUL among whole ones. */
const anyText = fc.string({
  unit: fc.constantFrom("a", "字", "😀", "\ud83d", "\ude00", "\0", "\n", "\\", '"', "\\ud800", "\\u0000"),
});
const isWhole = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

describe("a text is repaired", () => {
  test.each([
    ["plain\n\ttext 😀 👨‍👩‍👧", "plain\n\ttext 😀 👨‍👩‍👧"],
    ["a\0b", "ab"],
    ["a\ud83d", "a\ufffd"],
    ["\ude00a", "\ufffda"],
    ["\ud83d\0\ude00", "😀"],
    ["\\ud83d \\u0000", "\\ud83d \\u0000"],
  ])("%j is %j", (text, expected) => {
    expect(repairText(text)).toBe(expected);
  });

  test("whatever it is, into one that stays as it is", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const repaired = repairText(text);
        expect(isWhole(repaired)).toBe(true);
        expect(repairText(repaired)).toBe(repaired);
        if (isWhole(text)) expect(repaired).toBe(text);
      }),
    );
  });
});

describe("JSON", () => {
  test("from outside is read with its texts repaired, names of fields included", () => {
    expect(parseJson('{"a\\u0000":["\\ud800",{"b":"\\ud83d\\ude00 \\\\ud800"}],"c":1,"d":null}')).toEqual({
      a: ["\ufffd", { b: "😀 \\ud800" }],
      c: 1,
      d: null,
    });
  });

  test("that is none is refused, and what nests too deeply as well", () => {
    expect(() => parseJson("{")).toThrow(SyntaxError);
    const deep = `${"[".repeat(100_000)}"\\ud800"${"]".repeat(100_000)}`;
    expect(() => parseJson(deep)).toThrow(LevelsError);
  });

  test("for others holds no half of a character and no NUL, and all the rest of the value", () => {
    const value = fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText), fc.integer(), fc.boolean()));
    fc.assert(
      fc.property(value, (given) => {
        const json = toJson(given);
        JSON.parse(json, (name, text: unknown) => {
          expect(isWhole(name)).toBe(true);
          if (typeof text === "string") expect(isWhole(text)).toBe(true);
          return text;
        });
        if (isWhole(Object.keys(given).join("\n") + Object.values(given).flat().join("\n")))
          expect(json).toBe(JSON.stringify(given));
      }),
    );
  });

  test("for others and back is the same as repaired at once", () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        expect(parseJson(JSON.stringify(texts))).toEqual(texts.map(repairText));
        expect(JSON.parse(toJson(texts))).toEqual(texts.map(repairText));
      }),
    );
  });
});

describe("a text that is cut", () => {
  test("is at most as long as it may be, and no character is cut in half", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, most) => {
        for (const [kept, is] of [
          [clip(text, most), text.startsWith(clip(text, most))],
          [clipStart(text, most), text.endsWith(clipStart(text, most))],
        ] as const) {
          expect(is).toBe(true);
          expect(kept.isWellFormed()).toBe(true);
          expect(kept.length).toBeLessThanOrEqual(most);
          expect(kept.length).toBeGreaterThanOrEqual(Math.min(text.length, most - 1));
        }
      }),
    );
  });
});

test("blank lines in front and white space behind go, and the first line keeps its indentation", () => {
  expect(trimLines(" \n\t\n  if x:\n    y()\n\n ")).toBe("  if x:\n    y()");
  expect(trimLines("  a")).toBe("  a");
  expect(trimLines(" \n ")).toBe("");
});
