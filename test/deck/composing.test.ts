import { describe, expect, test } from "vitest";
import { choicesOf } from "../../src/deck/choices.ts";
import { addImages, sends, write } from "../../src/deck/draft.ts";
import { pathOf, sessionAt } from "../../src/deck/route.ts";
import { emptyState } from "../../src/deck/state.ts";

const ENTER = { key: "Enter", shiftKey: false, isComposing: false };

test.each([
  ["Enter at a desk", ENTER, false, true],
  ["Shift+Enter at a desk", { ...ENTER, shiftKey: true }, false, false],
  ["Enter on a touch screen", ENTER, true, false],
  ["Shift+Enter on a touch screen", { ...ENTER, shiftKey: true }, true, true],
  ["Enter that picks a word", { ...ENTER, isComposing: true }, false, false],
  ["another key", { ...ENTER, key: "a" }, false, false],
])("%s", (_name, key, isTouch, expected) => {
  expect(sends(key, isTouch)).toBe(expected);
});

test("each session has a draft of its own, and an empty one is none", () => {
  const picture = { id: "p", name: "a.png", mimeType: "image/png", data: "AA==" };
  const written = addImages(write(write(emptyState, "a", { text: "A" }), "b", { text: "B" }), "b", [picture]);
  expect(written.drafts).toEqual({ a: { text: "A", images: [] }, b: { text: "B", images: [picture] } });
  expect(write(written, "a", { text: "" }).drafts).toEqual({ b: { text: "B", images: [picture] } });
});

describe("the choices of a question", () => {
  test.each([
    ["select", ["a", "b"], ["a", "b"]],
    ["select", undefined, []],
    ["confirm", undefined, [true, false]],
    ["input", undefined, []],
    ["editor", undefined, []],
  ] as const)("of kind %s", (kind, options, values) => {
    const asked = options === undefined ? { kind } : { kind, options };
    expect(choicesOf(asked).map(({ value }) => value)).toEqual(values);
  });
});

test.each([
  ["/", undefined],
  ["/s/", undefined],
  ["/s/a/b", undefined],
  ["/s/%", undefined],
  ["/s/s-1", "s-1"],
  ["/s/a%20b", "a b"],
])("the address %s", (path, sessionId) => {
  expect(sessionAt(path)).toBe(sessionId);
  expect(sessionAt(pathOf(sessionId))).toBe(sessionId);
});
