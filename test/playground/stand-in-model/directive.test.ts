import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDirective } from "../../../src/playground/stand-in-model/directive.ts";

describe("an order in a message", () => {
  test.each([
    ["one step", 'hello MOCK{"text":"hi"}', [{ text: "hi" }]],
    ["a list of steps", 'MOCK[{"n":2},{"text":"b"}] please', [{ n: 2 }, { text: "b" }]],
    ["brackets and quotes inside strings", 'MOCK{"text":"}]\\"{"} x', [{ text: '}]"{' }]],
    ["the last of several", 'MOCK{"text":"a"}\n\nMOCK{"text":"b"}', [{ text: "b" }]],
    ["the word alone behind an order", 'MOCK{"text":"a"} a MOCK of it', [{ text: "a" }]],
    [
      "tools, with empty arguments where there are none",
      'MOCK{"tools":[{"name":"bash","args":{"command":"ls"},"id":"c"},{"name":"x"}]}',
      [
        {
          tools: [
            { name: "bash", args: { command: "ls" }, id: "c" },
            { name: "x", args: {} },
          ],
        },
      ],
    ],
  ])("is read: %s", (_name, text, steps) => {
    expect(parseDirective(text)).toEqual(steps);
  });

  test("is read: a step inside a step", () => {
    const step = '{"status":500,"times":1,"then":{"text":"ok"}}';
    expect(parseDirective(`MOCK${step}`)).toEqual([JSON.parse(step)]);
  });

  test.each(["hello", "MOCK", "a MOCK of it", 'MOCK {"text":"a"}', 'MOCK{"text":"never closed"', ""])(
    "is not seen in %j",
    (text) => {
      expect(parseDirective(text)).toBeUndefined();
    },
  );

  test.each([
    ['MOCK{"text":5}', "text"],
    ['MOCK{"txet":"a"}', "txet"],
    ['MOCK{"status":99}', "status"],
    ['MOCK{"hang":"often"}', "hang"],
    ['MOCK{"malformed":"bit"}', "malformed"],
    ['MOCK{"delayMs":-1}', "delayMs"],
    ['MOCK{"tools":[{"args":{}}]}', "name"],
    ["MOCK[1]", "object"],
    ["MOCK{text:1}", "JSON"],
  ])("that cannot be read says why: %s", (text, named) => {
    expect(parseDirective(text)).toEqual([{ text: expect.stringMatching(`cannot be read.*${named}`) }]);
  });

  test("is found between any words, and keeps its text to the character", () => {
    const words = fc.string().filter((text) => !text.includes("MOCK"));
    fc.assert(
      fc.property(words, fc.string(), words, (before, text, after) => {
        const message = `${before}MOCK${JSON.stringify([{ text }])}${after}`;
        // A nested order inside the text is the later one, and counts.
        fc.pre(!text.includes("MOCK"));
        expect(parseDirective(message)).toEqual([{ text }]);
      }),
    );
  });
});
