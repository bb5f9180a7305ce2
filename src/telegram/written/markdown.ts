import { codeBlock, prefixLines } from "../rich.ts";
import { inlineMarkdown, isMarked } from "./inline.ts";
import { readWritten, sliceWritten, type Span, type Written } from "./spans.ts";

/**
 * Writes a message's text as markdown, with the formatting that carries meaning: links, emphasis, strikethrough, code,
 * code blocks with their language, quotes, spoilers, who is mentioned, which time is meant. A text without any stays as
 * it is, to the character; so does everything between. Signs that were meant literally are not escaped, and marks that
 * the text has already are not doubled. `entities` are Telegram's, offsets in UTF-16 units, of any kind and quality. Never
 * throws.
 */
export function writtenMarkdown(text: string, entities: unknown): string {
  return blockMarkdown(readWritten(text, entities));
}

/** Writes what may hold quotes and code blocks. Each begins on a line of its own. */
function blockMarkdown(written: Written): string {
  const { text, spans } = written;
  const quotes = spans.filter((span) => span.format.type === "quote" && !isQuoted(text, span));
  let said = "";
  let done = 0;
  for (const { start, end } of quotes) {
    said += codeMarkdown(sliceWritten(written, done, start));
    const quote = codeMarkdown(sliceWritten(written, start, end)).replace(/^\n+|\n+$/g, "");
    said = onNewLine(said) + prefixLines(quote, "> ");
    done = end;
    // Without a blank line, the next words would belong to the quote.
    const rest = text.slice(done);
    if (rest.trim() !== "") said += "\n\n".slice(/^\n{0,2}/.exec(rest)?.[0].length);
  }
  return said + codeMarkdown(sliceWritten(written, done));
}

/** Writes what may hold code blocks, and no quote. */
function codeMarkdown(written: Written): string {
  const { text, spans } = written;
  let said = "";
  let done = 0;
  for (const span of spans.filter((each) => isBlock(text, each))) {
    const from = Math.max(span.start, done);
    const start = from + (/^\n*/.exec(text.slice(from, span.end))?.[0].length ?? 0);
    if (text.slice(start, span.end).trim() === "") continue;
    said += inlineMarkdown(sliceWritten(written, done, start));
    const language = span.format.type === "pre" ? span.format.language : "";
    const block = codeBlock(text.slice(start, span.end), language);
    said = [onNewLine(said) + block, ...hiddenInCode(sliceWritten(written, start, span.end))].join("\n");
    done = span.end;
    if (done < text.length && text[done] !== "\n") said += "\n";
  }
  return said + inlineMarkdown(sliceWritten(written, done));
}

/** What a code block cannot say: addresses and people behind its words, a line each. */
function hiddenInCode({ text, spans }: Written): readonly string[] {
  return spans
    .filter(({ format }) => format.type === "text_link" || format.type === "text_mention")
    .map((span) => inlineMarkdown({ text: text.slice(span.start, span.end), spans: [atStart(span)] }));
}

function atStart({ start, end, format }: Span): Span {
  return { start: 0, end: end - start, format };
}

/** Whether a span is a block of code that the text does not show as one itself. Code of several lines is a block too. */
function isBlock(text: string, span: Span): boolean {
  const { start, end, format } = span;
  if (format.type !== "pre" && format.type !== "code") return false;
  const content = text.slice(start, end).trim();
  if (format.type === "code" && (!content.includes("\n") || isMarked(text, span))) return false;
  const fenced = /^(`{3,}|~{3,})[^]*\1$/.test(content);
  const inFence = /(?:^|\n)[ \t>]*(?:`{3,}|~{3,})[^\n`]*\n?$/.test(text.slice(0, start));
  return !fenced && !(inFence && /^\n?[ \t>]*(?:`{3,}|~{3,})/.test(text.slice(end)));
}

/** Whether each line of a quote begins with the sign of one already. */
function isQuoted(text: string, { start, end }: Span): boolean {
  const lines = text.slice(text.lastIndexOf("\n", start - 1) + 1, end).split("\n");
  return lines.every((line) => line.trim() === "" || /^\s*>/.test(line));
}

function onNewLine(said: string): string {
  return said === "" || said.endsWith("\n") ? said : `${said.trimEnd()}\n`;
}
