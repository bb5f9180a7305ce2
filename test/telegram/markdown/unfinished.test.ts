import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../src/telegram/markdown.ts";
import { nastyMarkdown } from "../nasty-markdown.ts";
import { faults } from "../telegram-rules.ts";

const streamed = (markdown: string) => renderMarkdown(markdown, { streaming: true });

describe("an answer that is still being written", () => {
  test.each([
    ["a style that is not closed", "a **bol", "a bol", "bold"],
    ["a style that is half closed", "a **bold*", "a bold", "bold"],
    ["a style that has come to a bracket", "a **see (", "a see (", "bold"],
    ["a style that has come to a slash", "a *see src/", "a see src/", "italic"],
    ["a style in a style", "**a *b", "a b", "italic"],
    ["styles that close in their order", "~~a **b", "a b", "strikethrough"],
    ["code that is not closed", "a `npm te", "a npm te", "code"],
    ["code with two backticks, half closed", "``a`b`", "a`b", "code"],
    ["bold around open code", "**a `b", "a b", "code"],
    ["a fence that is not closed", "```ts\nlet a", "let a", "pre"],
    ["a heading's open style", "## a *b", "a b", "italic"],
    ["a spoiler that is not closed", "a ||secr", "a secr", "spoiler"],
    ["a spoiler that is half closed", "a ||secret|", "a secret", "spoiler"],
    ["an open style in a list's last item", "- a\n- **b", "• a\n• b", "bold"],
    ["an open style in a quote", "> a\n> **b", "a\nb", "bold"],
  ])("shows %s", (_name, markdown, text, type) => {
    const shown = streamed(markdown);
    expect(shown.text).toBe(text);
    expect(shown.entities.map((entity) => entity.type)).toContain(type);
  });

  test.each([
    ["the words of a link without its target", "see [the docs](https://exam", "see the docs"],
    ["the words of a link that are not complete", "see [the do", "see the do"],
    ["the words of a reference that is not complete", "see [the docs][do", "see the docs"],
    ["an open style in an open link", "see [**the do", "see the do"],
    ["an open image by its words", "a ![pict](htt", "a 🖼 pict"],
    ["a product", "5*x + 3", "5*x + 3"],
    ["a name in underscores until it is known", "see __ini", "see"],
    ["words in underscores as they are", "see __two wor", "see __two wor"],
    ["no star in front of a dot", "see *.", "see"],
    ["no beginning of a cron line", "a\n\n* 9 *", "a"],
    ["an index behind a name", "use arr[0", "use arr[0"],
    ["the brackets of an alert", "> [!NOTE]\n", "[!NOTE]"],
    ["no bracket that may begin an alert or an image in a link", "a [!", "a"],
    ["a bracket with a backslash", "a \\[b", "a \\[b"],
    ["an address in angle brackets", "see <https://exa", "see https://exa"],
    ["stars with space around them", "2 ** 3 ** 4 is", "2 ** 3 ** 4 is"],
    [
      "underscores in words and addresses",
      "my_file https://a.example/_b_c and",
      "my_file https://a.example/_b_c and",
    ],
    ["no open escape, style or tag at the end", "a \\", "a"],
    ["no star at the end", "a *", "a"],
    ["no half character reference", "Q&am", "Q"],
    ["no half tag", "a<br", "a"],
    ["no half terminal colour", "a\u001b[3", "a"],
    ["no half character", "a\ud83d", "a"],
    ["no rule, list or underline that may come", "a\n-", "a"],
    ["no heading's marker", "a\n\n##", "a"],
    ["no list's marker", "- a\n- ", "• a"],
    ["no list's number", "1. a\n2", "1. a"],
    ["no task's box", "- a\n- [ ]", "• a"],
    ["no quote's marker", "a\n\n>", "a"],
    ["no fence that is not complete", "a\n\n``", "a"],
    ["no line of a fence that may close it", "```\na\n``", "a"],
    ["no definition that is not complete", "a\n\n[b]: htt", "a"],
    ["no table before its second line", "a\n\n| b | c |\n|--", "a"],
    ["no head of a table before its indented second line", "- a\n\n  | b | c |\n  ", "• a"],
    ["no row that is not complete", "|a|\n|-|\n|b|\n|c", "a\n─\nb"],
    ["a paragraph that has ended as it is", "a **b\n\n", "a **b"],
    ["only markers as nothing", "**", ""],
  ])("shows %s", (_name, markdown, text) => {
    expect(streamed(markdown).text).toBe(text);
  });

  test.each([
    ["styles", "A **bold *both* `code` x** ~~no~~ ***all*** __u__ *i*.\n\nNext **a*b*c** `` a`b `` end"],
    [
      "links",
      "See [the **docs** `x`](https://example.com/a_b) or <https://example.com/c> or [a][b] x.\n\n[b]: https://example.com",
    ],
    [
      "lists",
      "Do:\n\n- a **b**\n  more\n  1. one\n  2. two\n- [ ] task\n- [x] done\n\n* star\n+ plus\n\n10. ten\n11. eleven",
    ],
    [
      "code",
      "Run:\n\n```ts\nconst a = `b`;\n\n  if (a || b) { c[0] = *d; }\n```\n\nThen:\n\n~~~\n```\n~~~\nend",
    ],
    ["blocks", "# Title\n\nText\n===\n\n> a\n> **b**\n>\n> > c\n\n---\n\n***\n\nend &amp; a\\*b <T> x<br>y"],
    ["spoilers and notes", "A ||secret **bold**|| x[^1] and a || b.\n\n[^1]: The note."],
    ["emoji and other writings", "👨‍👩‍👧 **😀x** 🇩🇪 漢字 *かな* שלום **عالم** e\u0301 *e\u0301*"],
  ])("shows nothing that vanishes later: %s", (_name, markdown) => {
    const { text } = renderMarkdown(markdown, { streaming: false });
    const lost = prefixes(markdown).filter((prefix) => !text.startsWith(streamed(prefix).text.trimEnd()));
    // A reference stays as it is written until its definition comes.
    expect(lost.filter((prefix) => !prefix.includes("[a][b]"))).toEqual([]);
  });

  test.each(["[a]: https://b.exa", "[a]:\nhttps://b.exa", "> [a]: https://b.exa"])(
    "links to no address that is not complete: %s",
    (definition) => {
      expect(streamed(`See [a].\n\n${definition}`)).toEqual({ text: "See a.", entities: [] });
      const linked = { type: "text_link", offset: 4, length: 1, url: "https://b.exa" };
      const { text, entities } = streamed(`See [a].\n\n${definition}\n`);
      expect(text).toBe("See a.\n\n[a]: https://b.exa");
      expect(entities.filter(({ type }) => type === "text_link")).toEqual([
        linked,
        { ...linked, offset: 13, length: 13 },
      ]);
    },
  );

  test("adds only whole rows to a table", () => {
    const markdown = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n";
    const shown = new Set(prefixes(markdown).map((prefix) => streamed(prefix).text));
    const rows = ["a │ b\n──┼──", "1 │ 2", "3 │ 4"];
    expect([...shown]).toEqual(["", rows[0], rows.slice(0, 2).join("\n"), rows.join("\n")]);
  });

  test("is acceptable to Telegram at every character", () => {
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        const bad = prefixes(markdown.slice(0, 400)).filter((prefix) => faults(streamed(prefix)).length > 0);
        expect(bad).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

function prefixes(text: string): readonly string[] {
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length));
}
