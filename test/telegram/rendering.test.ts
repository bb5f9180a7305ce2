import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sliceFormatted } from "../../src/telegram/entities.ts";
import { renderMarkdown } from "../../src/telegram/markdown.ts";
import { answerLimits } from "../../src/telegram/overflow.ts";
import { paginate, type PageLimits } from "../../src/telegram/paginate.ts";
import { createRendering, renderSteps } from "../../src/telegram/rendering.ts";
import { nastyLines, nastyText } from "../fixtures/nasty-fragments.ts";
import { nastyMarkdown, referringMarkdown } from "./nasty-markdown.ts";

const fromScratch = (markdown: string, streaming: boolean, limits: PageLimits = answerLimits) =>
  paginate(renderMarkdown(markdown, { streaming }), limits);

const anyLimits = fc.oneof(
  fc.constant(answerLimits),
  fc.record({
    units: fc.integer({ min: 2, max: 60 }),
    entities: fc.integer({ min: 6, max: 10 }),
    last: fc.nat(9),
  }),
);
const anySteps = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 });

/** The beginnings of a text that one sees when it comes in pieces of these lengths. */
function arrivals(text: string, steps: readonly number[]): readonly string[] {
  const seen: string[] = [];
  // Long texts come in longer pieces, or a run of this test would take a minute.
  const scale = Math.ceil(text.length / 1000);
  for (let end = 0, at = 0; end < text.length; at++) {
    end = Math.min(text.length, end + (steps[at % steps.length] ?? 1) * scale);
    seen.push(text.slice(0, end));
  }
  return seen;
}

describe("rendering an answer piece by piece", () => {
  test("shows at every piece what rendering from scratch shows", () => {
    fc.assert(
      fc.property(nastyMarkdown, anySteps, anyLimits, (markdown, steps, limits) => {
        const rendering = createRendering(limits);
        for (const arrived of arrivals(markdown, steps)) {
          const pages = rendering.update([arrived], { streaming: true });
          expect(pages).toEqual(fromScratch(arrived, true, limits));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("shows the same of signs that are no marks", () => {
    fc.assert(
      fc.property(fc.oneof(nastyText, nastyLines), anySteps, anyLimits, (markdown, steps, limits) => {
        const rendering = createRendering(limits);
        for (const arrived of arrivals(markdown, steps)) {
          expect(rendering.update([arrived], { streaming: true })).toEqual(
            fromScratch(arrived, true, limits),
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["a list behind indented code", "     - \n- \n- `"],
    ["a number behind indented code", "    a\n\n2. b\n2. c\n\nd"],
    ["a table that turns out to be none", "a\n| b | c |\n|--|--x|\nd\n\ne"],
    ["a title that turns out to be a definition's", "[a]: https://example.com\n'b\nc'\n\nd [a] e"],
    ["an underline that turns out to be a list", "a\n- b\n- c\n\nd"],
    ["a fence that turns out to be code in a line", "a\n```b`\nc\n\nd"],
    ["white space at the end of a code block", "```\nends  \n```\n> 0123456789"],
    ["blank lines in a code block", "```\n\n\na\n\n\nb\nc\n\n```\n\nd"],
    ["an item that turns out to be a removed line", "- a\n- b\n+ c\n- d\n- e\n- f"],
    ["a removed line behind a paragraph", "a\n\n- b\n- c\n+ d\n\ne"],
    ["a cron line in a list", "* a\n* b\n* * * * * job\n* c"],
    ["a year in a list", "1. a\n2. b\n1986. c\nd\n3. e"],
    ["a plus in a list of pluses", "   + a\n   + b\n+ c\n+ d"],
    ["a code block whose language is all of its rest", "```ts\n# a\nb\n```\n\n"],
    ["a nested list that ends", "1. a\n   - b\n   - c\n\n2. d\n\n\n3. e\nf\n\ng"],
  ])("shows at every character what rendering from scratch shows: %s", (_name, markdown) => {
    const limits = { units: 15, entities: 100 };
    const rendering = createRendering(limits);
    const shown = arrivals(markdown, [1]).map((arrived) => rendering.update([arrived], { streaming: true }));
    expect(shown).toEqual(arrivals(markdown, [1]).map((arrived) => fromScratch(arrived, true, limits)));
  });

  test("shows in the end what rendering from scratch shows, also with late definitions", () => {
    fc.assert(
      fc.property(
        fc.oneof(nastyMarkdown, referringMarkdown),
        anySteps,
        anyLimits,
        (markdown, steps, limits) => {
          const rendering = createRendering(limits);
          for (const arrived of arrivals(markdown, steps)) rendering.update([arrived], { streaming: true });
          expect(rendering.update([markdown], { streaming: false })).toEqual(
            fromScratch(markdown, false, limits),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test("knows definitions from blocks that it has long left behind", () => {
    const rendering = createRendering();
    const markdown = "[a]: https://example.com/a\n\nb\n\nc\n\n[d][A] e";
    arrivals(markdown, [1]).forEach((arrived) => rendering.update([arrived], { streaming: true }));
    const [page] = rendering.update([`${markdown} f`], { streaming: true });
    expect(page?.text).toBe("[a]: https://example.com/a\n\nb\n\nc\n\nd e f");
    expect(page?.entities.at(-1)).toEqual({
      type: "text_link",
      offset: 34,
      length: 1,
      url: "https://example.com/a",
    });
  });

  test("repeats a table's head on each page, also when the table was left behind", () => {
    const rendering = createRendering();
    const rows = Array.from({ length: 350 }, (_, at) => `| name ${at} | a note on it |\n`);
    const markdown = `Words.\n\n| name | note |\n|-|-|\n${rows.join("")}\nMore words.\n\nThe last ones.`;
    for (const arrived of arrivals(markdown, [200])) {
      expect(rendering.update([arrived], { streaming: true })).toEqual(fromScratch(arrived, true));
    }
    const pages = rendering.update([markdown], { streaming: true });
    expect(pages.length).toBeGreaterThan(2);
    for (const { text } of pages.slice(1)) expect(text.startsWith("name    │ note\n────────┼")).toBe(true);
  });

  test("repeats no head of a table that was cut in it", () => {
    const limits = { units: 200, entities: 100 };
    const markdown = `${"word ".repeat(19)}\n\n| a | b |\n|-|-|\n${"| c | d |\n".repeat(40)}`;
    expect(
      fromScratch(markdown, false, limits)
        .slice(1)
        .every(({ text }) => text.startsWith("a │ b\n")),
    ).toBe(true);
    const cut = sliceFormatted(renderMarkdown("| a | b |\n|-|-|\n| c | d |", { streaming: false }), 3, 17);
    expect(paginate(cut, limits)[0]?.text).toBe(" b\n──┼──\nc │ d");
  });

  test("leaves no block behind with a link to half an address", () => {
    const rendering = createRendering();
    const markdown = "[a] b\n\nc\n\n[a]: https://example.com";
    for (const end of ["", "/d", "/d\n\ne"]) {
      const pages = rendering.update([markdown + end], { streaming: true });
      expect(pages.flatMap(({ entities }) => entities).filter(({ offset }) => offset < 5)).toEqual([]);
    }
  });

  test("counts on in a list whose first items it has left behind", () => {
    const rendering = createRendering();
    const markdown = "7. a\n1. b\n\n   b2\n1. c\n1. d";
    arrivals(markdown, [1]).forEach((arrived) => rendering.update([arrived], { streaming: true }));
    expect(rendering.update([`${markdown}!`], { streaming: true })[0]?.text).toBe(
      "7. a\n1. b\n\n   b2\n2. c\n3. d!",
    );
  });

  test("keeps one code block over everything that it has left behind", () => {
    const rendering = createRendering();
    const markdown = "```ts\na\n\n  b\nc\n\nd";
    arrivals(markdown, [1]).forEach((arrived) => rendering.update([arrived], { streaming: true }));
    expect(rendering.update([`${markdown}\n\`\`\`\ne`], { streaming: true })).toEqual([
      { text: "a\n\n  b\nc\n\nd\ne", entities: [{ type: "pre", offset: 0, length: 11, language: "ts" }] },
    ]);
  });

  test.each([
    ["shorter", "A paragraph.\n"],
    ["other in its open end", "A paragraph.\nand more"],
    ["other from the start", "Another paragraph.\n\nAnd one more."],
  ])("starts over when the answer becomes %s", (_name, markdown) => {
    const rendering = createRendering();
    rendering.update(["A paragraph.\n- a\n- b"], { streaming: true });
    expect(rendering.update([markdown], { streaming: true })).toEqual(fromScratch(markdown, true));
  });

  test("gives pages that did not change as the same objects", () => {
    const rendering = createRendering({ units: 20, entities: 100 });
    const markdown = "aaaa aaaa aaaa\n\nbbbb bbbb bbbb\n\ncccc cccc";
    const before = rendering.update([markdown], { streaming: true });
    const after = rendering.update([`${markdown} cccc`], { streaming: true });
    expect(before).toHaveLength(3);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
    expect(rendering.update([`${markdown} cccc`], { streaming: false })[2]).toBe(after[2]);
  });

  test("gives the same pages when it is asked the same again", () => {
    const rendering = createRendering();
    const pages = rendering.update(["a"], { streaming: true });
    expect(rendering.update(["a"], { streaming: true })).toBe(pages);
  });
});

/** What one sees of an answer in several steps, each of which comes in pieces. */
function arrivalsOfSteps(
  steps: readonly string[],
  lengths: readonly number[],
): readonly (readonly string[])[] {
  return steps.flatMap((step, at) =>
    arrivals(step, lengths).map((arrived) => [...steps.slice(0, at), arrived]),
  );
}

describe("rendering an answer in several steps", () => {
  test.each([
    [
      "two numbered lists",
      ["1. look\n2. fix", "1. found\n2. fixed"],
      "1. look\n2. fix\n\n1. found\n2. fixed",
    ],
    ["a list and a paragraph", ["- look", "  found"], "• look\n\nfound"],
    ["a quote and a paragraph", ["> look", "found"], "look\n\nfound"],
    ["a definition and a reference to it", ["[a]: b.md", "[a]"], "[a]: b.md\n\n[a]"],
    ["a title that is underlined in the next step", ["look", "---\nfound"], "look\n\n──────────\nfound"],
    ["nothing that can be seen", ["```\n```", "found"], "found"],
  ])("keeps apart %s", (_name, steps, text) => {
    expect(renderSteps(steps, { streaming: false }).text).toBe(text);
  });

  test.each([
    ["", "```ts\nlook", "found", { offset: 0, length: 4 }],
    [" in a list", "1. ```ts\n   look", "found", { offset: 4, length: 4 }],
    [" that is closed in a list", "1. ```ts\n   look\n   ```", "found", { offset: 4, length: 4 }],
  ])("ends a code block%s with its step", (_name, first, second, range) => {
    const { text, entities } = renderSteps([first, second], { streaming: true });
    expect(text.endsWith("look\n\nfound")).toBe(true);
    expect(entities).toEqual([{ type: "pre", language: "ts", ...range }]);
  });

  test("shows at every piece what rendering from scratch shows", () => {
    const anyAnswer = fc.array(nastyMarkdown, { minLength: 2, maxLength: 3 });
    const anyLengths = fc.array(fc.integer({ min: 20, max: 200 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(anyAnswer, anyLengths, anyLimits, (answer, lengths, limits) => {
        const rendering = createRendering(limits);
        for (const arrived of arrivalsOfSteps(answer, lengths)) {
          const pages = rendering.update(arrived, { streaming: true });
          expect(pages).toEqual(paginate(renderSteps(arrived, { streaming: true }), limits));
        }
      }),
      { numRuns: 20 },
    );
  });

  test("leaves the pages of the steps that are over as the objects that they were", () => {
    const rendering = createRendering({ units: 20, entities: 100 });
    const before = rendering.update(["aaaa aaaa aaaa", "bbbb bbbb bbbb"], { streaming: true });
    const after = rendering.update(["aaaa aaaa aaaa", "bbbb bbbb bbbb", "cccc cccc"], { streaming: true });
    expect(before).toHaveLength(2);
    expect(after).toHaveLength(3);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  test("starts over when an earlier step is another one, or is gone", () => {
    const rendering = createRendering();
    rendering.update(["one", "two"], { streaming: true });
    for (const steps of [["won", "two"], ["two"], ["two", "three"], []]) {
      const pages = rendering.update(steps, { streaming: true });
      expect(pages).toEqual(paginate(renderSteps(steps, { streaming: true }), answerLimits));
    }
  });
});
