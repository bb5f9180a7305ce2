import {
  isBlank,
  type Entity,
  type FormattedText,
  type PlainEntityType,
  type TableShape,
} from "../entities.ts";

export type Style =
  | { readonly type: PlainEntityType }
  | { readonly type: "pre"; readonly language?: string; readonly table?: TableShape }
  | { readonly type: "text_link"; readonly url: string };

/** A style from one offset to another, as the writer of the text wished it. */
export interface Mark {
  readonly style: Style;
  readonly start: number;
  readonly end: number;
}

const order: readonly Style["type"][] = [
  "blockquote",
  "text_link",
  "spoiler",
  "bold",
  "italic",
  "strikethrough",
  "code",
  "pre",
];

/**
 * Makes of wishes what Telegram accepts: nothing around code or in it but a quote, no style twice at one place,
 * no white space at an entity's ends, nothing empty. A code block may begin with its first line's indentation,
 * which Telegram keeps.
 */
export function settleMarks(text: string, marks: readonly Mark[]): FormattedText {
  const visible = marks.filter(({ start, end }) => !isBlank({ text: text.slice(start, end) }));
  const code = visible.filter(({ style }) => isCode(style));
  const settled = visible.flatMap((mark) => (yieldsToCode(mark.style) ? without(mark, code) : [mark]));
  const blocks = new Set(visible.filter(({ style }) => style.type === "pre").map(({ start }) => start));
  const entities = unite(settled)
    .map((mark) => trim(text, mark, blocks))
    .filter(({ start, end }) => !isBlank({ text: text.slice(start, end) }))
    .sort(compare)
    .map(({ style, start, end }): Entity => ({ ...style, offset: start, length: end - start }));
  return { text, entities };
}

function isCode(style: Style): boolean {
  return style.type === "code" || style.type === "pre";
}

function yieldsToCode({ type }: Style): boolean {
  return type === "bold" || type === "italic" || type === "strikethrough";
}

/** What is left of a mark when the ranges are cut out of it. */
function without(mark: Mark, ranges: readonly Mark[]): readonly Mark[] {
  let rest: readonly Mark[] = [mark];
  for (const { start, end } of ranges) {
    rest = rest.flatMap((piece) =>
      end <= piece.start || start >= piece.end
        ? [piece]
        : [
            { ...piece, end: Math.min(piece.end, start) },
            { ...piece, start: Math.max(piece.start, end) },
          ].filter((left) => left.end > left.start),
    );
  }
  return rest;
}

/** Bold in bold, and a quote in a quote, are one. */
function unite(marks: readonly Mark[]): readonly Mark[] {
  const united: Mark[] = [];
  const last = new Map<Style["type"], number>();
  for (const mark of marks.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const at = last.get(mark.style.type);
    const before = at === undefined ? undefined : united[at];
    if (at !== undefined && before !== undefined && mark.start < before.end) {
      united[at] = { ...before, end: Math.max(before.end, mark.end) };
    } else {
      last.set(mark.style.type, united.length);
      united.push(mark);
    }
  }
  return united;
}

/** Cuts white space off, but not from the start of a code block or of a quote that begins with one. */
function trim(text: string, mark: Mark, blocks: ReadonlySet<number>): Mark {
  let { start, end } = mark;
  while (end > start && isSpace(text, end - 1)) end--;
  while (start < end && !blocks.has(start) && isSpace(text, start)) start++;
  return { ...mark, start, end };
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at));
}

function compare(a: Mark, b: Mark): number {
  return a.start - b.start || b.end - a.end || order.indexOf(a.style.type) - order.indexOf(b.style.type);
}
