import type { MarkedExtension } from "marked";
import { isFence, isHeading, isItem, isQuote, isRule } from "../../domain/markdown/lines.ts";
import { addressInBrackets, isDefinition } from "../../domain/markdown/links.ts";

type Tokenizer = NonNullable<MarkedExtension["tokenizer"]>;

/** What marked is to do with a mark: read it in its own way, or take it for text. */
const read = false;
const text = undefined;

/**
 * The syntax of marked, of which the mark at a line's start counts where the rules of the domain say that it was meant
 * as one. Styles and addresses are found afterwards, by `readInline`, since a tokenizer is not told what stands in
 * front of its source.
 */
export const syntax: Tokenizer = {
  hr: (source) => (isRule(...lineOf(source)) ? read : text),
  heading: (source) => (isHeading(...lineOf(source)) ? read : text),
  blockquote: (source) => (isQuote(...lineOf(source)) ? read : text),
  fences: (source) => (isFence(...lineOf(source)) ? read : text),
  list(source) {
    const [line, at] = lineOf(source);
    const { top, lastToken } = this.lexer.state;
    const above = lastToken?.type === "paragraph" ? `${lastLineOf(lastToken.raw)}\n` : "";
    const behind = `\n${lineOf(source.slice(line.length + 1))[0]}`;
    // Inside of an item, its indentation is gone.
    const isMeant = top ? isItem(above + line + behind, above.length + at) : isItem(` ${line}`, at + 1);
    return isMeant && !isRule(line, at) ? read : text;
  },
  def: (source) => (isDefinition(source, source.search(/[^ ]|$/)) ? read : text),
  autolink: (source) => (addressInBrackets(source, 0) === undefined ? text : read),
  html: () => text,
  tag: () => text,
  lheading: () => text,
  br: () => text,
  emStrong: () => text,
  del: () => text,
  url: () => text,
};

/** The first line of a source, and where its indentation ends. */
function lineOf(source: string): [line: string, at: number] {
  const end = source.indexOf("\n");
  const line = end === -1 ? source : source.slice(0, end);
  return [line, line.search(/[^ ]|$/)];
}

function lastLineOf(raw: string): string {
  const whole = raw.trimEnd();
  return whole.slice(whole.lastIndexOf("\n") + 1);
}
