import { describe, expect, test } from "vitest";
import { equalFormatted, isBlank, joinFormatted, sliceFormatted } from "../../src/telegram/entities.ts";

const bold = (offset: number, length: number) => ({ type: "bold", offset, length }) as const;

describe("a text in which nothing can be seen", () => {
  test.each([
    ["nothing", ""],
    ["white space", " \n\t\u00a0\u3000"],
    ["zero-width characters", "\u200b\u200c\u200d\u2060\ufeff"],
    ["directional marks", "\u200e\u200f\u202e\u2066"],
    ["combining marks alone", "\u0301\u0302"],
    ["the empty braille pattern", "\u2800"],
    ["a Hangul filler", "\u3164\u115f\uffa0"],
    ["a soft hyphen", "\u00ad"],
    ["variation selectors", "\ufe0f\u{e0100}"],
    ["an object replacement", "\ufffc"],
  ])("is blank: %s", (_name, text) => {
    expect(isBlank({ text })).toBe(true);
  });

  test.each([["a"], ["."], ["👨‍👩‍👧"], ["a\u0301"], ["שלום"], ["\ufffd"], ["─"], ["\u200bx"]])(
    "is not blank: %s",
    (text) => {
      expect(isBlank({ text })).toBe(false);
    },
  );
});

test("a slice keeps the parts of entities that lie in it", () => {
  const text = { text: "abcdef", entities: [bold(0, 2), bold(1, 4), bold(5, 1)] };
  expect(sliceFormatted(text, 2, 5)).toEqual({ text: "cde", entities: [bold(0, 3)] });
});

test("joining moves the second text's entities", () => {
  const joined = joinFormatted(
    { text: "a😀", entities: [bold(0, 1)] },
    { text: "b", entities: [bold(0, 1)] },
  );
  expect(joined).toEqual({ text: "a😀b", entities: [bold(0, 1), bold(3, 1)] });
});

test.each([
  [
    { type: "pre", offset: 0, length: 1 },
    { type: "pre", offset: 0, length: 1, language: "ts" },
  ],
  [
    { type: "text_link", offset: 0, length: 1, url: "a" },
    { type: "text_link", offset: 0, length: 1, url: "b" },
  ],
  [bold(0, 1), bold(0, 2)],
  [bold(0, 1), { type: "italic", offset: 0, length: 1 }],
] as const)("texts differ when an entity does: %o and %o", (one, other) => {
  const first = { text: "ab", entities: [one] };
  expect(equalFormatted(first, { text: "ab", entities: [{ ...one }] })).toBe(true);
  expect(equalFormatted(first, { text: "ab", entities: [other] })).toBe(false);
});
