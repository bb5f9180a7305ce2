import type { Nodes, RootContent } from "mdast";
import type { Numbered } from "../../domain/markdown/numbers.ts";
import { concatFormatted, type FormattedText } from "../entities.ts";
import { composeBlock } from "./blocks.ts";
import { endLineOf, lineStart, startLineOf, startOf, type Parsed, type References } from "./parse.ts";
import { finishTail } from "./unfinished.ts";

/** A top-level block as text, and the lines of the source that it comes from. */
export interface Composed {
  readonly text: FormattedText;
  readonly startLine: number;
  readonly endLine: number;
}

export interface ComposeOptions {
  /** The last block is still being written. */
  readonly streaming: boolean;
  /** The first block is the rest of a numbered list, and this is the item that it goes on behind. */
  readonly behind?: Numbered | undefined;
}

/** Renders the blocks of a source that have anything to show. Lines count from 1. */
export function composeDocument(
  source: string,
  { blocks, references, offset, lines }: Parsed,
  { streaming, behind }: ComposeOptions,
): readonly Composed[] {
  const last = streaming ? blocks.at(-1) : undefined;
  if (last === undefined) return composeBlocks(goOnBehind(blocks, behind), references, -lines);
  const text = source.slice(lineStart(source, startOf(last) - offset));
  const above = startLineOf(last) - lines - 1;
  const known = offset + source.length - text.length;
  const tail = finishTail({ source: text, blocks: [last], offset: known, lines: above + lines }, references);
  const before = goOnBehind(blocks.slice(0, -1), behind);
  const end = blocks.length === 1 ? goOnBehind(tail.blocks, behind) : tail.blocks;
  return [
    ...composeBlocks(before, references, -lines),
    ...composeBlocks(end, references, above - tail.lines, tail.open),
  ];
}

/** Makes the list that the blocks begin with go on behind an item. */
export function goOnBehind(
  blocks: readonly RootContent[],
  behind: Numbered | undefined,
): readonly RootContent[] {
  const first = blocks[0];
  if (behind === undefined || first?.type !== "list") return blocks;
  return [{ ...first, data: { behind } }, ...blocks.slice(1)];
}

/** Renders blocks; `shift` is added to their line numbers. */
export function composeBlocks(
  nodes: readonly RootContent[],
  references: References,
  shift: number,
  open?: Nodes,
): readonly Composed[] {
  return nodes.flatMap((node) => {
    const text = composeBlock(node, references, open);
    if (text.text === "") return [];
    return [{ text, startLine: startLineOf(node) + shift, endLine: endLineOf(node) + shift }];
  });
}

/** What stands between two blocks: a blank line where the source has one. */
export function gap(endLine: number, startLine: number): FormattedText {
  return { text: startLine - endLine > 1 ? "\n\n" : "\n", entities: [] };
}

export function joinBlocks(blocks: readonly Composed[]): FormattedText {
  return concatFormatted(
    blocks.flatMap(({ text, startLine }, at) => {
      const previous = blocks[at - 1];
      return previous === undefined ? [text] : [gap(previous.endLine, startLine), text];
    }),
  );
}
