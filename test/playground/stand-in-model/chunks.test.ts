import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerPieces } from "../../../src/playground/stand-in-model/chunks.ts";
import type { Step } from "../../../src/playground/stand-in-model/step.ts";

function body(step: Step): string {
  return Array.from(answerPieces(step, { id: "a", model: "m", inputTokens: 7 }), ({ data }) => data).join("");
}

/** The records of a body, `[DONE]` left out. */
function records(
  step: Step,
): { choices: { delta: Record<string, string | unknown[]>; finish_reason: unknown }[] }[] {
  return body(step)
    .split("\n\n")
    .filter((event) => event !== "" && event !== "data: [DONE]")
    .map((event) => JSON.parse(event.replace(/^data: /, "")));
}

function joined(step: Step, field: string): string {
  return records(step)
    .map(({ choices }) => String(choices[0]?.delta[field] ?? ""))
    .join("");
}

describe("an answer", () => {
  test("keeps its text to the character, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(joined({ text }, "content")).toBe(text);
      }),
    );
  });

  test("comes in numbered pieces of the size that was asked for", () => {
    expect(joined({ n: 3, size: 6 }, "content")).toBe("w0001 w0002 w0003 ");
    expect(joined({ n: 2, size: 1 }, "content")).toHaveLength(2);
  });

  test("thinks before it speaks", () => {
    const step = { think: "hm, well", text: "yes" };
    expect(joined(step, "reasoning_content")).toBe("hm, well");
    expect(body(step).indexOf("reasoning_content")).toBeLessThan(body(step).indexOf('"yes"'));
    expect(joined({ think: 2 }, "reasoning_content")).toBe("t1 t2 ");
  });

  test("calls tools side by side, each with arguments in pieces that join to JSON", () => {
    const args = { command: "echo something that is longer than a piece" };
    const step: Step = {
      tools: [
        { name: "bash", args },
        { name: "read", args: {}, id: "mine" },
      ],
    };
    const calls = records(step).flatMap(({ choices }) => choices[0]?.delta["tool_calls"] ?? []);
    expect(calls).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ index: 0, id: "call_a_1" }),
        expect.objectContaining({ index: 1, id: "mine" }),
      ]),
    );
    const text = body(step);
    expect(text).toContain('"finish_reason":"tool_calls"');
    const parts = Array.from(
      text.matchAll(/"index":0,"function":{"arguments":"((?:[^"\\]|\\.)*)"/g),
      (match) => JSON.parse(`"${match[1]}"`),
    );
    expect(JSON.parse(parts.join(""))).toEqual(args);
  });

  test.each<[string, Step, RegExp]>([
    ["a plain answer", { text: "a" }, /"finish_reason":"stop"[^]*"prompt_tokens":7[^]*\[DONE\]\n\n$/],
    ["a finish of one's own", { finish: "length" }, /"finish_reason":"length"/],
    [
      "usage of one's own",
      { usage: { input: 9, output: 1 } },
      /"prompt_tokens":9,"completion_tokens":1,"total_tokens":10/,
    ],
  ])("ends as it should: %s", (_name, step, end) => {
    expect(body(step)).toMatch(end);
  });

  test.each<[string, Step]>([
    ["cut", { text: "a", malformed: "cut" }],
    ["left open", { text: "a", hang: "stream" }],
    ["without a finish", { text: "a", malformed: "nofinish" }],
    ["broken JSON", { text: "a", malformed: "badjson" }],
    ["empty", { text: "a", malformed: "empty" }],
  ])("breaks off before its end when it is %s", (_name, step) => {
    expect(body(step)).not.toContain("[DONE]");
    expect(body(step)).not.toMatch(/"finish_reason":"/);
    expect(body(step).includes('"content":"a"')).toBe(step.malformed !== "empty");
  });
});
