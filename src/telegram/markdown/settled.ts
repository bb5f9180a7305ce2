import type { Code, List, RootContent } from "mdast";
import { isBlank } from "../entities.ts";
import { endLineOf, lineStart, startLineOf, startOf, type Parsed } from "./parse.ts";

/** The part of a growing document that no longer changes, whatever follows. */
export interface Settled {
  /** Whole blocks; the last may be the first items of a list. */
  readonly blocks: readonly RootContent[];
  /** The items of that list that are settled. */
  readonly items: number;
  /** The first lines of a code block behind those blocks, if it is settled so far. */
  readonly code?: SettledCode;
  /** How many lines of the source are settled. */
  readonly lines: number;
}

/** The beginning of a fenced code block. */
export interface SettledCode {
  readonly node: Code;
  /** The line that opens the fence. */
  readonly opener: string;
  readonly lines: readonly string[];
}

/**
 * Finds what is settled. A line that is not complete can still change the block that was open before it, and of
 * the complete lines only the last block is open. Of a list, its last item is open, of a code block its last line.
 */
export function findSettled(source: string, parsed: Parsed): Settled | undefined {
  const lastLine = source.lastIndexOf("\n") + 1 + parsed.offset;
  const started = parsed.blocks.filter((node) => startOf(node) < lastLine);
  const open = started.at(-1);
  if (open === undefined) return undefined;
  let count = started.length - 1;
  while (count > 0 && !isClosed(started[count - 1], started[count])) count--;
  const blocks = started.slice(0, count);
  const whole: Settled = { blocks, items: 0, lines: startLineOf(started[count] ?? open) - parsed.lines - 1 };
  const inside = count === started.length - 1 ? settledInside(open, lastLine, source, parsed) : undefined;
  if (inside !== undefined) return { ...inside, blocks: [...blocks, ...inside.blocks] };
  return count === 0 ? undefined : whole;
}

/** Whether the next block's beginning proves that this one has ended. */
function isClosed(node: RootContent | undefined, next: RootContent | undefined): boolean {
  if (node === undefined || next === undefined) return false;
  // A definition's title, and a table's second line, may still be refuted by the line after.
  return startLineOf(next) - endLineOf(node) > 1 || (node.type !== "definition" && next.type !== "table");
}

function settledInside(
  open: RootContent,
  lastLine: number,
  source: string,
  { offset, lines }: Parsed,
): Settled | undefined {
  if (open.type === "list") return settledItems(open, lastLine, lines);
  if (open.type !== "code") return undefined;
  const start = startOf(open) - offset;
  const end = source.indexOf("\n", start);
  const opener = source.slice(lineStart(source, start), end === -1 ? undefined : end);
  return /^ *(?:`{3}|~{3})/.test(opener) ? settledCode(open, opener, lines) : undefined;
}

function settledItems(list: List, lastLine: number, shift: number): Settled | undefined {
  const items = list.children.filter((item) => startOf(item) < lastLine).length - 1;
  const next = list.children[items];
  const last = list.children[items - 1];
  if (next === undefined || last?.position === undefined || list.position === undefined) return undefined;
  const position = { ...list.position, end: last.position.end };
  const blocks = [{ ...list, children: list.children.slice(0, items), position }];
  return { blocks, items, lines: startLineOf(next) - shift - 1 };
}

/** Code is cut between two lines that both show something, because blank ones at its ends are left out. */
function settledCode(node: Code, opener: string, shift: number): Settled | undefined {
  const lines = node.value.split("\n");
  const shows = (line: string | undefined): boolean =>
    line !== undefined && !isBlank({ text: line, entities: [] });
  const at = lines.findLastIndex((line, at) => at > 0 && shows(line) && shows(lines[at - 1]));
  if (at < 1) return undefined;
  return {
    blocks: [],
    items: 0,
    code: { node, opener, lines: lines.slice(0, at) },
    lines: startLineOf(node) - shift + at,
  };
}
