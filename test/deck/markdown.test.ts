import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMarkdown, type Rendered } from "../../src/deck/markdown.ts";

const markdown = createMarkdown((html) => html);

function html(text: string): string {
  return markdown.render(text).blocks.join("");
}

describe("what an agent writes", () => {
  test.each([
    ["**bold** and `code`", "<p><strong>bold</strong> and <code>code</code></p>\n"],
    ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"],
    ["`<i>`", "<p><code>&lt;i&gt;</code></p>\n"],
    ["- [x] done", "<ul>\n<li>☑ done</li>\n</ul>\n"],
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
      expect(html(`[click](${to})`)).toBe("<p>click</p>\n");
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
    expect(shown).toContain("picture: a &lt;b&gt;");
    expect(shown).not.toContain("javascript");
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
