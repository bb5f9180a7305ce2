import * as fc from "fast-check";
import type { Nodes } from "mdast";
import { describe, expect, test } from "vitest";
import { parseBlocks } from "../../../src/telegram/markdown/parse.ts";
import { writtenMarkdown } from "../../../src/telegram/written/markdown.ts";

const url = "https://a.example/x";
const bob = { id: 8, is_bot: false, first_name: "Bob" };

/** An entity over the first place where those words stand. */
type Over = readonly [words: string, type: string, more?: object];

function entityOver(text: string, [words, type, more]: Over): object {
  return { type, offset: text.indexOf(words), length: words.length, ...more };
}

function written(text: string, ...overs: readonly Over[]): string {
  return writtenMarkdown(
    text,
    overs.map((over) => entityOver(text, over)),
  );
}

describe("formatting that carries meaning becomes markdown", () => {
  test.each<[string, string, readonly Over[], string]>([
    ["a link", "read the article", [["the article", "text_link", { url }]], `read [the article](${url})`],
    ["strikethrough", "ship it not", [["it", "strikethrough"]], "ship ~~it~~ not"],
    ["code", "run npm test now", [["npm test", "code"]], "run `npm test` now"],
    ["a spoiler", "it was the butler", [["the butler", "spoiler"]], "it was ||the butler||"],
    ["bold", "do it now", [["now", "bold"]], "do it **now**"],
    ["italic", "do it now", [["now", "italic"]], "do it *now*"],
    ["underline", "do it now", [["now", "underline"]], "do it <u>now</u>"],
    ["a code block", "f()", [["f()", "pre"]], "```\nf()\n```"],
    [
      "a code block with its language",
      "look:\ndef f():\n    pass\nbad?",
      [["def f():\n    pass", "pre", { language: "python" }]],
      "look:\n```python\ndef f():\n    pass\n```\nbad?",
    ],
    [
      "code of several lines, which is a block",
      "run\nnpm i\n  npm test\nthen",
      [["npm i\n  npm test", "code"]],
      "run\n```\nnpm i\n  npm test\n```\nthen",
    ],
    ["a quote", "they said\nno", [["no", "blockquote"]], "they said\n> no"],
    ["a quote that unfolds", "a\nb", [["a\nb", "expandable_blockquote"]], "> a\n> b"],
    [
      "a mention of somebody without a username",
      "ask Bob",
      [["Bob", "text_mention", { user: bob }]],
      "ask [Bob](tg://user?id=8)",
    ],
    [
      "the moment behind a time",
      "at five!",
      [["at five", "date_time", { unix_time: 1_647_531_900 }]],
      "at five (2022-03-17T15:45:00Z)!",
    ],
  ])("%s", (_, text, overs, expected) => {
    expect(written(text, ...overs)).toBe(expected);
  });

  test("at places that count in UTF-16 units, behind emoji, joined ones and flags", () => {
    expect(written("👍👨‍👩‍👧🇩🇪 漢字 read it", ["read it", "text_link", { url }])).toBe(
      `👍👨‍👩‍👧🇩🇪 漢字 [read it](${url})`,
    );
  });
});

describe("what stands in one another", () => {
  test.each<[string, string, readonly Over[], string]>([
    [
      "italic in bold",
      "a b c",
      [
        ["a b c", "bold"],
        ["b", "italic"],
      ],
      "**a *b* c**",
    ],
    [
      "a link in bold",
      "see it now",
      [
        ["see it now", "bold"],
        ["it", "text_link", { url }],
      ],
      `**see [it](${url}) now**`,
    ],
    [
      "code that is a link",
      "f()",
      [
        ["f()", "code"],
        ["f()", "text_link", { url }],
      ],
      `[\`f()\`](${url})`,
    ],
    [
      "a link in code keeps its address",
      "run f now",
      [
        ["run f now", "code"],
        ["f", "text_link", { url }],
      ],
      `\`run \`[\`f\`](${url})\` now\``,
    ],
    [
      "a link in a code block keeps its address",
      "a\nb",
      [
        ["a\nb", "pre"],
        ["b", "text_link", { url }],
      ],
      `\`\`\`\na\nb\n\`\`\`\n[b](${url})`,
    ],
    [
      "a code block in a quote",
      "x\nf()\ny",
      [
        ["x\nf()", "blockquote"],
        ["f()", "pre", { language: "js" }],
      ],
      "> x\n> ```js\n> f()\n> ```\n\ny",
    ],
    [
      "a code block that reaches out of a quote",
      "x\ny",
      [
        ["x", "blockquote"],
        ["x\ny", "pre"],
      ],
      "> ```\n> x\n> ```\n\n```\ny\n```",
    ],
    [
      "what crosses",
      "abcdef",
      [
        ["abcd", "bold"],
        ["cdef", "italic"],
      ],
      "**ab*cd****ef*",
    ],
    [
      "the same twice",
      "abcdef",
      [
        ["abcd", "bold"],
        ["cdef", "bold"],
      ],
      "**abcdef**",
    ],
    [
      "links that overlap",
      "abcd",
      [
        ["abc", "text_link", { url }],
        ["cd", "text_link", { url: `${url}y` }],
      ],
      `[abc](${url})[d](${url}y)`,
    ],
  ])("%s", (_, text, overs, expected) => {
    expect(written(text, ...overs)).toBe(expected);
  });
});

describe("marks stand where markdown reads them", () => {
  test.each<[string, string, readonly Over[], string]>([
    ["white space at the ends is outside", "a bold b", [[" bold ", "bold"]], "a **bold** b"],
    ["each line has its own", "a\n\n b \nc", [["a\n\n b \nc", "strikethrough"]], "~~a~~\n\n ~~b~~ \n~~c~~"],
    ["nothing is marked where there is nothing", "a  b", [["  ", "bold"]], "a  b"],
    ["a link on a space is its address", "a b", [[" ", "text_link", { url }]], `a ${url} b`],
    ["code with backticks has a longer fence", "a `b` c", [["a `b` c", "code"]], "``a `b` c``"],
    [
      "a block with a fence in it has a longer one",
      "x\n```\ny",
      [["x\n```\ny", "pre"]],
      "````\nx\n```\ny\n````",
    ],
    ["a code block begins a line", "run f() now", [["f()", "pre"]], "run\n```\nf()\n```\n now"],
    ["what follows a quote is no part of it", "a\nb", [["a", "blockquote"]], "> a\n\nb"],
    [
      "two quotes are two",
      "a\nb",
      [
        ["a\n", "blockquote"],
        ["b", "blockquote"],
      ],
      "> a\n\n> b",
    ],
    ["a blank line in a quote is in it", "a\n\nb", [["a\n\nb", "blockquote"]], "> a\n>\n> b"],
    ["one bracket does not end a link", "a] b", [["a] b", "text_link", { url }]], `[a\\] b](${url})`],
    ["brackets in pairs stay", "[1] b", [["[1] b", "text_link", { url }]], `[[1] b](${url})`],
    ["a backslash does not either", "a\\", [["a\\", "text_link", { url }]], `[a\\\\](${url})`],
    [
      "an address cannot break out",
      "a",
      [["a", "text_link", { url: "https://b.example/) [x](y" }]],
      "[a](<https://b.example/)%20[x](y>)",
    ],
  ])("%s", (_, text, overs, expected) => {
    expect(written(text, ...overs)).toBe(expected);
  });
});

describe("a text that has the marks already has them once", () => {
  test.each<[string, readonly Over[]]>([
    ["**a** b", [["a", "bold"]]],
    ["**a** b", [["**a**", "bold"]]],
    ["*a* b", [["a", "bold"]]],
    ["_a_ b", [["_a_", "italic"]]],
    ["~~a~~ b", [["a", "strikethrough"]]],
    ["~~a\nb~~ c", [["a\nb", "strikethrough"]]],
    ["||a|| b", [["||a||", "spoiler"]]],
    ["<u>a</u> b", [["a", "underline"]]],
    ["`a` b", [["a", "code"]]],
    ["`a` b", [["`a`", "code"]]],
    ["`a\nb` c", [["a\nb", "code"]]],
    ["```js\na\n```", [["a", "pre", { language: "js" }]]],
    ["```js\na\n```", [["```js\na\n```", "pre"]]],
    ["> a\n> b", [["> a\n> b", "blockquote"]]],
    ["> a\n> b", [["a\n> b", "blockquote"]]],
    [`[a](${url})`, [["a", "text_link", { url }]]],
    [`[a](${url})`, [[`[a](${url})`, "text_link", { url }]]],
    [`see ${url}`, [[url, "text_link", { url }]]],
    ["see a.example/x", [["a.example/x", "text_link", { url }]]],
  ])("%j", (text, overs) => {
    expect(written(text, ...overs)).toBe(text);
  });

  test("an address that differs from the words in capitals alone is another one", () => {
    expect(written("a.example/X", ["a.example/X", "text_link", { url }])).toBe(`[a.example/X](${url})`);
  });
});

describe("what says nothing that the text does not", () => {
  test.each([
    "mention",
    "hashtag",
    "cashtag",
    "bot_command",
    "url",
    "email",
    "phone_number",
    "custom_emoji",
    "planet",
  ])("%s changes nothing", (type) => {
    expect(written("ask @bob #now $USD 👍", ["@bob #now $USD 👍", type])).toBe("ask @bob #now $USD 👍");
  });

  test("what is no entity changes nothing", () => {
    for (const garbage of [
      null,
      7,
      "bold",
      {},
      { type: "bold" },
      { type: "bold", offset: "0", length: 1 },
      [[]],
    ])
      expect(writtenMarkdown("a b", [garbage])).toBe("a b");
    for (const garbage of [undefined, null, 7, "bold", {}])
      expect(writtenMarkdown("a b", garbage)).toBe("a b");
  });

  test.each<[string, object]>([
    ["without an address", { type: "text_link" }],
    ["to nobody", { type: "text_mention", user: {} }],
    ["of no moment", { type: "date_time", unix_time: 1e300 }],
  ])("an entity %s changes nothing", (_, fields) => {
    expect(writtenMarkdown("a b", [{ ...fields, offset: 0, length: 1 }])).toBe("a b");
  });

  test("what lies outside the text is left out, and what reaches beyond it is cut", () => {
    const bold = (offset: number, length: number): string =>
      writtenMarkdown("a b", [{ type: "bold", offset, length }]);
    expect([bold(3, 1), bold(9, 9), bold(0, 0), bold(1, -1), bold(-5, 2)]).toEqual(Array(5).fill("a b"));
    expect([bold(2, 99), bold(-1, 2), bold(0, 1e300)]).toEqual(["a **b**", "**a** b", "**a b**"]);
  });

  test("an end between the halves of a character moves to its edge", () => {
    expect(writtenMarkdown("👍👍", [{ type: "bold", offset: 1, length: 2 }])).toBe("**👍👍**");
  });
});

const types = [
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "code",
  "pre",
  "blockquote",
  "expandable_blockquote",
  "text_link",
  "text_mention",
  "custom_emoji",
  "url",
];
const anyOffset = fc.integer({ min: -3, max: 40 });
const anyEntity = fc.record({
  type: fc.constantFrom(...types),
  offset: anyOffset,
  length: anyOffset,
  url: fc.constant(url),
  language: fc.constantFrom("", "js", "a b`c"),
  user: fc.constant(bob),
});
/** Letters, spaces and lines, and characters of two units; no sign that could be a mark. */
const plainText = fc.string({ unit: fc.constantFrom("a", "b", "7", "字", "👍", " ", "\n"), maxLength: 40 });

describe("whatever the entities", () => {
  test("a text without any stays as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom(undefined, [], null), (text, entities) => {
        expect(writtenMarkdown(text, entities)).toBe(text);
      }),
    );
  });

  test("nothing is thrown, and no half of a character is made", () => {
    const anything = fc.oneof(anyEntity, fc.anything());
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.array(anything), (text, entities) => {
        expect(writtenMarkdown(text, entities).isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });

  test.each<[string, readonly string[]]>([
    ["links and styles", types.filter((type) => type !== "pre" && type !== "code")],
    ["code and styles", types.filter((type) => type !== "text_link" && type !== "text_mention")],
  ])("evie's own parser reads every visible character back, in order: %s", (_, among) => {
    fc.assert(
      fc.property(plainText, fc.array(anyEntity, { maxLength: 6 }), (text, entities) => {
        const fit = entities.filter((entity) => among.includes(entity.type) && holds(text, entity));
        expect(readBack(writtenMarkdown(text, fit)).words).toBe(visible(text));
      }),
      { numRuns: 500 },
    );
  });

  test("the address of each link is there for evie's own parser", () => {
    fc.assert(
      fc.property(plainText, fc.array(anyEntity, { maxLength: 6 }), (text, entities) => {
        const fit = entities.filter((entity) => entity.type !== "text_mention" && holds(text, entity));
        const linked = fit.some(({ type }) => type === "text_link");
        expect(readBack(writtenMarkdown(text, fit)).addresses.has(url)).toBe(linked);
      }),
      { numRuns: 500 },
    );
  });
});

type AnyEntity = typeof anyEntity extends fc.Arbitrary<infer T> ? T : never;

/** Whether an entity holds a character that can be seen. */
function holds(text: string, { offset, length }: AnyEntity): boolean {
  return visible(text.slice(Math.max(offset, 0), Math.max(offset + length, 0))) !== "";
}

function visible(text: string): string {
  return text.replace(/\s/g, "");
}

/** What can be seen of markdown, without the marks that the parser took for words, and where its links lead. */
function readBack(markdown: string): { readonly words: string; readonly addresses: ReadonlySet<string> } {
  let words = "";
  const addresses = new Set<string>();
  const visit = (node: Nodes): void => {
    if ("value" in node) words += node.value;
    if (node.type === "link") addresses.add(node.url);
    if ("children" in node) node.children.forEach(visit);
  };
  parseBlocks(markdown).forEach(visit);
  return { words: visible(words).replace(/[*~|]|<\/?u>/g, ""), addresses };
}
