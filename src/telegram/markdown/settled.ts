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
  /** The fence that opens it, without what stands behind: a fence without code would show that. */
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
  const inside = settledInside(open, lastLine, source, parsed);
  if (inside !== undefined) return { ...inside, blocks: [...started.slice(0, -1), ...inside.blocks] };
  const count = started.findLastIndex((node, at) => {
    const before = started[at - 1];
    return before !== undefined && partsFrom(before, node, source, parsed);
  });
  const next = started[count];
  if (next === undefined) return undefined;
  return { blocks: started.slice(0, count), items: 0, lines: startLineOf(next) - parsed.lines - 1 };
}

/** Whether what follows from the next block on would be the same in a document of its own. */
function partsFrom(node: RootContent, next: RootContent, source: string, { offset }: Parsed): boolean {
  // The parser remembers, around indented code, what came before it: a list behind it may become a paragraph.
  const indented = (block: RootContent): boolean =>
    block.type === "code" && !isFenced(source, startOf(block) - offset);
  if (indented(node) || indented(next)) return false;
  if (startLineOf(next) - endLineOf(node) > 1) return true;
  // A paragraph before them makes lists read differently, and it takes lines back that only seemed to be others.
  return ["heading", "thematicBreak", "code"].includes(node.type);
}

function isFenced(source: string, start: number): boolean {
  return /^(?:`{3}|~{3})/.test(source.slice(start, start + 3));
}

function settledInside(
  open: RootContent,
  lastLine: number,
  source: string,
  { offset, lines }: Parsed,
): Settled | undefined {
  if (open.type === "list") return settledItems(open, lastLine, source, { offset, lines });
  if (open.type !== "code") return undefined;
  const start = startOf(open) - offset;
  const end = source.indexOf("\n", start);
  if (end === -1 || !isFenced(source, start)) return undefined;
  const fence = /^\s*(?:`+|~+)/.exec(source.slice(lineStart(source, start), end))?.[0] ?? "";
  return settledCode(open, fence, lines);
}

function settledItems(
  list: List,
  lastLine: number,
  source: string,
  { offset, lines }: Pick<Parsed, "offset" | "lines">,
): Settled | undefined {
  const started = list.children.filter((item) => startOf(item) < lastLine);
  const last = started.at(-1);
  const items = started.length - (last !== undefined && staysItem(source, startOf(last) - offset) ? 1 : 2);
  const next = list.children[items];
  const settled = list.children[items - 1];
  if (next === undefined || settled?.position === undefined || list.position === undefined) return undefined;
  const position = { ...list.position, end: settled.position.end };
  const blocks = [{ ...list, children: list.children.slice(0, items), position }];
  return { blocks, items, lines: startLineOf(next) - lines - 1 };
}

/** Whether an item stays one. With a plus below it, it is a removed line, and belongs to the item above. */
function staysItem(source: string, start: number): boolean {
  const below = source.indexOf("\n", start) + 1;
  return !/^\+?$/.test(source.slice(below, below + 2));
}

/** Code is cut between two lines that both show something, because blank ones at its ends are left out. */
function settledCode(node: Code, opener: string, shift: number): Settled | undefined {
  const lines = node.value.split("\n");
  const shows = (line: string | undefined): boolean => line !== undefined && !isBlank({ text: line });
  const at = lines.findLastIndex((line, at) => at > 0 && shows(line) && shows(lines[at - 1]));
  if (at < 1) return undefined;
  return {
    blocks: [],
    items: 0,
    code: { node, opener, lines: lines.slice(0, at) },
    lines: startLineOf(node) - shift + at,
  };
}
