import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isEmptyPrompt, joinPrompts, joinTexts, type Prompt } from "../../src/domain/prompt.ts";

const image = (path: string) => ({ mimeType: "image/png", path }) as const;
const file = (path: string) => ({ path, name: path, size: 1 });
const prompt = (fields: Partial<Prompt>): Prompt => ({ text: "", images: [], files: [], ...fields });

describe("prompts that are joined", () => {
  test("are none when there is none", () => {
    expect(joinPrompts([])).toEqual(prompt({}));
  });

  test("are the one that there is, unchanged", () => {
    const only = prompt({ text: "  a\n", images: [image("1")], files: [file("2")] });
    expect(joinPrompts([only])).toBe(only);
  });

  test("have their texts parted by a blank line, and everything in its order", () => {
    const first = prompt({ text: " a\n", images: [image("1"), image("2")], files: [file("x")] });
    const second = prompt({ text: "b", images: [image("3")], files: [file("y"), file("z")] });
    expect(joinPrompts([first, second])).toEqual({
      text: " a\n\n\nb",
      images: [image("1"), image("2"), image("3")],
      files: [file("x"), file("y"), file("z")],
    });
  });

  test("lose no picture of a prompt without words, and gain no blank line from it", () => {
    const joined = joinPrompts([
      prompt({ text: "a" }),
      prompt({ text: " \n", images: [image("1")] }),
      prompt({ text: "b" }),
    ]);
    expect(joined).toEqual(prompt({ text: "a\n\nb", images: [image("1")] }));
  });

  test("give the same in whatever groups they are joined", () => {
    const any = fc
      .record({
        text: fc.constantFrom("", " ", "a", "b\n", "c"),
        images: fc.array(fc.constant(image("1")), { maxLength: 2 }),
      })
      .map(prompt);
    fc.assert(
      fc.property(fc.array(any, { minLength: 2, maxLength: 6 }), fc.nat(), (prompts, nat) => {
        const at = 1 + (nat % (prompts.length - 1));
        const grouped = joinPrompts([joinPrompts(prompts.slice(0, at)), joinPrompts(prompts.slice(at))]);
        expect(grouped).toEqual(joinPrompts(prompts));
      }),
    );
  });
});

test.each<[readonly string[], string]>([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a\n\nb"],
  [["", "a", " \n", "b", "\t"], "a\n\nb"],
  [[" a ", "b"], " a \n\nb"],
])("the texts %j join to %j", (texts, joined) => {
  expect(joinTexts(texts)).toBe(joined);
});

test.each<[string, Prompt, boolean]>([
  ["nothing", prompt({}), true],
  ["white space", prompt({ text: " \n\t" }), true],
  ["a word", prompt({ text: "a" }), false],
  ["a picture", prompt({ images: [image("1")] }), false],
  ["a file", prompt({ files: [file("x")] }), false],
])("a prompt of %s: is it empty?", (_, each, empty) => {
  expect(isEmptyPrompt(each)).toBe(empty);
});
