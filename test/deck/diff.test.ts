import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, withContext, type DiffLine } from "../../src/deck/diff.ts";

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

function drawn(lines: readonly (DiffLine | undefined)[]): readonly string[] {
  return lines.map((line) => (line === undefined ? "…" : SIGNS[line.kind] + line.text));
}

test.each([
  ["", "", []],
  ["a", "a", [" a"]],
  ["", "a\nb\n", ["+a", "+b"]],
  ["a\nb", "", ["-a", "-b"]],
  ["a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
  ["a\nb\nc\nd", "b\nc\nx\nd", ["-a", " b", " c", "+x", " d"]],
  ["a\na", "a", [" a", "-a"]],
])("%j to %j", (before, after, expected) => {
  expect(drawn(diffLines(before, after))).toEqual(expected);
});

test("both sides can be read off it, whatever changed", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "", " d"), { maxLength: 14 });
  fc.assert(
    fc.property(text, text, (old, young) => {
      const lines = diffLines(`${old.join("\n")}\n`, `${young.join("\n")}\n`);
      const side = (not: DiffLine["kind"]) =>
        lines.filter(({ kind }) => kind !== not).map((line) => line.text);
      expect(side("added")).toEqual(old.length === 0 ? [""] : old);
      expect(side("removed")).toEqual(young.length === 0 ? [""] : young);
    }),
  );
});

test("long unchanged stretches are left out", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const changed = lines.with(10, "changed");
  expect(drawn(withContext(diffLines(lines.join("\n"), changed.join("\n"))))).toEqual([
    "…",
    " line 7",
    " line 8",
    " line 9",
    "-line 10",
    "+changed",
    " line 11",
    " line 12",
    " line 13",
    "…",
  ]);
});

test("thousands of lines on both sides are shown without a search for what they share", () => {
  const old = Array.from({ length: 4_000 }, (_, index) => `old ${index}`).join("\n");
  const young = Array.from({ length: 4_000 }, (_, index) => `new ${index}`).join("\n");
  expect(diffLines(old, young)).toHaveLength(8_000);
});
