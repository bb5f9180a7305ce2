import type { PhrasingContent, Table, TableCell } from "mdast";
import type { Composition } from "./composition.ts";
import { cleanCode } from "./clean.ts";
import { writeInline, type InlineContext } from "./inline.ts";
import { linkTarget, saysTarget } from "./links.ts";
import type { References } from "./parse.ts";
import { layTable, type Grid } from "./table-layout.ts";
import { writeTableText } from "./table-text.ts";
import { footnoteMark, withFootnoteMarks, withoutLineTags } from "../../domain/markdown/words.ts";

/** UTF-16 units of a row's first cell that are bold. A longer one is no title. */
const LONGEST_TITLE = 60;

/**
 * Writes a table in columns of monospaced text that a phone does not break, or, where it has too much for that, each
 * row as a block of `Name: value` lines. In columns no words can be links: these stand below, unless the table is still
 * being written, since they would move down with every row that comes.
 */
export function writeTable(table: Table, context: InlineContext, out: Composition): void {
  const grid = gridOf(table, context.references);
  const layout = layTable(grid);
  if (layout.type === "blocks") {
    writeBlocks(table, grid.head, context, out);
    return;
  }
  const { text, head, rows } = writeTableText(grid, layout, table.align ?? []);
  out.styled({ type: "pre", table: { head, rows } }, () => out.writeCode(text));
  if (table !== context.open) writeTableLinks(table, context.references, out);
}

function gridOf(table: Table, references: References): Grid {
  const count = Math.max(...table.children.map((row) => row.children.length));
  const [head = [], ...rows] = table.children.map((row) =>
    Array.from({ length: count }, (_, at) => lineOf(row.children[at]?.children ?? [], references)),
  );
  return { head, rows: rows.filter((row) => row.some((cell) => cell !== "")) };
}

function lineOf(nodes: readonly PhrasingContent[], references: References): string {
  return cleanCode(plainText(nodes, references)).replace(/\s+/g, " ").trim();
}

function plainText(nodes: readonly PhrasingContent[], references: References): string {
  return nodes
    .map((node) => {
      if (node.type === "text") return withoutLineTags(withFootnoteMarks(node.value), " ");
      if (node.type === "break") return " ";
      if (node.type === "footnoteReference") return footnoteMark(node.label ?? node.identifier);
      const words = wordsOf(node, references);
      return words + hiddenTarget(node, words, references);
    })
    .join("");
}

function wordsOf(node: PhrasingContent, references: References): string {
  if (node.type === "image" || node.type === "imageReference") return node.alt ? `🖼 ${node.alt}` : "";
  if ("children" in node) return plainText(node.children, references);
  return "value" in node ? node.value : "";
}

/** The address of what cannot be a link, where its words do not say it. */
function hiddenTarget(node: PhrasingContent, words: string, references: References): string {
  const url = addressOf(node, references);
  const target = url === undefined ? undefined : linkTarget(url);
  if (target === undefined) return "";
  const shown = target.type === "text" ? target.shown : words.trim() === "" ? target.url : "";
  if (shown === "" || saysTarget(words, shown)) return "";
  return words.trim() === "" ? shown : ` (${shown})`;
}

function addressOf(node: PhrasingContent, references: References): string | undefined {
  switch (node.type) {
    case "link":
    case "image":
      return node.url;
    case "linkReference":
    case "imageReference":
      return references.links.get(node.identifier) ?? "";
    default:
      return undefined;
  }
}

/** Writes each row as a block of lines, one for each cell that holds something. */
function writeBlocks(table: Table, names: readonly string[], context: InlineContext, out: Composition): void {
  let isFirst = true;
  for (const row of table.children.slice(1)) {
    const cells = row.children.flatMap((cell, at) => {
      return lineOf(cell.children, context.references) === "" ? [] : [{ cell, name: names[at] ?? "" }];
    });
    if (cells.length === 0) continue;
    if (!isFirst) out.write("\n\n");
    isFirst = false;
    cells.forEach(({ cell, name }, at) => {
      if (at > 0) out.write("\n");
      // What a reader finds the row by.
      const isTitle = at === 0 && lineOf(cell.children, context.references).length <= LONGEST_TITLE;
      if (isTitle) out.styled({ type: "bold" }, () => writeNamed(name, cell, context, out));
      else writeNamed(name, cell, context, out);
    });
  }
}

function writeNamed(name: string, cell: TableCell, context: InlineContext, out: Composition): void {
  if (name !== "") out.write(`${name}: `);
  writeInline(cell, context, out);
}

/** Writes under a table the links that its cells have, because monospace can hold none. */
function writeTableLinks(table: Table, references: References, out: Composition): void {
  const links = table.children.flatMap((row) =>
    row.children.flatMap((cell) => linksOf(cell.children, references)),
  );
  links.forEach(({ text, url }, at) => {
    out.write(at === 0 ? "\n" : " · ");
    out.styled({ type: "text_link", url }, () => out.write(text));
  });
}

function linksOf(
  nodes: readonly PhrasingContent[],
  references: References,
): readonly { readonly text: string; readonly url: string }[] {
  return nodes.flatMap((node) => {
    const url = addressOf(node, references);
    if (url === undefined) return "children" in node ? linksOf(node.children, references) : [];
    const target = linkTarget(url);
    if (target.type === "text") return "children" in node ? linksOf(node.children, references) : [];
    return [{ text: wordsOf(node, references).trim() || target.url, url: target.url }];
  });
}
