import type { Token, Tokens } from "marked";

/**
 * Gives a table the cells that its rows have beyond its head, which GitHub drops. `read` makes tokens of a cell's text.
 */
export function widenTable(table: Tokens.Table, read: (text: string) => Token[]): void {
  const lines = table.raw.split("\n").slice(2);
  const extra = lines.map((line) => cellsOf(line).slice(table.header.length));
  const widest = Math.max(0, ...extra.map((cells) => cells.length));
  const cell = (text: string, header: boolean): Tokens.TableCell => ({
    text,
    tokens: read(text),
    header,
    align: null,
  });
  for (let added = 0; added < widest; added += 1) table.header.push(cell("", true));
  table.rows.forEach((row, at) => row.push(...(extra[at] ?? []).map((text) => cell(text, false))));
}

/** The cells of a row, without the pipes at its ends. A pipe behind a backslash is text. */
function cellsOf(line: string): readonly string[] {
  const cells = line
    .trim()
    .replace(/^\|/, "")
    .split(/(?<!\\)\|/);
  if (cells.at(-1)?.trim() === "") cells.pop();
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}
