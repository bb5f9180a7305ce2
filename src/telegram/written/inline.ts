import { richText } from "../rich-text.ts";
import { type Format, inOrder, type Span, type Written } from "./spans.ts";

/** A node of the tree that `richText` renders. */
type Node = string | { readonly [field: string]: unknown; readonly text: Node[] };

/**
 * Writes formatting inside lines as markdown. Marks stand on the words of one line: around white space, or across
 * lines, markdown would not read them. Marks that the text has already are not written again.
 */
export function inlineMarkdown(written: Written): string {
  const spans = written.spans.flatMap((span) => lineSpans(written.text, span)).toSorted(inOrder);
  return spans.length === 0 ? written.text : richText(tree(written.text, spans));
}

/** The same for words on one line, where a code block is only code, and a quote no more than its words. */
export function lineMarkdown({ text, spans }: Written): string {
  const inLine = spans.map((span): Span =>
    span.format.type === "pre" ? { ...span, format: { type: "code" } } : span,
  );
  return inlineMarkdown({ text, spans: inLine });
}

/** What of a span needs marks: the words of each of its lines. */
function lineSpans(text: string, span: Span): readonly Span[] {
  if (span.format.type === "quote" || span.format.type === "pre") return [];
  const { start, end } = trimmed(text, span);
  // A link on a space: its address is all that it says.
  if (end <= start) return span.format.type === "text_link" ? [span] : [];
  if (isMarked(text, span)) return [];
  return Array.from(text.slice(start, end).matchAll(/\S(?:.*\S)?/g), ({ 0: line, index }) => {
    return { ...span, start: start + index, end: start + index + line.length };
  }).filter((piece) => !isMarked(text, piece));
}

function trimmed(text: string, { start, end, format }: Span): Span {
  const content = text.slice(start, end);
  return {
    start: start + content.length - content.trimStart().length,
    end: start + content.trimEnd().length,
    format,
  };
}

/** The signs that say the same as a format where a text holds them, written by hand or by a program. */
const MARKS: { readonly [T in Format["type"]]?: readonly string[] } = {
  bold: ["*", "_"],
  italic: ["*", "_"],
  underline: ["_", "<u>"],
  strikethrough: ["~"],
  spoiler: ["||"],
  code: ["`"],
};

/** Whether a text shows what a span says by marks that are its own, around the span's words or at their ends. */
export function isMarked(text: string, span: Span): boolean {
  const { start, end, format } = trimmed(text, span);
  if (format.type === "text_link") {
    const target = `](${format.url})`;
    return stands(text, start, end, "[", target);
  }
  return (MARKS[format.type] ?? []).some((open) => stands(text, start, end, open, open.replace("<", "</")));
}

/** Whether marks stand around a range, or at the ends of what is in it. */
function stands(text: string, start: number, end: number, open: string, close: string): boolean {
  const content = text.slice(start, end);
  const within = content.startsWith(open) && content.slice(open.length).endsWith(close);
  return within || (text.slice(0, start).endsWith(open) && text.startsWith(close, end));
}

/** The text as a tree. Where two spans cross, the inner one is cut; code is innermost, since nothing is read in it. */
function tree(text: string, spans: readonly Span[]): readonly Node[] {
  const root: Node[] = [];
  const cuts = [...new Set([0, text.length, ...spans.flatMap(({ start, end }) => [start, end])])].toSorted(
    (first, second) => first - second,
  );
  let open: readonly { readonly span: Span; readonly inside: Node[] }[] = [];
  let next = 0;
  cuts.forEach((from, at) => {
    const to = cuts[at + 1];
    if (to === undefined) return;
    const standing = open.map(({ span }) => span).filter(({ end }) => end > from);
    for (let span = spans[next]; span?.start === from; span = spans[next]) {
      standing.push(span);
      next += 1;
    }
    const wanted = [...standing.filter((span) => !isCode(span)), ...standing.filter(isCode)];
    const same = wanted.findIndex((span, level) => open[level]?.span !== span);
    open = open.slice(0, same === -1 ? wanted.length : same);
    for (const span of wanted.slice(open.length)) {
      const inside: Node[] = [];
      (open.at(-1)?.inside ?? root).push({ ...nodeFields(span.format), text: inside });
      open = [...open, { span, inside }];
    }
    (open.at(-1)?.inside ?? root).push(text.slice(from, to));
  });
  return root;
}

function isCode({ format }: Span): boolean {
  return format.type === "code";
}

/** The names that rich messages have for the same. */
function nodeFields(format: Format): Readonly<Record<string, unknown>> {
  switch (format.type) {
    case "text_link":
      return { type: "url", url: format.url };
    case "text_mention":
      return { type: "text_mention", user: { id: format.userId } };
    case "date_time":
      return { type: "date_time", unix_time: format.time };
    default:
      return { type: format.type };
  }
}
