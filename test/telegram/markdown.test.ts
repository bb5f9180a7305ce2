import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FormattedText } from "../../src/telegram/entities.ts";
import { renderMarkdown } from "../../src/telegram/markdown.ts";
import { braced } from "./braced.ts";
import { nastyMarkdown, referringMarkdown } from "./nasty-markdown.ts";
import { faults } from "./telegram-rules.ts";

const render = (markdown: string): FormattedText => renderMarkdown(markdown, { streaming: false });

describe("what markdown becomes", () => {
  test.each([
    ["bold", "a **b** c", "a {bold: b} c"],
    ["bold with underscores", "a __b c__ d", "a {bold: b c} d"],
    ["italic", "a *b* _c_", "a {italic: b} {italic: c}"],
    ["bold and italic at once", "***b***", "{bold: {italic: b}}"],
    ["bold inside bold as one", "**a **b** c**", "{bold: a b c}"],
    ["struck out", "a ~~b~~", "a {strikethrough: b}"],
    ["one tilde as itself", "~5 to ~10", "~5 to ~10"],
    ["words with underscores as themselves", "snake_case_name", "snake_case_name"],
    ["lone stars as themselves", "2 * 3 * 4", "2 * 3 * 4"],
    ["code", "run `npm test`", "run {code: npm test}"],
    ["code with a backtick", "``a`b``", "{code: a`b}"],
    ["bold around code without the code", "**a `b` c**", "{bold: a} {code: b} {bold: c}"],
    ["code that is all of the bold", "**`b`**", "{code: b}"],
    ["emphasis between emoji", "😀**😀bold😀**😀", "😀{bold: 😀bold😀}😀"],
    ["a fence with its language", "```ts\nlet a;\n```", "{pre ts: let a;}"],
    ["a fence with more than a language", "```py title=x\na\n```", "{pre py: a}"],
    ["a fence with a file's name", "```ts:src/a.ts\na\n```", "{pre ts: a}"],
    ["a fence with an attribute", "```rust,ignore\na\n```", "{pre rust: a}"],
    ["a fence with attributes only", "```{.python .numbered}\na\n```", "{pre .python: a}"],
    ["a fence without a language", "~~~\na\n~~~", "{pre: a}"],
    ["a fence that nobody closes", "```\na", "{pre: a}"],
    ["the indentation of code, its first line's too", "```\n  a\n    b\n```", "{pre:   a\n    b}"],
    ["tabs in code as four columns", "```\n\ta\n```", "{pre:     a}"],
    ["an empty fence as nothing", "a\n\n```\n\n```", "a"],
    ["indented code", "    a", "{pre: a}"],
    ["a link", "[a](https://example.com)", "{text_link https://example.com: a}"],
    ["code in a link without the code", "[`a`](https://example.com)", "{text_link https://example.com: a}"],
    ["bold in a link", "[**a** b](https://example.com)", "{text_link https://example.com: {bold: a} b}"],
    ["a mail link as text, which Telegram makes a link of", "[a](mailto:b@example.com)", "a (b@example.com)"],
    ["a mail address in angle brackets as it is written", "A <a@example.com>", "A <a@example.com>"],
    ["a telephone number as text", "[a](tel:+4930123456)", "a (+4930123456)"],
    ["a link into Telegram", "[a](tg://user?id=1)", "{text_link tg://user?id=1: a}"],
    ["a link to a file as text", "[a](./src/a.ts)", "a (./src/a.ts)"],
    ["a link to a section as text", "[a](#b)", "a"],
    ["a link to a host without a dot as text", "[a](http://localhost:3000/)", "a (http://localhost:3000/)"],
    ["a link with a scheme that Telegram drops", "[a](javascript:b)", "a (javascript:b)"],
    ["a link that is no URL", "[a](http://)", "a (http://)"],
    ["a link that says its own target", "[src/a.ts](src/a.ts)", "src/a.ts"],
    [
      "a link without words",
      "[](https://example.com)",
      "{text_link https://example.com: https://example.com}",
    ],
    [
      "an address in angle brackets",
      "<https://example.com>",
      "{text_link https://example.com: https://example.com}",
    ],
    [
      "a bare address",
      "see https://example.com.",
      "see {text_link https://example.com: https://example.com}.",
    ],
    [
      "a bare address without a scheme",
      "www.example.com",
      "{text_link http://www.example.com: www.example.com}",
    ],
    ["a bare host without a dot", "http://localhost:3000", "http://localhost:3000"],
    [
      "a mail address as text",
      "a@example.com or mailto:a@example.com",
      "a@example.com or mailto:a@example.com",
    ],
    [
      "a bare address up to wide punctuation",
      "https://example.com。谢谢",
      "{text_link https://example.com: https://example.com}。谢谢",
    ],
    [
      "a bare address in stars that are followed by wide punctuation",
      "**https://example.com/a**，b",
      "{text_link https://example.com/a: {bold: https://example.com/a}}，b",
    ],
    [
      "no markup in a bare address",
      "https://example.com/_a_/*b*/c",
      "{text_link https://example.com/_a_/*b*/c: https://example.com/_a_/*b*/c}",
    ],
    [
      "a bare address in square brackets",
      "[see https://example.com]",
      "[see {text_link https://example.com: https://example.com}]",
    ],
    [
      "the bare address of a template as text",
      "https://s3.{region}.amazonaws.com/_b_",
      "https://s3.{region}.amazonaws.com/_b_",
    ],
    [
      "a bare address that is a link's words",
      "[https://a.example](https://b.example)",
      "{text_link https://b.example: https://a.example}",
    ],
    [
      "a link by reference",
      "[a][b]\n\n[B]: https://example.com",
      "{text_link https://example.com: a}\n\n[B]: {text_link https://example.com: https://example.com}",
    ],
    ["a reference to nothing", "[a][b]", "[a][b]"],
    ["an image as a link", "![a](https://example.com/i.png)", "{text_link https://example.com/i.png: 🖼 a}"],
    [
      "an image without words",
      "![](https://example.com)",
      "{text_link https://example.com: https://example.com}",
    ],
    [
      "an image in a link",
      "[![a](https://example.com/i)](https://example.com)",
      "{text_link https://example.com: 🖼 a}",
    ],
    ["an image from a file as text", "![a](i.png)", "🖼 a (i.png)"],
    ["a quote", "> a\n> b", "{blockquote: a\nb}"],
    ["a quote in a quote as one", "> a\n>\n> > b", "{blockquote: a\n\nb}"],
    ["code in a quote", "> `a` b\n>\n> ```\n> c\n> ```", "{blockquote: {code: a} b\n\n{pre: c}}"],
    ["a spoiler", "a ||b|| c", "a {spoiler: b} c"],
    ["a spoiler around other styles", "||a **b** `c`||", "{spoiler: a {bold: b} c}"],
    ["a spoiler in bold", "**||a||**", "{spoiler: {bold: a}}"],
    [
      "the `or` of programs as itself",
      "a || b || c, x||y||z, f(x)||y|| z",
      "a || b || c, x||y||z, f(x)||y|| z",
    ],
    ["no spoiler in code", "`||a||`", "{code: ||a||}"],
    ["a list", "- a\n- b", "• a\n• b"],
    ["a list with blank lines", "- a\n\n- b", "• a\n\n• b"],
    ["a numbered list from its number", "3. a\n3. b", "3. a\n4. b"],
    ["a box that belongs to no item", "-\n[x] a", "• \n[x] a"],
    ["tasks in a numbered list", "1. [x] a\n2. [ ] b", "1. ☑ a\n2. ☐ b"],
    ["lists in lists", "- a\n  - b\n    1. c\n- d", "• a\n   • b\n      1. c\n• d"],
    ["an item's further lines under its words", "- a\n  b\n\n  c", "• a\n   b\n\n   c"],
    ["code in a list without the list's indentation", "- a\n  ```\n  b\n  ```", "• a\n{pre: b}"],
    ["an item that is code", "1. ```\n   b\n   ```", "1. \n{pre: b}"],
    ["tasks", "- [ ] a\n- [x] b", "☐ a\n☑ b"],
    ["a table", "| a | bb |\n|---|--:|\n| ccc | d |", "{pre: a   │ bb\n────┼───\nccc │  d}"],
    [
      "a table's columns by what they take on the screen",
      "|漢|a|\n|-|-|\n|x|😀|",
      "{pre: 漢 │ a\n───┼───\nx  │ 😀}",
    ],
    ["centred columns", "|a|\n|:-:|\n|bbb|", "{pre:  a\n───\nbbb}"],
    [
      "a table's links below it",
      "|a|\n|-|\n|[b](https://example.com)|",
      "{pre: a\n─\nb}\n{text_link https://example.com: b}",
    ],
    ["styles in a table as plain words", "|**a**|\n|-|\n|`b\\|c`|", "{pre: a\n───\nb|c}"],
    ["a heading", "# a `b`", "{bold: a} {code: b}"],
    ["an underlined line", "a\n===", "a\n==="],
    ["a break between themes", "a\n\n---\n\nb", "a\n\n──────────\n\nb"],
    ["blocks that touch, touching", "# a\nb\n- c", "{bold: a}\nb\n• c"],
    ["a footnote", "a[^1]\n\n[^1]: b", "a[1]\n\n[1] b"],
    ["a footnote's mark without its note", "a[^1]", "a[1]"],
    ["a footnote's mark in a table", "|a[^1]|\n|-|", "{pre: a[1]\n────}"],
    ["a named footnote", "a[^n]\n\n[^n]: b", "a[^n]\n\n[^n] b"],
    ["a hard break", "a  \nb\\\nc", "a\nb\nc"],
    ["a soft break as a line", "a\nb", "a\nb"],
    ["HTML as text", "Vec<T> <div>\n**a**", "Vec<T> <div>\n{bold: a}"],
    ["the tag for a line break", "a<br>b<br />c", "a\nb\nc"],
    ["sums of money as themselves", "$400-600K and $5", "$400-600K and $5"],
    ["character references", "AT&amp;T &lt;", "AT&T <"],
    ["an escaped star", "\\*a\\*", "*a*"],
    ["right-to-left text untouched", "**שלום** عالم", "{bold: שלום} عالم"],
    ["no controls", "a\u0000b\u0007c\u007f", "abc"],
    ["no terminal colours", "\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x", "red x"],
    ["no controls out of character references", "a&#9;b", "a b"],
    ["half a character as the sign for it", "a\ud83db", "a\ufffdb"],
    ["a letter's ring as a part of the letter", "**Ga\u030a** e\u0301", "{bold: Gå} e\u0301"],
    ["Windows lines", "a\r\n\r\nb", "a\n\nb"],
    ["nothing", "", ""],
    [
      "a definition as it is written",
      "[a]: https://example.com 'b'",
      '[a]: {text_link https://example.com: https://example.com} "b"',
    ],
    ["a definition in a list", "- [a]: b.md", "• [a]: b.md"],
  ])("shows %s", (_name, markdown, shown) => {
    expect(braced(render(markdown))).toBe(shown);
  });

  test("counts offsets in UTF-16 units behind anything wider than one", () => {
    const { text, entities } = render("👨‍👩‍👧‍👦🇩🇪漢e\u0301 **b**");
    expect(entities).toEqual([{ type: "bold", offset: text.indexOf("b"), length: 1 }]);
    expect(text.indexOf("b")).toBe(11 + 4 + 1 + 2 + 1);
  });

  test("shows a link that is longer than Telegram takes with its address behind its words", () => {
    const address = `https://example.com/${"x".repeat(5000)}`;
    expect(render(`[a](${address})`)).toEqual({ text: `a (${address})`, entities: [] });
  });

  test("shows no more than the beginning of a picture that stands in an address", () => {
    const { text } = render(`![a](data:image/png;base64,${"A".repeat(9_000)})`);
    expect(text).toMatch(/^🖼 a \(data:image\/png;base64,A{38}…\)$/);
  });

  test("lets an unclosed bracket or star stand when the answer has ended", () => {
    expect(render("a [b](https://exa and **c").text).toBe("a [b](https://exa and **c");
  });
});

describe("any markdown", () => {
  test.each([{ streaming: true }, { streaming: false }])("becomes what Telegram accepts, %o", (options) => {
    fc.assert(
      fc.property(fc.oneof(nastyMarkdown, referringMarkdown), (markdown) => {
        expect(faults(renderMarkdown(markdown, options))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("becomes what Telegram accepts, random characters too", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.boolean(), (markdown, streaming) => {
        expect(faults(renderMarkdown(markdown, { streaming }))).toEqual([]);
      }),
    );
  });

  test("keeps every word that is not markup", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }), (words) => {
        const markdown = words.map(
          (word, at) => ["**", "`", "", "~~"][at % 4] + word + ["**", "`", "", "~~"][at % 4],
        );
        expect(render(markdown.join(" ")).text).toBe(words.join(" "));
      }),
    );
  });
});

describe("markdown that is made to be slow or deep", () => {
  test.each([
    ["quotes in quotes", `${">".repeat(8000)} a`],
    ["underlined lines", "a\n=\n".repeat(7000)],
    ["lines above dashes", "a\n-\n".repeat(2000)],
    ["names", "__a".repeat(4000)],
    ["patterns of paths", "**/".repeat(4000)],
    ["open stars", "*a ".repeat(2000)],
    ["open brackets", "[".repeat(2000)],
    ["images that never end", "![".repeat(2000)],
    ["ampersands", "&".repeat(2000)],
    ["tags", "<a".repeat(2000)],
    ["backslashes", "\\".repeat(2000)],
    ["spaces", `a${" ".repeat(2000)}b`],
    ["list markers", "- ".repeat(1000)],
  ])("is rendered all the same: %s", (_name, markdown) => {
    for (const streaming of [true, false]) {
      const shown = renderMarkdown(markdown, { streaming });
      expect(shown.text.length).toBeLessThanOrEqual(2 * markdown.length);
      expect(shown.text.isWellFormed()).toBe(true);
    }
  });

  test.each([
    ["lists in lists", `${"- ".repeat(1000)}a`],
    ["quotes and lists in one another", `${"> 1. ".repeat(500)}a`],
  ])("is shown as it is where a parser would take seconds: %s", (_name, markdown) => {
    for (const streaming of [true, false]) {
      expect(renderMarkdown(markdown, { streaming })).toEqual({ text: markdown, entities: [] });
    }
  });
});
