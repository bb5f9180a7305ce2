import type { PhrasingContent, Table } from "mdast";
import type { Composition } from "./composition.ts";
import { linkTarget } from "./links.ts";
import { footnoteMark, withFootnoteMarks, withoutLineTags } from "../../domain/markdown/words.ts";
import { displayWidth } from "./width.ts";
import { cleanCode } from "./clean.ts";
import type { References } from "./parse.ts";

/** Writes a table as aligned monospace. */
export function writeTable(table: Table, out: Composition): void {
  const rows = table.children.map((row) =>
    row.children.map((cell) => cleanCode(plainText(cell.children)).replaceAll("\n", " ").trim()),
  );
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, table.align?.[column] ?? null))
      .join(" │ ")
      .trimEnd();
  const [head = [], ...body] = rows;
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  out.styled({ type: "pre" }, () => out.writeCode([line(head), rule, ...body.map(line)].join("\n")));
}

function pad(text: string, width: number, align: "left" | "right" | "center" | null): string {
  const missing = width - displayWidth(text);
  const before = align === "right" ? missing : align === "center" ? Math.floor(missing / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(missing - before);
}

function plainText(nodes: readonly PhrasingContent[]): string {
  return nodes
    .map((node) => {
      if (node.type === "text") return withoutLineTags(withFootnoteMarks(node.value), " ");
      if (node.type === "break") return " ";
      if (node.type === "image" || node.type === "imageReference") return node.alt ?? "";
      if (node.type === "footnoteReference") return footnoteMark(node.label ?? node.identifier);
      if ("children" in node) return plainText(node.children);
      return node.value;
    })
    .join("");
}

/** Writes under a table the links that its cells have, because monospace can hold none. */
export function writeTableLinks(table: Table, references: References, out: Composition): void {
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
    if (node.type === "link" || node.type === "linkReference") {
      const target = linkTarget(
        node.type === "link" ? node.url : (references.links.get(node.identifier) ?? ""),
      );
      return target.type === "link"
        ? [{ text: plainText(node.children).trim() || target.url, url: target.url }]
        : [];
    }
    return "children" in node ? linksOf(node.children, references) : [];
  });
}
