import * as fc from "fast-check";
import type { RichBlock, RichMessage, RichText } from "grammy/types";
import { describe, expect, test } from "vitest";
import { flattenRich } from "../../src/telegram/rich.ts";

/** Blocks as Telegram may send them, which includes shapes that the types do not know. */
const flatten = (...blocks: unknown[]): string => flattenRich({ blocks } as RichMessage);
const paragraph = (text: RichText): RichBlock => ({ type: "paragraph", text });
const inline = (text: RichText): string => flatten(paragraph(text));
const ada = { id: 7, is_bot: false, first_name: "Ada" };

describe("formatted text", () => {
  test.each<[string, RichText, string]>([
    ["plain text stays as it is", "2 * 3 * 4 = 24_units", "2 * 3 * 4 = 24_units"],
    ["pieces join without a gap", ["a", ["b", ["c"]], "d"], "abcd"],
    ["bold", { type: "bold", text: "now" }, "**now**"],
    ["italic", { type: "italic", text: "now" }, "*now*"],
    ["strikethrough", { type: "strikethrough", text: "now" }, "~~now~~"],
    ["underline", { type: "underline", text: "now" }, "<u>now</u>"],
    ["spoiler", { type: "spoiler", text: "the butler" }, "||the butler||"],
    ["marked", { type: "marked", text: "now" }, "==now=="],
    ["subscript", ["H", { type: "subscript", text: "2" }, "O"], "H<sub>2</sub>O"],
    ["superscript", ["x", { type: "superscript", text: "2" }], "x<sup>2</sup>"],
    ["styles nest", { type: "bold", text: ["a ", { type: "italic", text: "b" }] }, "**a *b***"],
    ["marks hug the words", ["x", { type: "bold", text: " y " }, "z"], "x **y** z"],
    ["marks around nothing are left away", ["a", { type: "bold", text: " " }, "b"], "a b"],
    ["code", { type: "code", text: "npm test" }, "`npm test`"],
    ["code that holds a backtick", { type: "code", text: "`a`" }, "`` `a` ``"],
    ["code takes no marks", { type: "code", text: { type: "bold", text: "x" } }, "`x`"],
    ["a formula", { type: "mathematical_expression", expression: "x^2" }, "$x^2$"],
    [
      "a link",
      { type: "url", text: "the docs", url: "https://a.example/b" },
      "[the docs](https://a.example/b)",
    ],
    [
      "a link that is its own text",
      { type: "url", text: "a.example", url: "https://a.example/" },
      "a.example",
    ],
    ["a link without text", { type: "url", text: "", url: "https://a.example" }, "https://a.example"],
    [
      "a link with brackets",
      { type: "url", text: "t", url: "https://a.example/b_(c)" },
      "[t](<https://a.example/b_(c)>)",
    ],
    [
      "a link cannot break out",
      { type: "url", text: "t", url: "https://a> [x](y" },
      "[t](<https://a%3E%20[x](y>)",
    ],
    [
      "an address",
      { type: "email_address", text: "a@b.example", email_address: "a@b.example" },
      "a@b.example",
    ],
    [
      "a named address",
      { type: "email_address", text: "Ada", email_address: "a@b.example" },
      "[Ada](mailto:a@b.example)",
    ],
    ["a phone number", { type: "phone_number", text: "call", phone_number: "+123" }, "[call](tel:+123)"],
    ["a custom emoji", { type: "custom_emoji", custom_emoji_id: "5", alternative_text: "👍" }, "👍"],
    ["a mention of a person", { type: "text_mention", text: "Ada", user: ada }, "[Ada](tg://user?id=7)"],
    ["a mention", { type: "mention", text: "@ada", username: "ada" }, "@ada"],
    ["a hashtag", { type: "hashtag", text: "#a", hashtag: "a" }, "#a"],
    [
      "a date",
      { type: "date_time", text: "tomorrow", unix_time: 1, date_time_format: "r" },
      "tomorrow (1970-01-01T00:00:01Z)",
    ],
    ["an anchor", ["a", { type: "anchor", name: "x" }, "b"], "ab"],
    ["a link to an anchor", { type: "anchor_link", text: "above", anchor_name: "x" }, "above"],
    ["a footnote's mark", ["so", { type: "reference_link", text: "[1]", reference_name: "n 1" }], "so[^n-1]"],
    ["a footnote's link in words", { type: "reference_link", text: "see", reference_name: "n" }, "see[^n]"],
    ["a footnote", { type: "reference", name: "n", text: "Proof." }, "[^n]: Proof."],
    ["a button", { type: "button", button: { text: "Go", callback_data: "x" } }, "[Go]"],
    [
      "a button that leads somewhere",
      { type: "button", button: { text: "Go", url: "https://a.example" } },
      "[Go](https://a.example)",
    ],
  ])("%s", (_, text, expected) => {
    expect(inline(text)).toBe(expected);
  });

  test("a style that is newer than the types gives its words", () => {
    expect(
      flatten({
        type: "paragraph",
        text: ["a ", { type: "wavy", text: { type: "bold", text: "b" }, wave: "sine" }],
      }),
    ).toBe("a **b**");
  });

  test("a style named like a property of every object is an unknown one", () => {
    expect(flatten({ type: "paragraph", text: { type: "constructor", text: "b" } })).toBe("b");
  });
});

const item = (...blocks: unknown[]) => ({ label: "•", blocks });
const text = (words: string) => paragraph(words);

describe("blocks", () => {
  test.each<[string, unknown[], string]>([
    ["paragraphs stand apart", [text("a\nb"), text("c")], "a\nb\n\nc"],
    ["a heading is one line", [{ type: "heading", size: 3, text: "A\nb" }], "### A b"],
    ["a heading of unknown size is a heading still", [{ type: "heading", size: 99, text: "A" }], "###### A"],
    ["a footer", [{ type: "footer", text: "end" }], "end"],
    ["a divider", [text("a"), { type: "divider" }, text("b")], "a\n\n---\n\nb"],
    ["an anchor says nothing", [text("a"), { type: "anchor", name: "x" }, text("b")], "a\n\nb"],
    ["a formula", [{ type: "mathematical_expression", expression: "E = mc^2" }], "$$\nE = mc^2\n$$"],
    [
      "code keeps its language and indent",
      [{ type: "pre", language: "python", text: "  print(1)\n" }],
      "```python\n  print(1)\n```",
    ],
    ["code that holds a fence", [{ type: "pre", text: "```\nx\n```" }], "````\n```\nx\n```\n````"],
    ["a language cannot break out", [{ type: "pre", language: "sh\n```\nhi", text: "x" }], "```sh\nx\n```"],
    ["a list", [{ type: "list", items: [item(text("a")), item(text("b"))] }], "- a\n- b"],
    [
      "a nested list",
      [
        {
          type: "list",
          items: [item(text("a"), { type: "list", items: [item(text("b\nc"))] }), item(text("d"))],
        },
      ],
      "- a\n  - b\n    c\n- d",
    ],
    [
      "an item of several paragraphs",
      [{ type: "list", items: [{ label: "1.", value: 1, blocks: [text("a"), text("b")] }] }],
      "1. a\n\n   b",
    ],
    [
      "an ordered list keeps its labels",
      [
        {
          type: "list",
          items: [
            { label: "9.", value: 9, blocks: [text("a")] },
            { label: "b.", value: 2, type: "a", blocks: [text("c")] },
            { label: "?", value: 3, blocks: [text("d")] },
          ],
        },
      ],
      "9. a\nb. c\n3. d",
    ],
    [
      "a task list",
      [
        {
          type: "list",
          items: [
            { ...item(text("a")), has_checkbox: true },
            { ...item(text("b")), has_checkbox: true, is_checked: true },
          ],
        },
      ],
      "- [ ] a\n- [x] b",
    ],
    ["an item without words", [{ type: "list", items: [item(), item(text("b"))] }], "-\n- b"],
    [
      "a quote and its credit",
      [
        {
          type: "blockquote",
          blocks: [text("a"), { type: "blockquote", blocks: [text("b")] }],
          credit: "Ada",
        },
      ],
      "> a\n>\n> > b\n>\n> — Ada",
    ],
    [
      "an expandable quote of text",
      [{ type: "expandable_blockquote", text: "a\nb", credit: "Ada" }],
      "> a\n> b\n>\n> — Ada",
    ],
    [
      "an expandable quote of blocks",
      [{ type: "expandable_blockquote", blocks: [text("a"), text("b")] }],
      "> a\n>\n> b",
    ],
    ["a pull quote", [{ type: "pullquote", text: "a" }], "> a"],
    ["an empty quote", [{ type: "blockquote", blocks: [] }], ""],
    [
      "details",
      [{ type: "details", summary: { type: "bold", text: "More" }, blocks: [text("a"), text("b")] }],
      "<details><summary>**More**</summary>\n\na\n\nb\n\n</details>",
    ],
    [
      "buttons",
      [
        {
          type: "buttons",
          buttons: [
            { text: "Yes", callback_data: "y" },
            { text: "Docs", url: "https://a.example" },
          ],
        },
      ],
      "[Yes] [Docs](https://a.example)",
    ],
    ["a picture", [text("a"), { type: "photo", photo: [{ file_id: "x" }] }], "a\n\n[Photo: not passed on]"],
    [
      "a captioned picture",
      [
        {
          type: "photo",
          photo: [],
          caption: { text: ["The ", { type: "bold", text: "cat" }], credit: "Ada" },
        },
      ],
      "[Photo: not passed on]\nThe **cat**\n— Ada",
    ],
    [
      "a file by its name",
      [{ type: "document", document: { file_name: 'a".pdf' } }],
      '[File "a\\".pdf": not passed on]',
    ],
    ["a voice note", [{ type: "voice_note", voice_note: {} }], "[Voice note: not passed on]"],
    ["a video", [{ type: "video", video: { file_name: "v.mp4" } }], '[Video "v.mp4": not passed on]'],
    ["a piece of music", [{ type: "audio", audio: {} }], "[Audio: not passed on]"],
    ["an animation", [{ type: "animation", animation: {} }], "[Animation: not passed on]"],
    [
      "a collage",
      [{ type: "collage", blocks: [{ type: "photo" }, { type: "video" }], caption: { text: "Two" } }],
      "[Photo: not passed on]\n\n[Video: not passed on]\nTwo",
    ],
    ["a slideshow", [{ type: "slideshow", blocks: [{ type: "photo" }] }], "[Photo: not passed on]"],
    [
      "a map",
      [{ type: "map", location: { latitude: 41.9, longitude: 12.5 }, zoom: 14 }],
      "[Map: 41.9, 12.5]",
    ],
    ["a map of nowhere", [{ type: "map" }], "[Map]"],
    ["a table without rows", [{ type: "table", cells: [] }], ""],
  ])("%s", (_, blocks, expected) => {
    expect(flatten(...blocks)).toBe(expected);
  });
});

const cell = (text: unknown, more: Record<string, unknown> = {}) => ({ text, align: "left", ...more });
const header = (text: string, align: string) => ({ text, align, is_header: true });

describe("tables", () => {
  test.each<[string, unknown[], unknown, string]>([
    [
      "a header row and its alignment",
      [
        [header("A", "left"), header("B", "center"), header("C", "right")],
        [cell("1"), cell("2"), cell("3")],
      ],
      "Numbers",
      "| A | B | C |\n| --- | :-: | --: |\n| 1 | 2 | 3 |\nNumbers",
    ],
    ["no header", [[cell("1"), cell("2")]], undefined, "|  |  |\n| --- | --- |\n| 1 | 2 |"],
    [
      "cells that would break the row",
      [[header("A", "left")], [cell(["a|b\nc ", { type: "bold", text: "d" }])]],
      { type: "italic", text: "x" },
      "| A |\n| --- |\n| a\\|b c **d** |\n*x*",
    ],
    [
      "cells that span keep the columns below true",
      [
        [header("A", "left"), header("B", "left"), header("C", "left")],
        [cell("tall", { rowspan: 2 }), cell("wide", { colspan: 2 })],
        [cell("x"), cell("y")],
      ],
      undefined,
      "| A | B | C |\n| --- | --- | --- |\n| tall | wide |  |\n|  | x | y |",
    ],
    [
      "an invisible cell",
      [
        [header("A", "left"), header("B", "left")],
        [{}, cell("y")],
      ],
      undefined,
      "| A | B |\n| --- | --- |\n|  | y |",
    ],
  ])("%s", (_, cells, caption, expected) => {
    expect(flatten({ type: "table", cells, caption })).toBe(expected);
  });

  test("a cell that claims a billion columns and rows costs twenty", () => {
    const rows = Array.from({ length: 100 }, () => [cell("x", { colspan: 1e9, rowspan: 1e9 })]);
    expect(flatten({ type: "table", cells: rows }).length).toBeLessThan(30_000);
  });
});

describe("what the types do not know", () => {
  test.each<[string, unknown, string]>([
    [
      "a block with text",
      { type: "poem", text: ["a ", { type: "bold", text: "b" }], metre: "iambic" },
      "a **b**",
    ],
    [
      "a block with blocks",
      { type: "columns", title: "Two", blocks: [text("a"), text("b")] },
      "Two\n\na\n\nb",
    ],
    [
      "a block with words further down",
      { type: "tabs", tabs: [{ id: "x", page: { blocks: [text("a")] } }] },
      "a",
    ],
    ["a block without words", { type: "hologram", id: "x", file: { file_id: "y" } }, ""],
    ["a block without a type", { text: "a" }, "a"],
    ["a block named like a property of every object", { type: "toString", text: "a" }, "a"],
    ["a bare string", "a", "a"],
    ["nothing", null, ""],
    ["a number", 5, ""],
    ["a known block that lacks its fields", { type: "list" }, ""],
    ["a list of strings", { type: "list", items: ["a", { text: "b" }] }, "- a\n- b"],
    ["text of another type", { type: "paragraph", text: 5 }, ""],
  ])("%s", (_, block, expected) => {
    expect(flatten(block)).toBe(expected);
  });

  test.each([[undefined], [null], ["text"], [[]], [{}], [{ blocks: {} }]])(
    "a message that is %j says nothing",
    (message) => {
      expect(flattenRich(message as RichMessage)).toBe("");
    },
  );
});

/** The value inside `wrap`, as many times over. */
function nest(times: number, core: unknown, wrap: (inner: unknown) => unknown): unknown {
  let value = core;
  for (let depth = 0; depth < times; depth += 1) value = wrap(value);
  return value;
}

const wrappers: [string, (inner: unknown) => unknown][] = [
  ["quotes", (inner) => ({ type: "blockquote", blocks: [inner] })],
  ["lists", (inner) => ({ type: "list", items: [item(inner)] })],
  ["items without blocks", (inner) => ({ type: "list", items: [inner] })],
  ["details", (inner) => ({ type: "details", blocks: [inner] })],
  ["unknown blocks", (inner) => ({ type: "new", inner })],
  ["arrays", (inner) => [inner]],
];

describe("nesting", () => {
  test.each(wrappers)("sixteen levels of %s keep their words", (_, wrap) => {
    expect(flatten(nest(16, text("deep"), wrap))).toContain("deep");
  });

  test.each(wrappers)("a hundred thousand levels of %s are cut", (_, wrap) => {
    const flat = flatten(text("top"), nest(100_000, text("deep"), wrap));
    expect(flat).toMatch(/^top\n\n[^]*…/);
    expect(flat).not.toContain("deep");
  });

  const styles: [string, (inner: unknown) => unknown][] = [
    ["styles", (inner) => ({ type: "spoiler", text: inner })],
    ["unknown styles", (inner) => ({ type: "new", text: inner })],
    ["styles and arrays", (inner) => ({ type: "spoiler", text: [inner] })],
  ];

  test.each(styles)("sixteen levels of %s keep their words, inside blocks as deep", (_, wrap) => {
    const words = { type: "paragraph", text: nest(16, "deep", wrap) };
    expect(flatten(nest(16, words, (inner) => ({ type: "blockquote", blocks: [inner] })))).toContain("deep");
  });

  test.each([...styles, ["arrays", (inner: unknown) => [inner]] as const])(
    "a hundred thousand levels of %s are cut",
    (_, wrap) => {
      const words = nest(100_000, "deep", wrap);
      expect(flatten({ type: "paragraph", text: ["top", words] }, { type: "pre", text: words })).toMatch(
        /^top.*…/,
      );
    },
  );
});

describe("any message", () => {
  const types = fc.constantFrom(
    "paragraph",
    "heading",
    "pre",
    "list",
    "blockquote",
    "expandable_blockquote",
    "table",
    "details",
    "map",
    "photo",
    "collage",
    "buttons",
    "bold",
    "code",
    "url",
    "button",
    "reference",
    "reference_link",
    "document",
    "new",
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(fc.string(), fc.constantFrom("deep", " ", "\n"), fc.jsonValue({ maxDepth: 1 })),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.record(
        {
          type: fc.oneof(types, tie("value")),
          ...Object.fromEntries(
            [
              "text",
              "blocks",
              "items",
              "cells",
              "caption",
              "credit",
              "label",
              "size",
              "value",
              "language",
              "url",
            ].map((field) => [field, tie("value")]),
          ),
        },
        { requiredKeys: ["type"] },
      ),
    ),
  }));

  test("is flattened to a string without a throw", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), value), (blocks) => {
        expect(typeof flatten(blocks)).toBe("string");
        expect(typeof flattenRich(blocks as RichMessage)).toBe("string");
      }),
      { numRuns: 1_000 },
    );
  });

  test("keeps the words of its paragraphs, to the character", () => {
    const words = fc.string().filter((words) => words.trim() !== "");
    fc.assert(
      fc.property(fc.array(words, { minLength: 1 }), (all) => {
        expect(flatten(...all.map(paragraph))).toBe(all.join("\n\n"));
      }),
    );
  });
});
