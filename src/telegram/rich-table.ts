import type { RichBlockTableCell } from "grammy/types";
import { listOf, loose, numberOf } from "./loose.ts";
import { richLine } from "./rich-text.ts";

/** Telegram's limit. A cell that claims to span a billion columns must not cost a billion cells. */
const MAX_COLUMNS = 20;

/** The rows of a rich table as a markdown table. Cells that span leave empty ones behind, so that columns stay true. */
export function richTable(cells: unknown): string {
  const source = listOf(cells).map(listOf);
  const rows = gridOf(source);
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  if (width === 0) return "";
  const first = source[0] ?? [];
  const hasHeader = first.some((cell) => loose<RichBlockTableCell>(cell).is_header === true);
  const header = hasHeader ? (rows.shift() ?? []) : [];
  const blanks = Array.from({ length: width - header.length }, () => "");
  const rules = Array.from({ length: width }, (_, column) => ruleOf(first[column]));
  return [[...header, ...blanks], rules, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function gridOf(source: readonly (readonly unknown[])[]): string[][] {
  /** For each column, how many rows below still belong to a cell above. */
  const carried: number[] = [];
  return source.map((cells) => {
    const row: string[] = [];
    const skipCarried = (): void => {
      for (let left = carried[row.length] ?? 0; left > 0; left = carried[row.length] ?? 0) {
        carried[row.length] = left - 1;
        row.push("");
      }
    };
    for (const cell of cells) {
      skipCarried();
      const { text, colspan, rowspan } = loose<RichBlockTableCell>(cell);
      const start = row.length;
      row.push(typeof cell === "string" ? richCell(cell) : richCell(text));
      const end = Math.min(start + (numberOf(colspan) ?? 1), MAX_COLUMNS);
      while (row.length < end) row.push("");
      for (let column = start; column < end; column += 1) carried[column] = (numberOf(rowspan) ?? 1) - 1;
    }
    skipCarried();
    return row;
  });
}

function richCell(text: unknown): string {
  return richLine(text).replaceAll("|", "\\|");
}

function ruleOf(cell: unknown): string {
  switch (loose<RichBlockTableCell>(cell).align) {
    case "center":
      return ":-:";
    case "right":
      return "--:";
    default:
      return "---";
  }
}
