import type { Root, RootContent } from "mdast";
import { fromMarkdown, type Extension } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { proseOf } from "./prose.ts";
import { syntaxOf } from "./syntax.ts";

/** What `[text][name]` and `[^name]` may refer to: the names as markdown compares them. */
export interface References {
  /** The URL for each name; the first definition of a name wins. */
  readonly links: ReadonlyMap<string, string>;
  readonly footnotes: ReadonlySet<string>;
}

export const noReferences: References = { links: new Map(), footnotes: new Set() };

export interface Parsed {
  readonly blocks: readonly RootContent[];
  /** How far the blocks' offsets and line numbers are ahead of the source's. */
  readonly offset: number;
  readonly lines: number;
  /** The known references and those that the source defines. */
  readonly references: References;
}

/** Without the one that searches the parsed text for addresses once more, by other rules. */
const mdastExtensions = gfmFromMarkdown().filter(({ transforms }) => transforms === undefined);

export interface ParseOptions {
  /**
   * The source is the beginning of more. A definition at its very end does not hold yet: half an address would be
   * shown, or linked.
   */
  readonly streaming?: boolean;
  /** Marks behind the source that close its styles, whatever stands in front of them. */
  readonly closers?: string;
}

/** Parses a part of a document, in which references to definitions in earlier parts still hold. */
export function parseMarkdown(
  source: string,
  known: References = noReferences,
  { streaming = false, closers = "" }: ParseOptions = {},
): Parsed {
  const prose = closers === "" ? proseOf(source) : undefined;
  if (prose !== undefined) return { blocks: [prose], offset: 0, lines: 0, references: known };
  const lines = prefaceLines(source, known);
  const preface = lines.map((line) => `${line}\n\n`).join("");
  const blocks = parseBlocks(preface + source, closers).filter((node) => startOf(node) >= preface.length);
  return {
    blocks,
    offset: preface.length,
    lines: lines.length * 2,
    references: collectReferences(blocks, known, streaming ? preface.length + source.length : undefined),
  };
}

/*
 * Quotes and lists in one another that one line begins. The parser would take seconds for a thousand of them, with
 * each edit anew, and nothing else would be done meanwhile.
 */
const tooDeep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){400}/m;

/**
 * What the parser makes of a whole document, behind which `closers` end its styles. Throws a RangeError where it is
 * nested too deeply.
 */
export function parseBlocks(source: string, closers = ""): readonly RootContent[] {
  if (tooDeep.test(source)) throw new RangeError("The markdown is nested too deeply");
  const extensions = [...syntaxOf(source, closers)];
  return fromMarkdown(source + closers, { extensions, mdastExtensions: [...mdastExtensions, markers] })
    .children;
}

/** Keeps each item's marker. */
const markers: Extension = {
  enter: {
    listItemPrefix(token) {
      const item = this.stack.at(-1);
      if (item?.type === "listItem") item.data = { marker: this.sliceSerialize(token).trim() };
    },
  },
};

/** Definitions of the known names that the source may mention. */
function prefaceLines(source: string, { links, footnotes }: References): readonly string[] {
  if (links.size + footnotes.size === 0 || !source.includes("[")) return [];
  // As micromark compares names: white space is one space, and letters differ in no case.
  const mentions = source
    .replace(/[\t\n ]+/g, " ")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase();
  const mentioned = (names: Iterable<string>): readonly string[] =>
    Array.from(names).filter((name) => mentions.includes(name));
  const notes = mentioned(footnotes.keys()).map((name) => `[^${name}]: x`);
  const targets = mentioned(links.keys()).map((name) => `[${name}]: /`);
  // Without a break, indented code at the source's start would belong to the footnote above it.
  return [...notes, ...(notes.length > 0 ? ["***"] : []), ...targets];
}

/**
 * What blocks define, besides what is known; the first definition of a name wins. A link's definition that reaches the
 * offset `open` may not be complete.
 */
export function collectReferences(
  blocks: readonly RootContent[],
  known: References,
  open?: number,
): References {
  const links = new Map(known.links);
  const footnotes = new Set(known.footnotes);
  const visit = (node: Root | RootContent): void => {
    if (node.type === "definition" && !links.has(node.identifier) && node.position?.end.offset !== open) {
      links.set(node.identifier, node.url);
    }
    if (node.type === "footnoteDefinition") footnotes.add(node.identifier);
    if ("children" in node) node.children.forEach(visit);
  };
  blocks.forEach(visit);
  return { links, footnotes };
}

export function startOf(node: RootContent): number {
  return node.position?.start.offset ?? 0;
}

export function startLineOf(node: RootContent): number {
  return node.position?.start.line ?? 1;
}

export function endLineOf(node: RootContent): number {
  return node.position?.end.line ?? 1;
}

/** Where the line begins that an offset lies in. */
export function lineStart(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf("\n", offset - 1) + 1;
}
