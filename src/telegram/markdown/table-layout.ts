import { displayWidth } from "./width.ts";
import { longestPart, longestWord, wrapLine } from "./wrap.ts";

/** A table's cells as single lines of text. Every row has as many as the head, and one that holds something. */
export interface Grid {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a table looks like: columns side by side, rows as they were written, or a block of lines for each row. */
export type Layout =
  | { readonly type: "columns"; readonly widths: readonly number[] }
  | { readonly type: "loose" }
  | { readonly type: "blocks" };

/** Columns of monospaced text that a phone shows, held upright. A wider line is broken anywhere, and no column is one any more. */
export const TABLE_WIDTH = 40;

/** What stands between two columns. */
export const BAR = " │ ";

/** A row of more lines is no row any more to the eye. */
const MOST_LINES = 8;

/** A longer word gives no column its width. */
const LONGEST_WORD = 20;
const LONGEST_PART = 16;

/**
 * UTF-16 units of a table's beginning, as shown, by which its look is decided. What comes later must not change rows on
 * a page that is full, and a page holds twice as much of a table at least.
 */
const SAMPLE = 1_500;

/** Columns by which the cells of a row may reach over theirs together, if the line has room: better than a second line. */
const MOST_OVER = 6;

/** How much longer than its source a row may be, and by how many units besides. */
const DEAREST = 3;
const FREE = 60;

/** The same for a whole table, if blocks would be shorter. A small one is easier to read in columns, whatever it costs. */
const DEAREST_TABLE = 1.6;
const FREE_TABLE = 200;

/** Decides how a table is shown, by its head and its first rows. */
export function layTable({ head, rows }: Grid): Layout {
  const sample = rows.slice(0, sampleSize(head, rows));
  const source = sum([head, ...sample].map(sourceLength));
  const blocks = sum(sample.map((row) => blockLength(head, row)));
  const widths = columnWidths([head, ...sample]);
  if (widths !== undefined) {
    const fitting = sample.filter((row) => fitsColumns(row, widths));
    const columns = sum([head, ...sample].map((row) => columnsLength(row, widths)));
    const isDear = columns > DEAREST_TABLE * source + FREE_TABLE && blocks < columns;
    if (!isDear && fitting.length * 2 >= sample.length) return { type: "columns", widths };
  }
  return { type: sample.length > 0 && blocks <= DEAREST * source + FREE ? "blocks" : "loose" };
}

/** Tells whether a row can stand in columns of these widths: it is not too tall, mostly not blank, and breaks no word. */
export function fitsColumns(row: readonly string[], widths: readonly number[]): boolean {
  const lines = linesOf(row, widths);
  const isDear = lines > 1 && lines * widthOf(widths) > DEAREST * sourceLength(row) + FREE;
  return lines <= MOST_LINES && !isDear && !breaksWords(row, widthsFor(row, widths));
}

/** Tells whether a row can be a block of lines, each with its column's name: the names are not most of it. */
export function fitsBlock(head: readonly string[], row: readonly string[]): boolean {
  return blockLength(head, row) <= DEAREST * sourceLength(row) + FREE;
}

function sampleSize(head: readonly string[], rows: readonly (readonly string[])[]): number {
  let widths = head.map(displayWidth);
  let length = 0;
  for (const [at, row] of rows.entries()) {
    if (length >= SAMPLE) return at;
    const cells = row.map(displayWidth);
    widths = widths.map((width, column) => Math.max(width, cells[column] ?? 0));
    const lines = Math.max(...cells.map((cell) => Math.ceil(cell / 10)));
    const rowLength = Math.min(TABLE_WIDTH, widthOf(widths)) + 1;
    const isLong = widthOf(widths) > TABLE_WIDTH;
    length += isLong ? Math.min(lines, MOST_LINES) * rowLength : rowLength;
    if (isLong && lines > MOST_LINES) length += blockLength(head, row);
  }
  return rows.length;
}

/** The columns' widths, at most a phone's together; undefined where words would be broken for it. */
function columnWidths(rows: readonly (readonly string[])[]): readonly number[] | undefined {
  const columns = Array.from({ length: rows[0]?.length ?? 0 }, (_, at) => rows.map((row) => row[at] ?? ""));
  const room = TABLE_WIDTH - BAR.length * (columns.length - 1);
  for (const least of [leastForWords, leastForParts]) {
    const leasts = columns.map(least);
    if (sum(leasts) > room) continue;
    const widths = share(room, leasts, columns.map(wished));
    return columns.map((cells, at) => widestLine(cells, widths[at] ?? 0));
  }
  return undefined;
}

function leastForWords(cells: readonly string[]): number {
  return Math.max(1, ...cells.map((cell) => Math.min(LONGEST_WORD, longestWord(cell))));
}

function leastForParts(cells: readonly string[]): number {
  return Math.max(1, ...cells.map((cell) => Math.min(LONGEST_PART, longestPart(cell))));
}

/** What a column would like to have: room for its widest cell, if the others are not much shorter. */
function wished(cells: readonly string[]): number {
  const widths = cells.map(displayWidth);
  return Math.min(Math.max(...widths), Math.ceil((2 * sum(widths)) / cells.length) + 8);
}

/** Gives every column its least, and as much of its wish as all others can have, too. */
function share(room: number, leasts: readonly number[], wishes: readonly number[]): readonly number[] {
  const widthsFor = (limit: number): readonly number[] =>
    leasts.map((least, at) => Math.max(least, Math.min(wishes[at] ?? least, limit)));
  let limit = TABLE_WIDTH;
  while (sum(widthsFor(limit)) > room) limit -= 1;
  const widths = [...widthsFor(limit)];
  // What is left over is not enough for all.
  let left = room - sum(widths);
  for (const [at, width] of widths.entries()) {
    if (left === 0 || width >= (wishes[at] ?? 0)) continue;
    widths[at] = width + 1;
    left -= 1;
  }
  return widths;
}

/** The widths that a row's cells take: those of the columns, or a little more where that saves a line. */
export function widthsFor(row: readonly string[], widths: readonly number[]): readonly number[] {
  const own = widths.map((width, at) => Math.max(width, displayWidth(row[at] ?? "")));
  return sum(own) - sum(widths) <= MOST_OVER && widthOf(own) <= TABLE_WIDTH ? own : widths;
}

/** Units of a row in columns: of its first line the blanks behind the last cell are not shown. */
function columnsLength(row: readonly string[], widths: readonly number[]): number {
  const lines = linesOf(row, widths);
  const blanks = Math.max(0, (widths.at(-1) ?? 0) - displayWidth(row.at(-1) ?? ""));
  return lines * (widthOf(widths) + 1) - blanks;
}

function linesOf(row: readonly string[], widths: readonly number[]): number {
  const own = widthsFor(row, widths);
  return Math.max(...row.map((cell, at) => wrapLine(cell, own[at] ?? 0).length));
}

/** Tells whether a word is broken that is none of those that fit nowhere. */
function breaksWords(row: readonly string[], widths: readonly number[]): boolean {
  return row.some((cell, at) => {
    const width = widths[at] ?? 0;
    return displayWidth(cell) > width && isBetween(longestPart(cell), width, LONGEST_PART);
  });
}

function isBetween(number: number, above: number, most: number): boolean {
  return number > above && number <= most;
}

/** Columns of one line. */
function widthOf(widths: readonly number[]): number {
  return sum(widths) + BAR.length * (widths.length - 1);
}

/** What is needed of a column's width when its cells are broken into lines. */
function widestLine(cells: readonly string[], width: number): number {
  return Math.max(1, ...cells.flatMap((cell) => wrapLine(cell, width)).map(displayWidth));
}

function sourceLength(row: readonly string[]): number {
  return sum(row.map((cell) => cell.length + 3)) + 1;
}

function blockLength(head: readonly string[], row: readonly string[]): number {
  return sum(row.map((cell, at) => (cell === "" ? 0 : (head[at] ?? "").length + cell.length + 3))) + 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
