import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markdownCases } from "../../fixtures/markdown-cases.ts";
import { nastyText, withoutMarks } from "../../fixtures/nasty-fragments.ts";
import { renderMarkdown } from "../../../src/telegram/markdown.ts";
import { braced } from "../braced.ts";

/** One blank line or none between two blocks is a matter of looks. */
function withoutBlankLines(text: string): string {
  return text.replace(/\n+/g, "\n");
}

/** What begins like something else: only its end tells. */
const undecided = new Set([
  "a removed line with the one that was added",
  "bold with underscores",
  "names with underscores in them",
  "arguments",
  "pointers and casts",
  "stars in quotes",
  "stars of footnotes",
  "patterns with stars",
  "marks that nobody closes",
  "an escaped link",
  "a link by its name",
  "indices and calls",
  "brackets",
  "a name with a colon, and brackets around it elsewhere",
  "a set of characters",
]);

describe("what an agent writes, in the chat", () => {
  test.each(markdownCases)("shows $name", ({ markdown, shown }) => {
    const rendered = braced(renderMarkdown(markdown, { streaming: false }));
    expect(withoutBlankLines(rendered.replaceAll("──────────", "──"))).toBe(withoutBlankLines(shown));
  });

  test.each(markdownCases.filter(({ name }) => !undecided.has(name)))(
    "takes nothing back of $name while it is being written",
    ({ markdown }) => {
      const { text } = renderMarkdown(markdown, { streaming: false });
      const beginnings = Array.from({ length: markdown.length }, (_, end) => markdown.slice(0, end + 1));
      const takenBack = beginnings.filter((beginning) => {
        return !text.startsWith(renderMarkdown(beginning, { streaming: true }).text.trimEnd());
      });
      expect(takenBack).toEqual([]);
    },
  );

  test("loses no letter, no digit and no sign that is no mark", () => {
    fc.assert(
      fc.property(nastyText, (markdown) => {
        const { text } = renderMarkdown(markdown, { streaming: false });
        expect(withoutMarks(text)).toBe(withoutMarks(markdown));
      }),
      { numRuns: 1_000 },
    );
  });
});
