import type {
  BlockContent,
  Code,
  Definition,
  DefinitionContent,
  List,
  ListItem,
  Nodes,
  RootContent,
} from "mdast";
import type { FormattedText } from "../entities.ts";
import { cleanText } from "./clean.ts";
import { createComposition, type Composition } from "./composition.ts";
import { writeInline, writeTarget, type InlineContext } from "./inline.ts";
import { numberItems, shownMarker } from "./numbering.ts";
import { endLineOf, startLineOf, type References } from "./parse.ts";
import { writeTable } from "./table.ts";
import type { Style } from "./marks.ts";
import { footnoteMark } from "../../domain/markdown/words.ts";

const rule = "──────────";
const step = "   ";

/** Renders one block at a document's top level. `open` is the part of it that is still being written. */
export function composeBlock(node: RootContent, references: References, open?: Nodes): FormattedText {
  const out = createComposition();
  writeBlock(node, { references, plainCode: false, inLink: false, inList: false, open }, out);
  return out.finish();
}

function writeBlock(node: RootContent, context: InlineContext, out: Composition): void {
  switch (node.type) {
    case "paragraph":
      writeInline(node, context, out);
      return;
    case "heading":
      out.styled({ type: "bold" }, () => writeInline(node, context, out));
      return;
    case "thematicBreak":
      out.write(rule);
      return;
    case "code":
      if (isEmpty(node, context)) return;
      if (node.value.trim() === "") writeCodeBlock(infoOf(node), "", out);
      else writeCodeBlock(node.value, node.lang ?? "", out);
      return;
    case "blockquote":
      out.styled({ type: "blockquote" }, () => writeBlocks(node.children, context, out));
      return;
    case "list":
      writeList(node, context, out);
      return;
    case "table":
      writeTable(node, context, out);
      return;
    case "footnoteDefinition":
      out.write(`${footnoteMark(node.label ?? node.identifier)} `);
      writeBlocks(node.children, context, out);
      return;
    case "definition":
      writeDefinition(node, out);
      return;
    default:
  }
}

/** A definition is shown as it was written: under "Sources:", it is what there is to read. */
function writeDefinition({ label, identifier, url, title }: Definition, out: Composition): void {
  out.write(`[${label ?? identifier}]: `);
  writeTarget(url, out);
  if (typeof title === "string") out.write(` "${title}"`);
}

/** The style of a code block, with the first word of what its fence says: a file's name may follow, or attributes. */
export function codeStyle(language: string): Style {
  const name = /[\w#+.-]{1,64}/.exec(cleanText(language))?.[0];
  return name === undefined ? { type: "pre" } : { type: "pre", language: name };
}

/** A fence without code may hold its only line behind the backticks, unless its code is still to come. */
function isEmpty(node: Code, { open }: InlineContext): boolean {
  return node.value.trim() === "" && (node === open || infoOf(node) === "");
}

function infoOf({ lang, meta }: Code): string {
  return [lang ?? "", meta ?? ""].join(" ").trim();
}

function writeCodeBlock(value: string, language: string, out: Composition): void {
  const code = value.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  out.styled(codeStyle(language), () => out.writeCode(code));
}

function writeBlocks(
  nodes: readonly (BlockContent | DefinitionContent)[],
  context: InlineContext,
  out: Composition,
): void {
  let previous: RootContent | undefined;
  for (const node of nodes) {
    if (node.type === "code" && isEmpty(node, context)) continue;
    writeGap(previous === undefined ? "" : gapBetween(previous, node), node, out);
    writeBlock(node, context, out);
    previous = node;
  }
}

/** Monospace blocks have a box of their own: it begins on a new line, and no indentation stands before it. */
function writeGap(gap: "" | "\n" | "\n\n", node: RootContent, out: Composition): void {
  if (node.type !== "code" && node.type !== "table") out.write(gap);
  else if (gap !== "" || !/(?:^|\n)$/.test(out.since(out.length - 1))) out.writeCode(gap || "\n");
}

/**
 * A blank line where the source has one. A list whose looseness were judged as a whole would move its first items
 * when a late one brings a blank line.
 */
function gapBetween(previous: RootContent, node: RootContent): "\n" | "\n\n" {
  return startLineOf(node) - endLineOf(previous) > 1 ? "\n\n" : "\n";
}

function writeList(list: List, context: InlineContext, out: Composition): void {
  const numbers = list.ordered === true ? numberItems(list) : [];
  let previous: ListItem | undefined;
  list.children.forEach((item, at) => {
    if (previous !== undefined) out.write(gapBetween(previous, item));
    out.write(shownMarker(item, numbers[at]));
    out.indented(step, () => writeBlocks(item.children, { ...context, inList: true }, out));
    previous = item;
  });
}
