import type { AlignType } from "mdast";
import {
  BAR,
  fitsBlock,
  fitsColumns,
  TABLE_WIDTH,
  widthsFor,
  type Grid,
  type Layout,
} from "./table-layout.ts";
import { displayWidth } from "./width.ts";
import { wrapLine } from "./wrap.ts";

/** A table as monospaced text. */
export interface TableText {
  readonly text: string;
  /** Its first lines, which a page repeats on which the table goes on. */
  readonly head: string;
  /** Where the rows begin. */
  readonly rows: readonly number[];
}

/** Between columns where a row goes on: without it, its second line would read like another row. */
const LATER_BAR = " ¦ ";

const LINE = "─";

/** Writes a table in columns, or loosely. A row for which the columns have no room is a block between two rules. */
export function writeTableText(
  { head, rows }: Grid,
  layout: Exclude<Layout, { readonly type: "blocks" }>,
  align: readonly AlignType[],
): TableText {
  const widths = layout.type === "columns" ? layout.widths : undefined;
  const title = widths === undefined ? looseLines(head) : alignedLines(head, widths, align);
  const titleWidth = Math.max(...title.map(displayWidth));
  const rule =
    widths?.map((column) => LINE.repeat(column)).join(`${LINE}┼${LINE}`) ?? LINE.repeat(titleWidth);
  const separator = LINE.repeat(displayWidth(rule));
  const top = head.every((cell) => cell === "") ? [] : [...title, rule];
  const lines: string[] = [...top];
  let length = lengthOf(top);
  let afterBlock = false;
  const starts: number[] = [];
  for (const [at, row] of rows.entries()) {
    const isBlock = widths !== undefined && !fitsColumns(row, widths);
    const before = at > 0 && (isBlock || afterBlock) ? [separator] : [];
    const own =
      widths === undefined
        ? looseLines(row)
        : isBlock
          ? blockLines(head, row)
          : alignedLines(row, widths, align);
    lines.push(...before, ...own);
    starts.push(length + lengthOf(before));
    length += lengthOf(before) + lengthOf(own);
    afterBlock = isBlock;
  }
  return { text: lines.join("\n"), head: top.join("\n"), rows: starts };
}

/** Units of lines with their ends. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((length, line) => length + line.length + 1, 0);
}

function alignedLines(
  row: readonly string[],
  columns: readonly number[],
  align: readonly AlignType[],
): readonly string[] {
  const widths = widthsFor(row, columns);
  const cells = widths.map((width, at) => wrapLine(row[at] ?? "", width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const last = line === 0 ? cells.length : cells.findLastIndex((lines) => (lines[line] ?? "") !== "") + 1;
    return cells
      .slice(0, last)
      .map((lines, at) => pad(lines[line] ?? "", widths[at] ?? 0, align[at] ?? null))
      .join(line === 0 ? BAR : LATER_BAR)
      .trimEnd();
  });
}

function looseLines(row: readonly string[]): readonly string[] {
  return hanging(row.join(BAR));
}

function blockLines(head: readonly string[], row: readonly string[]): readonly string[] {
  if (!fitsBlock(head, row)) return looseLines(row);
  return row.flatMap((cell, at) => (cell === "" ? [] : hanging(named(head[at] ?? "", cell))));
}

/** `Name: value`; a column without a name has its value alone. */
export function named(name: string, value: string): string {
  return name === "" ? value : `${name}: ${value}`;
}

/** Lines that a phone does not break. All but the first are indented. */
function hanging(text: string): readonly string[] {
  const indent = "  ";
  return wrapLine(text, TABLE_WIDTH - indent.length).map((line, at) => (at === 0 ? line : indent + line));
}

function pad(text: string, width: number, align: AlignType): string {
  const missing = width - displayWidth(text);
  const before = align === "right" ? missing : align === "center" ? Math.floor(missing / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(missing - before);
}
