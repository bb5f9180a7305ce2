import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMarkdown, type Rendered } from "../../src/deck/markdown.ts";
import { markdownCases } from "../fixtures/markdown-cases.ts";
import { nastyLine, nastyText, withoutMarks } from "../fixtures/nasty-fragments.ts";
import { renderMarkdown } from "../../src/telegram/markdown.ts";
import { seen, withoutStyles } from "./seen.ts";

const markdown = createMarkdown((html) => html);

function html(text: string): string {
  return markdown.render(text).blocks.join("");
}

describe("what an agent writes, in the deck", () => {
  test.each(markdownCases)("shows $name", ({ markdown, shown }) => {
    expect(seen(html(markdown))).toBe(shown.replace(/\n+/g, "\n"));
  });

  test("loses no letter, no digit and no sign that is no mark", () => {
    fc.assert(
      fc.property(nastyText, (markdown) => {
        expect(withoutMarks(withoutStyles(seen(html(markdown))))).toBe(withoutStyles(withoutMarks(markdown)));
      }),
      { numRuns: 1_000 },
    );
  });

  test("shows a line as the chat does", () => {
    // Only Telegram hides words: the deck shows the pipes around them.
    const withoutPipes = (text: string): string => text.replaceAll("||", "");
    fc.assert(
      fc.property(nastyLine, (markdown) => {
        const { text } = renderMarkdown(markdown, { streaming: false });
        expect(withoutPipes(withoutStyles(seen(html(markdown))))).toBe(withoutPipes(withoutStyles(text)));
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["a table's cells beyond its head", "| a |\n|---|\n| b | c\\|d |", "a\nb c|d"],
    ["a picture that is in a file", "![a](i.png)", "🖼 a (i.png)"],
    ["a link to a section", "[a](#b)", "a"],
    ["a link that says its target", "[src/a.ts](src/a.ts)", "src/a.ts"],
    [
      "an address up to wide punctuation",
      "见https://example.com。好",
      "见{text_link https://example.com: https://example.com}。好",
    ],
    [
      "a host without a dot, which a browser can reach",
      "http://localhost:3000/a_b_c",
      "{text_link http://localhost:3000/a_b_c: http://localhost:3000/a_b_c}",
    ],
    ["a definition without an address", "[a]: b.md", "[a]: b.md"],
    [
      "a list in a list with numbers of its own",
      "1. a\n\n   5. b\n   9. c\n4. d",
      "1. a\n   5. b\n   9. c\n4. d",
    ],
  ])("shows %s", (_name, markdown, shown) => {
    expect(seen(html(markdown))).toBe(shown);
  });
});

describe("the HTML of what an agent writes", () => {
  test.each([
    ["**bold** and `code`", "<p><strong>bold</strong> and <code>code</code></p>\n"],
    ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"],
    ["a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"],
    ["`<i>`", "<p><code>&lt;i&gt;</code></p>\n"],
    ["- [x] done", '<ul>\n<li class="task">☑ <span class="words">done</span></li>\n</ul>\n'],
  ])("%s", (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  test("links lead to the web and to mail, with nothing handed on, and anywhere else not at all", () => {
    const safe = html("[a](https://example.com/?q=1&r=2) [b](mailto:ada@example.com) http://example.com");
    expect([...safe.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      "https://example.com/?q=1&amp;r=2",
      "mailto:ada@example.com",
      "http://example.com",
    ]);
    expect(safe.match(/rel="noopener noreferrer"/g)).toHaveLength(3);
    for (const to of [
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      "data:text/html,x",
      "file:///etc",
      "//x.y",
      "&#106;avascript:alert(1)",
    ]) {
      expect(html(`[click](${to})`)).not.toContain("<a");
    }
  });

  test.each([
    ["https://example.com。谢谢", "https://example.com", "https://example.com"],
    ["**https://example.com/a**，b", "https://example.com/a", "https://example.com/a"],
    [
      "(see https://example.com/_a_/b_(c)).",
      "https://example.com/_a_/b_(c)",
      "https://example.com/_a_/b_(c)",
    ],
    ["www.example.com/?a=1&b=2, b", "http://www.example.com/?a=1&amp;b=2", "www.example.com/?a=1&amp;b=2"],
    ["http://localhost:3000/a", "http://localhost:3000/a", "http://localhost:3000/a"],
  ])("a bare address in %s ends where a reader would end it", (text, href, words) => {
    const links = [...html(text).matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g)];
    expect(links.map(([, to, inside]) => [to, inside])).toEqual([[href, words]]);
  });

  test.each([
    "https://s3.{region}.amazonaws.com/_b_",
    "https://$HOST/a",
    "https://*.example.com/",
    "ada@example.com",
    "mailto:ada@example.com",
  ])("%s is text", (text) => {
    expect(html(text)).toBe(`<p>${text}</p>\n`);
  });

  test("pictures from elsewhere are links: showing one would tell its server who reads", () => {
    const shown = html("![a <b>](https://example.com/a.png) ![x](javascript:alert(1))");
    expect(shown).not.toContain("<img");
    expect(shown).toContain('href="https://example.com/a.png"');
    expect(shown).toContain("🖼 a &lt;b&gt;</a>");
    expect(shown).toContain("🖼 x (javascript:alert(1))");
  });

  test("nothing in it becomes a tag or attribute of its own", () => {
    const nasty = [
      '```"><img src=x onerror=alert(1)>\nx\n```',
      '[a](https://x.y "t"onmouseover="alert(1)")',
      "<svg/onload=alert(1)>",
    ];
    for (const text of nasty) expect(html(text)).not.toMatch(/<(img|svg|script)|\son\w+="/);
  });

  test("every block goes through the last gate", () => {
    const gated = createMarkdown((block) => `[${block.trim()}]`);
    expect(gated.render("a\n\nb").blocks).toEqual(["[<p>a</p>]", "[<p>b</p>]"]);
  });
});

const DOCUMENT = `# Title

A paragraph
of two lines.

- one
- two

  still two
- three

1. first

2. second

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted

> quoted too

    indented

    code

A heading
---

* * *

<div>

raw

</div>

The end`;

/** Hands a text on in pieces, as it streams. */
function stream(text: string, ends: readonly number[], from?: Rendered): Rendered {
  return [...ends, text.length].reduce<Rendered | undefined>(
    (before, end) => markdown.render(text.slice(0, end), before),
    from,
  ) as Rendered;
}

describe("while a text grows", () => {
  test("it is shown as if it had come whole, wherever it was cut", () => {
    const whole = markdown.render(DOCUMENT).blocks;
    for (let step = 1; step < 12; step += 1) {
      const ends = Array.from({ length: Math.floor(DOCUMENT.length / step) }, (_, index) => index * step);
      expect(stream(DOCUMENT, ends).blocks).toEqual(whole);
    }
  });

  test("the same holds for any order of blocks and any cuts", () => {
    const block = fc.constantFrom(
      ...DOCUMENT.split("\n\n"),
      "- x",
      "2. y",
      "---",
      "===",
      "```",
      "text",
      "  nested",
    );
    const gap = fc.constantFrom("\n\n", "\n\n", "\n", "\n\n\n");
    const blocks = fc.array(fc.tuple(block, gap), { maxLength: 12 });
    fc.assert(
      fc.property(blocks, fc.array(fc.nat(400), { maxLength: 40 }), (parts, cuts) => {
        const text = parts.flat().join("");
        const ends = cuts.filter((cut) => cut < text.length).sort((one, other) => one - other);
        expect(stream(text, ends).blocks).toEqual(markdown.render(text).blocks);
      }),
      { numRuns: 400 },
    );
  });

  test("only the open block is parsed anew", () => {
    const parsed: string[] = [];
    const watching = createMarkdown((block) => {
      parsed.push(block);
      return block;
    });
    const before = watching.render("# One\n\nTwo is long.\n\nThree\nis");
    parsed.length = 0;
    const grown = watching.render("# One\n\nTwo is long.\n\nThree\nis open", before);
    expect(parsed).toEqual(["<p>Three\nis open</p>\n"]);
    expect(grown.blocks.slice(0, 2)).toEqual(before.blocks.slice(0, 2));
  });

  test("a text that is another one is parsed as a whole", () => {
    const before = markdown.render("a\n\nb\n\nc\nd");
    expect(markdown.render("x\n\nb", before).blocks).toEqual(["<p>x</p>\n", "<p>b</p>\n"]);
  });
});
