import type { LinkReference, Nodes, PhrasingContent } from "mdast";
import { isBlank } from "../entities.ts";
import type { Composition } from "./composition.ts";
import { linkTarget, saysTarget } from "./links.ts";
import type { References } from "./parse.ts";
import { splitSpoilers } from "./spoilers.ts";
import { footnoteMark, withFootnoteMarks, withoutLineTags } from "../../domain/markdown/words.ts";

export interface InlineContext {
  readonly references: References;
  /** In a link or a spoiler, whose styles cannot be combined with code and must not be lost for it. */
  readonly plainCode: boolean;
  readonly inLink: boolean;
  /** In a list, whose lines are indented by where they belong. Elsewhere a line keeps the indentation that it has. */
  readonly inList: boolean;
  /** The paragraph or table that is still being written: a spoiler that was opened in it hides the rest. */
  readonly open: Nodes | undefined;
}

export function writeInline(parent: Nodes, context: InlineContext, out: Composition): void {
  const children = "children" in parent ? (parent.children as readonly PhrasingContent[]) : [];
  for (const piece of splitSpoilers(children, context.open === parent)) {
    if (piece.type === "plain") piece.nodes.forEach((node) => writeNode(node, context, out));
    else {
      out.styled({ type: "spoiler" }, () => {
        piece.nodes.forEach((node) => writeNode(node, { ...context, plainCode: true }, out));
      });
    }
  }
}

function writeNode(node: PhrasingContent, context: InlineContext, out: Composition): void {
  switch (node.type) {
    case "text":
      out.write(textOf(node.value, context));
      return;
    case "strong":
      out.styled({ type: "bold" }, () => writeInline(node, context, out));
      return;
    case "emphasis":
      out.styled({ type: "italic" }, () => writeInline(node, context, out));
      return;
    case "delete":
      out.styled({ type: "strikethrough" }, () => writeInline(node, context, out));
      return;
    case "inlineCode":
      if (context.plainCode) out.writeCode(node.value);
      else out.styled({ type: "code" }, () => out.writeCode(node.value));
      return;
    case "break":
      out.write("\n");
      return;
    case "link":
      writeLink(node.url, context, out, (inner) => writeInline(node, inner, out));
      return;
    case "linkReference":
      writeLink(context.references.links.get(node.identifier) ?? "", context, out, (inner) => {
        // `[1]` is how sources are cited, also without a link.
        if (isCitation(node)) out.write(`[${node.label ?? node.identifier}]`);
        else writeInline(node, inner, out);
      });
      return;
    case "image":
      writeLink(node.url, context, out, () => out.write(node.alt ? `🖼 ${node.alt}` : ""));
      return;
    case "imageReference":
      writeLink(context.references.links.get(node.identifier) ?? "", context, out, () =>
        out.write(node.alt ? `🖼 ${node.alt}` : ""),
      );
      return;
    case "footnoteReference":
      out.write(footnoteMark(node.label ?? node.identifier));
      return;
    case "html":
      out.write(node.value);
  }
}

function textOf(value: string, { inList }: InlineContext): string {
  const text = withoutLineTags(withFootnoteMarks(value), "\n");
  return inList ? text.replace(/\n[ \t]+/g, "\n") : text;
}

function isCitation({ referenceType, identifier }: LinkReference): boolean {
  return referenceType === "shortcut" && /^\d+$/.test(identifier);
}

/** Writes an address by itself, which can be tapped where Telegram takes it for a link. */
export function writeTarget(url: string, out: Composition): void {
  const target = linkTarget(url);
  if (target.type === "link") out.styled({ type: "text_link", url: target.url }, () => out.write(url));
  else out.write(url);
}

function writeLink(
  url: string,
  context: InlineContext,
  out: Composition,
  writeText: (inner: InlineContext) => void,
): void {
  if (context.inLink) {
    writeText(context);
    return;
  }
  const target = linkTarget(url);
  if (target.type === "link") {
    out.styled({ type: "text_link", url: target.url }, () => {
      const written = measure(out, () => writeText({ ...context, plainCode: true, inLink: true }));
      if (isBlank({ text: written })) out.write(target.url);
    });
    return;
  }
  const written = measure(out, () => writeText(context)).trim();
  if (target.shown === "" || saysTarget(written, target.shown)) return;
  out.write(written === "" ? target.shown : ` (${target.shown})`);
}

function measure(out: Composition, body: () => void): string {
  const start = out.length;
  body();
  return out.since(start);
}
