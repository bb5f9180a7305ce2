import * as fc from "fast-check";

const words = [
  "word",
  "snake_case_name",
  "a_b*c",
  "*",
  "**",
  "_",
  "2 * 3 * 4",
  "a || b || c",
  "||hidden||",
  "`code`",
  "`a||b||c`",
  "``a`b``",
  "**bold**",
  "***both***",
  "*it **bo** it*",
  "~~struck~~",
  "~5",
  "**bo `co` ld**",
  "😀**😀bold😀**😀",
  "👨‍👩‍👧‍👦",
  "🇩🇪🇫🇷",
  "漢字かな",
  "שלום עולם",
  "مرحبا",
  "e\u0301\u0302",
  "<T>",
  "Vec<T>",
  "<br>",
  "<https://example.com>",
  "$400-600K",
  "&amp;",
  "&#27;",
  "AT&T",
  "\\*",
  "\\",
  "[link](https://example.com/a_b)",
  "[**li** nk](mailto:a@example.com)",
  "[local](./src/a.ts)",
  "[host](http://localhost:3000/)",
  "[unclosed](https://exa",
  "[open",
  "arr[0][1]",
  "![image](https://example.com/i.png)",
  "[![in](https://example.com/i.png)](https://example.com)",
  "https://example.com/x_y_z",
  "www.example.com",
  "https://example.com。谢谢",
  "**https://example.com/a**，",
  "https://s3.{region}.amazonaws.com/_b_",
  "[template](https://$HOST.*.example.com:PORT/)",
  "[port](http://example.com:0/)",
  "[number](http://1/)",
  "<https://exa{m}ple.com>",
  "[backslash](https://example.com\\\\a)",
  "[other](ftp://example.com)",
  "![](data:image/png;base64,AAAA)",
  "[tg](tg://resolve?domain=evie)",
  "(https://пример.рф/путь)",
  "a@example.com",
  `[long](https://example.com/${"x".repeat(2100)})`,
  `https://example.com/${"y".repeat(100)}`,
  "[^1]",
  "[^note]",
  "\u0000",
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  "\u001b",
  "\ud83d",
  "\ude00",
  "\u200b",
  "\u2800\u3164\u00ad",
  "\t",
  "  ",
  "`open",
  "**open",
  "||open",
  "~~open",
  "_open",
] as const;

const line = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 })
  .map((list) => list.join(" "));
const dense = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 })
  .map((list) => list.join(""));
const paragraph = fc
  .array(fc.oneof(line, dense), { minLength: 1, maxLength: 3 })
  .map((list) => list.join("\n"));

const fence = fc
  .record({
    mark: fc.constantFrom("```", "~~~", "````"),
    language: fc.constantFrom("", "ts", "c++", "python {x=1}"),
    code: fc.array(fc.constantFrom("", "  indented", "\ttab", "``", "```", "|| x ||", "# no", "ends  "), {
      maxLength: 6,
    }),
    closed: fc.boolean(),
  })
  .map(({ mark, language, code, closed }) =>
    [`${mark}${language}`, ...code.filter((text) => text !== mark), ...(closed ? [mark] : [])].join("\n"),
  );

const cell = fc.constantFrom(
  "a",
  "漢字",
  "😀",
  "`x|y`",
  "**b**",
  "[l](https://example.com)",
  "[f](src/a.ts)",
  "![p](https://example.com/p.png)",
  "",
  "some words that are longer than a column",
  "EVIE_ALLOWED_USERS",
  "word ".repeat(25),
  "x".repeat(90),
);

const table = fc.integer({ min: 1, max: 6 }).chain((columns) =>
  fc
    .tuple(
      fc.array(fc.constantFrom("one", "two", "", "a longer name"), {
        minLength: columns,
        maxLength: columns,
      }),
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 5 }),
    )
    .map(([head, rows]) =>
      [head, head.map((_, at) => [":--", "--:", ":-:"][at % 3] ?? "-"), ...rows]
        .map((cells) => `| ${cells.join(" | ")} |`)
        .join("\n"),
    ),
);

const list = fc
  .array(
    fc.record({
      indent: fc.constantFrom("", "", "  ", "   ", "     "),
      marker: fc.constantFrom("-", "*", "+", "1.", "7)", "- [ ]", "- [x]"),
      text: fc.oneof(line, fence, fc.constant("")),
      blank: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((items) =>
    items
      .map(({ indent, marker, text, blank }) => {
        const inner = text.replaceAll("\n", `\n${indent}   `);
        return `${indent}${marker} ${inner}${blank ? "\n" : ""}`;
      })
      .join("\n"),
  );

const simple = fc.oneof(
  paragraph,
  fence,
  table,
  list,
  line.map((text) => `## ${text}`),
  line.map((text) => `${text}\n---`),
  fc.constantFrom("---", "***", "===", "-", ">", "|", "| a", "```", "1.", "#", "    indented code", "<div>"),
);

const quote = simple.map((text) => `> ${text.replaceAll("\n", "\n> ")}`);

const footnote = line.map((text) => `[^1]: ${text}\n\n    more`);

const blocks = (block: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(block, fc.constantFrom("\n", "\n\n", "\n\n", "\r\n\r\n", "\n\n\n")), { maxLength: 7 })
    .map((parts) => parts.flat().join(""));

/** Markdown that agents write, and worse, without definitions of links. */
export const nastyMarkdown = blocks(fc.oneof(simple, quote, footnote));

/** The same with definitions of links, before and behind their use. */
export const referringMarkdown = blocks(
  fc.oneof(
    paragraph,
    fc.constantFrom("[one][a] and [b]", "[a]: https://example.com/a", "[b]: <https://example.com/b> 'title'"),
  ),
);
