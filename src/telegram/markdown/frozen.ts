import type { Numbered } from "../../domain/markdown/numbers.ts";
import { concatFormatted, sliceFormatted, type FormattedText } from "../entities.ts";
import { codeStyle } from "./blocks.ts";
import { cleanCode, cleanOpenMarkdown, lineEnd } from "./clean.ts";
import { composeBlocks, composeDocument, gap, goOnBehind, joinBlocks, type Composed } from "./document.ts";
import type { Style } from "./marks.ts";
import { numberItems } from "./numbering.ts";
import {
  collectReferences,
  endLineOf,
  noReferences,
  parseMarkdown,
  startLineOf,
  type References,
} from "./parse.ts";
import { findSettled, type Settled, type SettledCode } from "./settled.ts";

/** The beginning of a growing answer that is rendered for good. */
export interface Frozen {
  /** Its markdown, as it came, and how many lines that has. */
  readonly markdown: string;
  readonly lines: number;
  readonly references: References;
  /** Its text, without what was taken away as sealed pages, and the line in which the last block of it ends. */
  readonly text: FormattedText;
  readonly endLine: number;
  /** The rest goes on in a numbered list, behind this item. */
  readonly behind?: Numbered | undefined;
  /** The rest goes on in this code block, whose entity is not in `text` yet. */
  readonly code?: OpenCode | undefined;
}

interface OpenCode {
  /** The fence that opens it; the rest is parsed behind it. */
  readonly opener: string;
  readonly style: Style;
  /** Where the code begins in the frozen text. */
  readonly start: number;
}

export const nothingFrozen: Frozen = {
  markdown: "",
  lines: 0,
  references: noReferences,
  text: { text: "", entities: [] },
  endLine: 0,
};

/** Nothing but a text that stands above the answer, a blank line apart. */
export function frozenBehind(text: FormattedText): Frozen {
  // Two lines above the first line that may come.
  return { ...nothingFrozen, text, endLine: -1 };
}

export interface Rendered {
  /** The frozen text and that of the rest. */
  readonly text: FormattedText;
  /** What is frozen now. */
  readonly frozen: Frozen;
}

/** Renders the markdown behind what is frozen, which is still being written, and freezes what no longer changes. */
export function renderRest(frozen: Frozen, rest: string): Rendered {
  const opener = frozen.code === undefined ? "" : `${frozen.code.opener}\n`;
  const source = opener + cleanOpenMarkdown(rest);
  const parsed = parseMarkdown(source, frozen.references, { streaming: true });
  const above = frozen.lines - (opener === "" ? 0 : 1);
  const codeEnd = parsed.blocks[0] === undefined ? above : endLineOf(parsed.blocks[0]) - parsed.lines + above;
  const blocks = composeDocument(source, parsed, { streaming: true, behind: frozen.behind });
  const { text } = append(frozen, moved(blocks, above), codeEnd);
  const settled = findSettled(source, parsed);
  if (settled === undefined) return { text, frozen };

  const references = collectReferences(settled.blocks, frozen.references);
  const composed = composeBlocks(
    goOnBehind(settled.blocks, frozen.behind),
    parsed.references,
    above - parsed.lines,
  );
  const lines = settled.lines + above - frozen.lines;
  const base = {
    markdown: frozen.markdown + firstLines(rest, lines),
    lines: frozen.lines + lines,
    references,
    behind: lastNumbered(frozen, settled),
  };
  if (settled.code === undefined) return { text, frozen: { ...base, ...append(frozen, composed, codeEnd) } };
  const startLine = startLineOf(settled.code.node) - parsed.lines + above;
  return { text, frozen: { ...base, ...appendCode(frozen, composed, codeEnd, settled.code, startLine) } };
}

/** Takes the beginning of the frozen text away, because it stands on sealed pages. */
export function withoutStart(frozen: Frozen, length: number): Frozen {
  const { text, code } = frozen;
  return {
    ...frozen,
    text: sliceFormatted(text, length, text.text.length),
    code: code === undefined ? undefined : { ...code, start: Math.max(0, code.start - length) },
  };
}

/** The frozen text with all its entities, also that of a code block that is still open. */
export function frozenText({ text, code }: Frozen): FormattedText {
  if (code === undefined) return text;
  const entity = { ...code.style, offset: code.start, length: text.text.length - code.start };
  return { text: text.text, entities: [...text.entities, entity] };
}

interface Appended {
  readonly text: FormattedText;
  readonly endLine: number;
}

/** Puts blocks behind the frozen text. If it ends in open code, the first of them is the code's rest. */
function append(frozen: Frozen, blocks: readonly Composed[], codeEnd: number): Appended {
  if (frozen.code === undefined) return appendBlocks(frozen, blocks);
  const [first, ...others] = blocks;
  // The code's rest begins in the line of its fence, one above its first line.
  const hasCode = first !== undefined && first.startLine === frozen.lines;
  const text = frozenText(hasCode ? withCode(frozen, first.text.text) : withoutSpace(frozen));
  return appendBlocks({ text, endLine: codeEnd }, hasCode ? others : blocks);
}

function appendBlocks({ text, endLine }: Appended, blocks: readonly Composed[]): Appended {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return { text, endLine };
  const space = text.text === "" ? [] : [gap(endLine, first.startLine)];
  return { text: concatFormatted([text, ...space, joinBlocks(blocks)]), endLine: last.endLine };
}

function appendCode(
  frozen: Frozen,
  blocks: readonly Composed[],
  codeEnd: number,
  { node, opener, lines }: SettledCode,
  startLine: number,
): Pick<Frozen, "text" | "endLine" | "code"> {
  const code = cleanCode(lines.join("\n"));
  if (frozen.code !== undefined && startLine === frozen.lines) {
    return { text: withCode(frozen, code).text, endLine: frozen.endLine, code: frozen.code };
  }
  const { text, endLine } = append(frozen, blocks, codeEnd);
  const above = concatFormatted([text, ...(text.text === "" ? [] : [gap(endLine, startLine)])]);
  const shown = code.replace(/^(?:[^\S\n]*\n)+/, "");
  return {
    text: concatFormatted([above, { text: shown, entities: [] }]),
    endLine,
    code: { opener, style: codeStyle(node.lang ?? ""), start: above.text.length },
  };
}

/** White space at the end of a line was kept for the next line of code, which did not come. */
function withoutSpace(frozen: Frozen): Frozen {
  return { ...frozen, text: sliceFormatted(frozen.text, 0, frozen.text.text.trimEnd().length) };
}

function withCode(frozen: Frozen, code: string): Frozen {
  return { ...frozen, text: concatFormatted([frozen.text, { text: `\n${code}`, entities: [] }]) };
}

function moved(blocks: readonly Composed[], by: number): readonly Composed[] {
  return blocks.map((block) => ({ ...block, startLine: block.startLine + by, endLine: block.endLine + by }));
}

function lastNumbered({ behind }: Frozen, { blocks, items }: Settled): Numbered | undefined {
  const list = blocks.at(-1);
  if (items === 0 || list?.type !== "list" || list.ordered !== true) return undefined;
  const [whole = list] = goOnBehind([list], blocks.length === 1 ? behind : undefined);
  return whole.type === "list" ? numberItems(whole).at(-1) : undefined;
}

/** As many lines of raw markdown, with their ends. */
function firstLines(text: string, count: number): string {
  if (count === 0) return "";
  let seen = 0;
  for (const { index, 0: end } of text.matchAll(lineEnd)) {
    seen += 1;
    if (seen === count) return text.slice(0, index + end.length);
  }
  return text;
}
