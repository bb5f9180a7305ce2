import type { MessageEntity, User } from "grammy/types";
import { listOf, loose, numberOf, stringOf } from "../loose.ts";

/** The formatting that carries meaning, and says nothing but a range. */
const PLAIN = ["bold", "italic", "underline", "strikethrough", "spoiler", "code"] as const;

/** What a range of a message's text is to its author. */
export type Format =
  | { readonly type: (typeof PLAIN)[number] | "quote" }
  | { readonly type: "pre"; readonly language: string }
  | { readonly type: "text_link"; readonly url: string }
  /** A mention of a person who has no name of their own on Telegram. */
  | { readonly type: "text_mention"; readonly userId: number }
  /** `time` is in seconds since 1970. */
  | { readonly type: "date_time"; readonly time: number };

/** A range of a text, from its first UTF-16 unit up to the one behind its last. It holds at least one. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly format: Format;
}

/** What a person wrote: spans are in their text, sorted by start, longer ones first; those of one type do not overlap. */
export interface Written {
  readonly text: string;
  readonly spans: readonly Span[];
}

/**
 * Reads a text and its entities as Telegram sends them. What is no entity, says nothing that the text does not, or lies
 * outside the text is left out; what reaches beyond it is cut. Takes any value and never throws.
 */
export function readWritten(text: string, entities: unknown): Written {
  const spans = listOf(entities).flatMap((entity) => readSpan(text, entity) ?? []);
  return { text, spans: apart(spans) };
}

/** A part of what was written, with the spans that lie in it; those that reach beyond are cut. */
export function sliceWritten({ text, spans }: Written, from: number, to = text.length): Written {
  return {
    text: text.slice(from, to),
    spans: spans.flatMap((span) => {
      const start = Math.max(span.start, from) - from;
      const end = Math.min(span.end, to) - from;
      return end > start ? { ...span, start, end } : [];
    }),
  };
}

/** The same with other characters in the place of each match. A span that begins or ends in one holds all of it. */
export function replaceWritten({ text, spans }: Written, pattern: RegExp, replacement: string): Written {
  const shifts: { readonly start: number; readonly end: number; readonly at: number }[] = [];
  let replaced = "";
  let done = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    replaced += text.slice(done, index);
    shifts.push({ start: index, end: index + match.length, at: replaced.length });
    replaced += replacement;
    done = index + match.length;
  }
  const moved = (offset: number, isEnd: boolean): number => {
    const shift = shifts.findLast(({ start }) => (isEnd ? start < offset : start <= offset));
    if (shift === undefined) return offset;
    const behind = shift.at + replacement.length;
    if (offset >= shift.end) return behind + offset - shift.end;
    return isEnd ? behind : shift.at;
  };
  return {
    text: replaced + text.slice(done),
    spans: spans.flatMap((span) => {
      const [start, end] = [moved(span.start, false), moved(span.end, true)];
      return end > start ? { ...span, start, end } : [];
    }),
  };
}

function readSpan(text: string, value: unknown): Span | undefined {
  const { type, offset, length } = loose<MessageEntity>(value);
  const format = readFormat(stringOf(type) ?? "", value);
  const [first, count] = [numberOf(offset), numberOf(length)];
  if (format === undefined || first === undefined || count === undefined) return undefined;
  const start = wholeCharacter(text, Math.trunc(Math.max(first, 0)), -1);
  const end = wholeCharacter(text, Math.trunc(Math.min(first + count, text.length)), 1);
  return end > start ? { start, end, format } : undefined;
}

function readFormat(type: string, value: unknown): Format | undefined {
  const plain = PLAIN.find((each) => each === type);
  if (plain !== undefined) return { type: plain };
  switch (type) {
    case "blockquote":
    case "expandable_blockquote":
      return { type: "quote" };
    case "pre":
      return { type, language: stringOf(loose<MessageEntity.PreMessageEntity>(value).language) ?? "" };
    case "text_link": {
      const url = stringOf(loose<MessageEntity.TextLinkMessageEntity>(value).url) ?? "";
      return url.trim() === "" ? undefined : { type, url };
    }
    case "text_mention": {
      const userId = numberOf(loose<User>(loose<MessageEntity.TextMentionMessageEntity>(value).user).id);
      return userId === undefined ? undefined : { type, userId };
    }
    case "date_time": {
      const time = numberOf(loose<MessageEntity.DateTimeMessageEntity>(value).unix_time);
      return time === undefined ? undefined : { type, time };
    }
    default:
      return undefined;
  }
}

/** Moves an offset that lies between the halves of a surrogate pair. */
function wholeCharacter(text: string, offset: number, step: -1 | 1): number {
  return /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(offset - 1, 0), offset + 1)) && offset > 0
    ? offset + step
    : offset;
}

/** Sorts spans, and cuts or joins those of one type that overlap: marks of one kind cannot stand in each other, and a mention is a link. */
function apart(spans: readonly Span[]): readonly Span[] {
  const last = new Map<Format["type"], number>();
  const kept: Span[] = [];
  for (const span of spans.toSorted(inOrder)) {
    const type = span.format.type === "text_mention" ? "text_link" : span.format.type;
    const at = last.get(type) ?? -1;
    const before = kept[at];
    if (before !== undefined && span.start <= before.end && isPlain(type)) {
      kept[at] = { ...before, end: Math.max(before.end, span.end) };
      continue;
    }
    const start = Math.max(span.start, before?.end ?? 0);
    if (span.end <= start) continue;
    last.set(type, kept.length);
    kept.push({ ...span, start });
  }
  return kept.toSorted(inOrder);
}

function isPlain(type: Format["type"]): boolean {
  return PLAIN.some((each) => each === type);
}

/** Ends decide among spans that begin together: the longer one is outside. */
export function inOrder(first: Span, second: Span): number {
  return first.start - second.start || second.end - first.end;
}
