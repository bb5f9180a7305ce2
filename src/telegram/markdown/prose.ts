import type { Paragraph, Text } from "mdast";

/*
 * Lines that begin with a letter and hold nothing that could be a mark in any of them. A line that ends in a space
 * may be a hard break.
 */
const unmarked = /^(?:\p{L}[\p{L}\p{M}\p{N} .,;:!?'"’‘“”„«»()%–—…-]*(?:(?<! )\n(?=\p{L})|$))+$/u;

/** What becomes a link without any mark; with an address of e-mail, which has one. */
const bareLink = /www\./i;

/**
 * The paragraph that a source is, where that is certain at a glance; undefined does not mean that it is none. Prose is
 * most of what an agent says, and a parser would look at each of its letters again with each edit.
 */
export function proseOf(source: string): Paragraph | undefined {
  if (!unmarked.test(source) || bareLink.test(source)) return undefined;
  const value = source.trimEnd();
  const text: Text = { type: "text", value, position: positionOf(value) };
  return { type: "paragraph", children: [text], position: positionOf(source) };
}

function positionOf(text: string): NonNullable<Text["position"]> {
  const lastLine = text.lastIndexOf("\n") + 1;
  const line = text.split("\n").length;
  return {
    start: { line: 1, column: 1, offset: 0 },
    end: { line, column: text.length - lastLine + 1, offset: text.length },
  };
}
