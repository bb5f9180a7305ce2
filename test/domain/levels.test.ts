import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkLevels, LevelsError, MOST_LEVELS, parseWithinLevels } from "../../src/domain/levels.ts";

/** JSON of so many levels, objects and arrays by turns, with `inner` in the innermost. */
function nested(levels: number, inner = "1"): string {
  const open = Array.from({ length: levels }, (_, level) => (level % 2 === 0 ? "[" : '{"a":'));
  const close = open.map((each) => (each === "[" ? "]" : "}")).toReversed();
  return `${open.join("")}${inner}${close.join("")}`;
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("the levels of JSON", () => {
  test("are as many as may be, and one more is an error that says so", () => {
    expect(() => checkLevels(nested(MOST_LEVELS))).not.toThrow();
    expect(() => checkLevels(nested(MOST_LEVELS + 1))).toThrow(LevelsError);
    expect(() => checkLevels(nested(MOST_LEVELS + 1))).toThrow("more than 200 levels deep");
    expect(() => checkLevels("[".repeat(5_000_000))).toThrow(LevelsError);
  });

  test.each([
    ["brackets in texts", JSON.stringify("[{".repeat(1_000))],
    ["quotes in texts", JSON.stringify(`"[`.repeat(1_000))],
    [
      "backslashes in front of the end of a text",
      `["${"\\\\".repeat(300)}",${JSON.stringify(`\\"[`.repeat(500))}]`,
    ],
    ["many beside each other", JSON.stringify(Array.from({ length: 1_000 }, () => [{ a: [] }]))],
  ])("are not made of %s", (_, json) => {
    JSON.parse(json);
    expect(() => checkLevels(json)).not.toThrow();
  });

  test("are counted in one look, however the texts in it are made", () => {
    const json = `["${"\\".repeat(2_000_000)}","${'\\"'.repeat(1_000_000)}"]`;
    const begun = performance.now();
    checkLevels(json);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test("that lie too deep are left out where nobody can be told, and the rest is kept", () => {
    const value = parseWithinLevels(`{"text":"kept","deep":${nested(50_000)},"list":[1]}`);
    expect(value).toMatchObject({ text: "kept", list: [1] });
    expect(depthOf(value)).toBe(MOST_LEVELS);
    expect(() => JSON.stringify(value)).not.toThrow();
    expect(() => parseWithinLevels("[".repeat(1_000_000))).toThrow(LevelsError);
  });

  test("change nothing of any value that is not deep", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(3), (value, space) => {
        const json = JSON.stringify([value, "x".repeat(500)], undefined, space);
        checkLevels(json);
        expect(parseWithinLevels(json)).toEqual(JSON.parse(json));
      }),
    );
  });
});
