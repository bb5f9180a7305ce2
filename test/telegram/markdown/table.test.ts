import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../src/telegram/markdown.ts";
import { displayWidth } from "../../../src/telegram/markdown/width.ts";
import { paginate } from "../../../src/telegram/paginate.ts";
import { createRendering } from "../../../src/telegram/rendering.ts";

const render = (markdown: string) => renderMarkdown(markdown, { streaming: false });

function tableOf(...rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  return [head, head.map(() => "-"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const words = (count: number): string => "a few words more than fit ".repeat(Math.ceil(count / 6)).trim();

describe("a table on a phone", () => {
  test("breaks long cells inside their columns, with another bar where a row goes on", () => {
    const table = tableOf(
      ["Name", "Note"],
      ["Ada", "the first one of all who ever wrote a program"],
      ["Alan", "b"],
    );
    expect(render(table).text.split("\n")).toEqual([
      "Name │ Note",
      "─────┼──────────────────────────────",
      "Ada  │ the first one of all who ever",
      "     ¦ wrote a program",
      "Alan │ b",
    ]);
  });

  test("breaks between characters of Chinese, and aligns what is twice as wide", () => {
    const table = tableOf(
      ["项目", "说明", "状态"],
      ["网关", "在两边之间传递消息，并且保持顺序。", "完成 ✅"],
      ["界面", "页面", "🚧"],
    );
    expect(render(table).text.split("\n")).toEqual([
      "项目 │ 说明                   │ 状态",
      "─────┼────────────────────────┼────────",
      "网关 │ 在两边之间传递消息，并 │ 完成 ✅",
      "     ¦ 且保持顺序。",
      "界面 │ 页面                   │ 🚧",
    ]);
  });

  test("keeps right and centred columns so, line by line", () => {
    const table = "| a | b |\n|--:|:-:|\n| 1 | one two three four five six seven eight |\n| 1000 | x |";
    expect(render(table).text.split("\n")).toEqual([
      "   a │                 b",
      "─────┼──────────────────────────────────",
      "   1 │ one two three four five six seven",
      "     ¦               eight",
      "1000 │                 x",
    ]);
  });

  test("gives a row that columns have no room for a block of lines, and the others stay rows", () => {
    const table = tableOf(
      ["Id", "State", "Note"],
      ["1", "ok", "fine"],
      ["2", "", words(70)],
      ["3", "ok", "fine"],
    );
    const lines = render(table).text.split("\n");
    expect(lines.slice(0, 6)).toEqual([
      "Id │ State │ Note",
      "───┼───────┼────────────────────────────",
      "1  │ ok    │ fine",
      "────────────────────────────────────────",
      "Id: 2",
      "Note: a few words more than fit a few",
    ]);
    expect(lines.slice(-2)).toEqual(["────────────────────────────────────────", "3  │ ok    │ fine"]);
  });

  test("of too many columns is a block of lines for each row, with styles and links in them", () => {
    const names = ["One", "Two", "Three", "Four", "Five", "Six", "", "Eight", "Nine"];
    const { text, entities } = render(
      tableOf(
        names,
        ["a", "**b**", "[c](https://example.com/)", "", "`e`", "f", "g", "[h](h.ts)", "i"],
        names.map(() => "z"),
      ),
    );
    expect(text.split("\n").slice(0, 10)).toEqual([
      "One: a",
      "Two: b",
      "Three: c",
      "Five: e",
      "Six: f",
      "g",
      "Eight: h (h.ts)",
      "Nine: i",
      "",
      "One: z",
    ]);
    expect(entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])).toEqual([
      ["bold", "One: a"],
      ["bold", "b"],
      ["text_link", "c"],
      ["code", "e"],
      ["bold", "One: z"],
    ]);
  });

  test("of long cells is a block of lines for each row", () => {
    const table = tableOf(["What", "Now", "Then"], ["a", words(60), words(60)], ["b", words(60), words(60)]);
    expect(render(table).text).toBe(
      ["a", "b"].map((name) => `What: ${name}\nNow: ${words(60)}\nThen: ${words(60)}`).join("\n\n"),
    );
  });

  test("of many columns whose names are long and whose cells are short is rows as they were written", () => {
    const names = Array.from({ length: 8 }, (_, at) => `a rather long name ${at}`);
    const cells = names.map((_, at) => String(at));
    const { text, entities } = render(tableOf(names, ...Array.from({ length: 9 }, () => cells)));
    expect(entities).toHaveLength(1);
    expect(text.split("\n").filter((line) => line === "0 │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7")).toHaveLength(9);
    expect(squeeze(text).split("aratherlongname")).toHaveLength(9);
  });

  test.each([
    ["no names", "| | |\n|-|-|\n| a | b |", "a │ b"],
    ["nothing but names", "| a | b |\n|-|-|", "a │ b\n──┼──"],
    ["empty rows", "| a |\n|-|\n| |\n| b |", "a\n─\nb"],
    ["nothing at all", "| |\n|-|\n| |", ""],
    ["fewer cells than names", "| a | b |\n|-|-|\n| c |", "a │ b\n──┼──\nc │"],
    ["a link that Telegram does not take", "| a |\n|-|\n| [b](src/b.ts) |", "a\n────────────\nb (src/b.ts)"],
    [
      "a bare address that is none",
      "| a |\n|-|\n| http://localhost |",
      "a\n────────────────\nhttp://localhost",
    ],
    ["a picture", "| a |\n|-|\n| ![b](https://example.com/) |", "a\n────\n🖼 b\n🖼 b"],
  ])("shows %s", (_, markdown, text) => {
    expect(render(markdown).text).toBe(text);
  });
});

const letters = fc.string({
  unit: fc.constantFrom(...Array.from("abcdefg漢字😀1-/.")),
  minLength: 1,
  maxLength: 9,
});
const cell = fc.oneof(
  { weight: 6, arbitrary: fc.array(letters, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.array(letters, { maxLength: 80 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom("a", "漢"), maxLength: 300 }).map((word) => [word]),
  },
);
/** Rows of cells as they are read: words with one space between. */
const anyTable = fc.integer({ min: 1, max: 9 }).chain((columns) =>
  fc.record({
    head: fc.array(fc.array(letters, { maxLength: 3 }), { minLength: columns, maxLength: columns }),
    rows: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 30 }),
  }),
);
const line = (cells: readonly (readonly string[])[]) => cells.map((cell) => cell.join(" "));
const squeeze = (text: string) => text.replace(/[\s│¦─┼]/g, "");

/** The words of one row's cells, in order, whichever way the row is shown. */
function showsRow(shown: string, names: readonly string[], cells: readonly string[]): boolean {
  const named = cells.map((cell, at) => (cell === "" || names[at] === "" ? cell : `${names[at]}:${cell}`));
  const columns = shown
    .split("\n")
    .map((each) => each.split(/ ?[│¦] ?/))
    .reduce<readonly string[]>(
      (before, parts) => cells.map((_, at) => (before[at] ?? "") + (parts[at] ?? "")),
      [],
    );
  return (
    [named.join(""), cells.join("")].map(squeeze).includes(squeeze(shown)) ||
    cells.every((cell, at) => squeeze(cell) === squeeze(columns[at] ?? ""))
  );
}

describe("any table", () => {
  test("shows the words of every cell, in order, and no line that a phone would break in monospace", () => {
    fc.assert(
      fc.property(anyTable, (table) => {
        const [head, rows] = [line(table.head), table.rows.map(line)];
        const { text, entities } = render(tableOf(head, ...rows));
        const kept = rows.filter((row) => row.some((each) => each !== ""));
        const shape = entities.find((entity) => entity.type === "pre");
        const shape2 = shape?.type === "pre" ? shape.table : undefined;
        if (shape === undefined || shape2 === undefined) {
          const names = kept.map((row) =>
            row.map((each, at) => (each === "" || head[at] === "" ? each : `${head[at]}:${each}`)).join(""),
          );
          expect(squeeze(text)).toBe(squeeze(names.join("")));
          return;
        }
        const own = text.slice(0, shape.length);
        for (const each of own.split("\n")) expect(displayWidth(each)).toBeLessThanOrEqual(40);
        expect(shape2.rows).toHaveLength(kept.length);
        kept.forEach((row, at) => {
          const shown = own.slice(shape2.rows[at], shape2.rows[at + 1]);
          expect(showsRow(shown, head, row), `${JSON.stringify(row)} as\n${shown}`).toBe(true);
        });
      }),
      { numRuns: 200 },
    );
  });

  test("costs about its source", () => {
    fc.assert(
      fc.property(anyTable, (table) => {
        const markdown = tableOf(line(table.head), ...table.rows.map(line));
        const { text } = render(markdown);
        expect(text.length).toBeLessThanOrEqual(2 * markdown.length + 300);
      }),
      { numRuns: 200 },
    );
  });

  test("of three columns with one long cell is a message, not six", () => {
    const rows = Array.from({ length: 20 }, (_, at) => [`${at}`, "ok", at === 7 ? words(200) : "fine"]);
    const markdown = tableOf(["Id", "State", "Note"], ...rows);
    const pages = paginate(render(markdown));
    expect(pages).toHaveLength(1);
    expect(pages[0]?.text.length).toBeLessThan(1.5 * markdown.length);
  });

  test("that grows row by row never changes a page that is full", () => {
    fc.assert(
      fc.property(anyTable, fc.nat(1_900), fc.integer({ min: 1, max: 6 }), (table, before, times) => {
        const rendering = createRendering();
        const intro = before === 0 ? "" : `${"word ".repeat(before / 5)}\n\n`;
        const rows = Array.from({ length: times }, () => table.rows.map(line)).flat();
        const markdown = (intro + tableOf(line(table.head), ...rows)).slice(0, 9_000);
        const ends = [...markdown.matchAll(/\n/g)].map(({ index }) => index + 1);
        let full: readonly string[] = [];
        for (const end of ends.filter((_, at) => at % Math.ceil(ends.length / 12) === 0)) {
          const pages = rendering.update([markdown.slice(0, end)], { streaming: true });
          expect(pages.slice(0, full.length).map(({ text }) => text)).toEqual(full);
          full = pages.slice(0, -1).map(({ text }) => text);
        }
        const final = rendering.update([markdown], { streaming: false });
        expect(final.slice(0, full.length).map(({ text }) => text)).toEqual(full);
      }),
      { numRuns: 10 },
    );
  });

  test("that is counted has one line for each number, also when the later ones are longer", () => {
    const rows = Array.from({ length: 120 }, (_, at) => [`item ${at}`, "a note"]);
    const { text } = render(tableOf(["name", "note"], ...rows));
    expect(text.split("\n")).toHaveLength(122);
    expect(text.split("\n").at(-1)).toBe("item 119 │ a note");
  });

  test("whose later cells are wider than its first ones breaks no words for it, and leaves full pages alone", () => {
    const rendering = createRendering();
    const short = Array.from({ length: 400 }, (_, at) => [`n${at}`, "a note"]);
    const narrow = tableOf(["name", "note"], ...short);
    const full = rendering.update([`${narrow}\n`], { streaming: true }).slice(0, -1);
    expect(full).toHaveLength(1);
    const wide = `${narrow}\n| a longer name | a note that is longer, too |\n`;
    const pages = rendering.update([wide], { streaming: true });
    expect(pages.slice(0, 1)).toEqual(full);
    expect(pages.at(-1)?.text.split("\n").slice(-3)).toEqual([
      "─────────────",
      "name: a longer name",
      "note: a note that is longer, too",
    ]);
  });

  test("is in columns when blanks cost little, and in blocks when they would be most of it", () => {
    const rows = Array.from({ length: 9 }, (_, at) => [
      `EVIE_OPTION_${at}`,
      "a few words of default",
      words(12),
    ]);
    const dear = render(tableOf(["Option", "Default", "Description"], ...rows));
    expect(
      dear.text.startsWith("Option: EVIE_OPTION_0\nDefault: a few words of default\nDescription: a few"),
    ).toBe(true);
    const cheap = render(tableOf(["Option", "Default", "Description"], ...rows.slice(0, 1)));
    expect(cheap.text.startsWith("Option        │ Default")).toBe(true);
  });
});
