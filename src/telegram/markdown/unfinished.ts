import type { Nodes, RootContent } from "mdast";
import type { References } from "./parse.ts";
import { lineStart, parseMarkdown, startOf } from "./parse.ts";
import { finishText } from "./unfinished-text.ts";

/** The end of a document that is still being written. */
export interface Tail {
  readonly source: string;
  readonly blocks: readonly RootContent[];
  /** How far the blocks' offsets and line numbers are ahead of the source's. */
  readonly offset: number;
  readonly lines: number;
  /** The paragraph, heading, table or code that is still being written. */
  readonly open?: Nodes;
}

/**
 * Ends a document's last block in the way that it most likely will be, so that what it shows stays when the rest
 * comes. Lines that may turn out to be markup wait until that is known.
 */
export function finishTail(tail: Tail, references: References): Tail {
  const held = holdBackLines(tail, references);
  const leaf = leafOf(held.blocks);
  // A blank line ends a paragraph: what is unfinished then stays so.
  if (leaf === undefined || /\n[ \t>]*\n[ \t>]*$/.test(held.source)) return held;
  if (leaf.type === "table" || leaf.type === "code") return { ...held, open: leaf };
  if (leaf.type !== "paragraph" && leaf.type !== "heading") return held;
  const start = startOf(leaf) - held.offset;
  const text = held.source.slice(start);
  const { text: finished, closers } = finishText(text);
  // White space at a paragraph's end is nothing to parse it for once more.
  if (closers === "" && finished.trimEnd() === text.trimEnd()) return { ...held, open: leaf };
  const end = finished === "" ? lineStart(held.source, start) : start;
  const reparsed = reparse(held.source.slice(0, end) + finished, references, closers);
  const open = leafOf(reparsed.blocks);
  return open === undefined ? reparsed : { ...reparsed, open };
}

function reparse(source: string, references: References, closers = ""): Tail {
  return { source: source + closers, ...parseMarkdown(source, references, { closers }) };
}

/** The block without blocks that the document ends in. */
function leafOf(blocks: readonly RootContent[]): RootContent | undefined {
  const last = blocks.at(-1);
  switch (last?.type) {
    case "blockquote":
    case "list":
    case "listItem":
    case "footnoteDefinition":
      return leafOf(last.children) ?? last;
    default:
      return last;
  }
}

function holdBackLines(tail: Tail, references: References): Tail {
  let held = tail;
  for (;;) {
    const leaf = leafOf(held.blocks);
    const cut =
      leaf === undefined ? undefined : undecidedLine(held.source, leaf, startOf(leaf) - held.offset);
    if (cut === undefined) return held;
    held = reparse(held.source.slice(0, cut), references);
  }
}

/*
 * Markers of lists, tasks, headings, quotes, rules, fences and tables, a number that may begin a list, the first
 * fields of a cron line, and "# of".
 */
const markerLine =
  /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(?:[-*+_#~`|:\s]*|\d{1,9}[.)]?|\[(?:[ x]?\]?)?|\*(?:\s+[\d*,/-]+)+|#+\s+of?)\s*$/i;

/** A longer line of nothing but markers is shown as it is: a drawing perhaps. */
const longestMarkers = 200;

/* `[name]: target`, from its first character on, or a footnote's mark. */
const definitionLine = /^[\s>]*\[(?:[^\]^][^\]]*(?:\]?|\]:\s*\S*)|\^[^\]]*\]?:?)$/;

const tableLine = /^[\s>]*\|(?!\|)/;

/** Where the last line begins, if nobody can know yet what it will be. */
function undecidedLine(source: string, leaf: RootContent, leafStart: number): number | undefined {
  const start = source.lastIndexOf("\n") + 1;
  const line = source.slice(start);
  switch (leaf.type) {
    case "code":
      return isPartOfFence(leaf.value, line, source.charAt(leafStart)) ? start : undefined;
    case "definition":
      return line === "" ? undefined : source.lastIndexOf("\n", leafStart) + 1;
    case "table":
      return leaf.children.length > 1 && line !== "" ? start : undefined;
    default:
  }
  if (line.trim() !== "" && line.length <= longestMarkers && markerLine.test(line)) return start;
  if (leaf.type !== "paragraph") return undefined;
  return leafStart >= start && definitionLine.test(line) ? start : undecidedTable(source);
}

/** A line of an open code block that may become the fence that closes it. */
function isPartOfFence(code: string, last: string, fence: string): boolean {
  const line = last.replace(/^[\s>]+/, "").trimEnd();
  const isFence = (fence === "`" && /^`+$/.test(line)) || (fence === "~" && /^~+$/.test(line));
  return isFence && code.trimEnd().endsWith(line);
}

/** The head of a table, whose second line has not come; its indentation may have. */
function undecidedTable(source: string): number | undefined {
  const end = source.replace(/\n[ \t]*$/, "").length;
  const start = lineStart(source, end);
  return end > start && tableLine.test(source.slice(start, end)) ? start : undefined;
}
