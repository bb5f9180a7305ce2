import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineSplitter, parseRecord } from "../../src/agent/jsonl.ts";

function linesOf(chunks: readonly Buffer[]): readonly string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((from, i) => bytes.subarray(from, sorted[i] ?? bytes.length));
}

describe("splitting a stream into lines", () => {
  test.each([
    ["ends a line at LF", "a\nb\n", ["a", "b"]],
    ["drops one CR before it", "a\r\nb\r\r\n", ["a", "b\r"]],
    ["keeps a CR inside a line", "a\rb\n", ["a\rb"]],
    ["leaves blank lines out", "\n\r\na\n\n", ["a"]],
    ["takes what is left at the end as a line", "a\nb", ["a", "b"]],
    ["keeps U+2028, U+2029 and U+0085", '{"a":"x\u2028y\u2029z\u0085"}\n', ['{"a":"x\u2028y\u2029z\u0085"}']],
    ["has nothing to say of an empty stream", "", []],
  ])("%s", (_what, text, lines) => {
    expect(linesOf([Buffer.from(text)])).toEqual(lines);
  });

  test("gives the same lines however the stream is cut, inside a character too", () => {
    const line = fc
      .string({ unit: "binary", maxLength: 20 })
      .map((text) => text.replace(/[\r\n]/g, "é😀\u2028"));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
        const texts = lines.map((text) => Buffer.from(text).toString());
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
        expect(linesOf(cut(bytes, places))).toEqual(texts.filter((text) => text !== ""));
      }),
    );
  });

  test("joins a line of 50 MB from small pieces in no more than linear time", () => {
    const piece = Buffer.alloc(4_096, "x");
    const began = performance.now();
    const lines = linesOf([Buffer.from("{"), ...Array.from({ length: 12_800 }, () => piece)]);
    expect(lines[0]).toHaveLength(1 + 12_800 * 4_096);
    // Copying all of it for each piece would move 335 GB.
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("keeps only the beginning of a line that never ends and cannot be a record", () => {
    const chunk = Buffer.alloc(2 ** 20, "x");
    const lines = linesOf([...Array.from({ length: 200 }, () => chunk), Buffer.from("\n{}\n")]);
    expect(lines.map((line) => line.length)).toEqual([2 ** 20, 2]);
  });

  test("lets go of a record that is longer than any can be, and finds the next line", () => {
    const chunk = Buffer.alloc(2 ** 24, "x");
    const endless = Array.from({ length: 20 }, () => chunk);
    const lines = linesOf([Buffer.from('{"a":"'), ...endless, Buffer.from("\n{}\n")]);
    expect(lines).toEqual(['{"a":"', "{}"]);
  });
});

describe("parsing a record", () => {
  test("takes objects", () => {
    expect(parseRecord('{"type":"x"}')).toEqual({ type: "x" });
  });

  test.each(["null", "42", '"x"', "[1]", "{broken", "", "{}{}", "undefined"])("refuses %j", (line) => {
    expect(parseRecord(line)).toBeUndefined();
  });
});
