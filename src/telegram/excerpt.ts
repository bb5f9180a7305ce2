import { isBlank } from "./entities.ts";

/** UTF-16 units, as Telegram counts. */
export const LONGEST_EXCERPT = 200;

const BREAKS = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Direction marks and the like. The joiners stay: emoji and several scripts need them. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * The beginning of a text from outside, as a JSON string: on one line, nothing in it invisible, at most
 * `LONGEST_EXCERPT` units before escaping, cut between characters as a reader sees them. Its quotes are escaped, so
 * that no text can end the label that it stands in. Undefined when nothing of the text can be seen.
 */
export function quoteExcerpt(text: string): string | undefined {
  const line = text.toWellFormed().replace(INVISIBLE, "").replace(BREAKS, " ").trim();
  if (isBlank({ text: line })) return undefined;
  return JSON.stringify(line.length <= LONGEST_EXCERPT ? line : `${cut(line)}…`);
}

function cut(line: string): string {
  // A page of combining marks is one character to a reader, so the search must not see the whole text.
  const reach = line.slice(0, 2 * LONGEST_EXCERPT);
  const end = new Intl.Segmenter().segment(reach).containing(LONGEST_EXCERPT)?.index ?? 0;
  const kept = end > 0 ? line.slice(0, end) : line.slice(0, LONGEST_EXCERPT).replace(/[\ud800-\udbff]$/, "");
  return kept.trimEnd();
}
