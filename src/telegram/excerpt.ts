import { graphemesOf } from "../domain/graphemes.ts";
import { isBlank } from "./entities.ts";
import { lineMarkdown } from "./written/inline.ts";
import { replaceWritten, sliceWritten, type Written } from "./written/spans.ts";

/** UTF-16 units, as Telegram counts. */
export const LONGEST_EXCERPT = 200;

/** UTF-16 units: beyond, the addresses in an excerpt are many or long, and its words go without. */
const LONGEST_MARKED = 1_000;

const BREAKS = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Direction marks and the like. The joiners stay: emoji and several scripts need them. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * The beginning of a text from outside, as a JSON string: on one line, nothing in it invisible, at most
 * `LONGEST_EXCERPT` units before escaping, cut between characters as a reader sees them. Its quotes are escaped, so
 * that no text can end the label that it stands in. Undefined when nothing of the text can be seen.
 */
export function quoteExcerpt(text: string): string | undefined {
  return quoteWritten({ text, spans: [] });
}

/** The same with formatting that carries meaning as markdown, which comes on top: of its words there are as many. */
export function quoteWritten({ text, spans }: Written): string | undefined {
  const visible = replaceWritten({ text: text.toWellFormed(), spans }, INVISIBLE, "");
  const line = trimWritten(replaceWritten(visible, BREAKS, " "));
  if (isBlank(line)) return undefined;
  const kept = line.text.length <= LONGEST_EXCERPT ? line : sliceWritten(line, 0, cut(line.text).length);
  // An address may hold what its words do not.
  const marked = lineMarkdown(kept).toWellFormed().replace(INVISIBLE, "");
  const words = marked.length <= LONGEST_MARKED ? marked : kept.text;
  return JSON.stringify(kept === line ? words : `${words}…`);
}

function trimWritten(written: Written): Written {
  const start = written.text.length - written.text.trimStart().length;
  return sliceWritten(written, start, Math.max(start, written.text.trimEnd().length));
}

function cut(line: string): string {
  // A page of combining marks is one character to a reader, so the search must not see the whole text.
  const reach = line.slice(0, 2 * LONGEST_EXCERPT);
  const end = graphemesOf(reach).containing(LONGEST_EXCERPT)?.index ?? 0;
  const kept = end > 0 ? line.slice(0, end) : line.slice(0, LONGEST_EXCERPT).replace(/[\ud800-\udbff]$/, "");
  return kept.trimEnd();
}
