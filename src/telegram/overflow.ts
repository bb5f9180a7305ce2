import type { FormattedText } from "./entities.ts";
import { cutPage, messageLimits, type PageLimits } from "./paginate.ts";

/** The most messages that one answer fills. What does not fit comes as a file. */
export const MOST_PAGES = 8;

/** How an answer is cut into pages. */
export const answerLimits: PageLimits = { ...messageLimits, last: MOST_PAGES - 1 };

/** UTF-16 units of the last page that are kept free for evie's own lines: what was shown must not give way to them. */
const RESERVE = 700;

/** UTF-16 units of a word that the last page still shows to its end, where it is full in the middle of it. */
const LONGEST_WORD = 100;

export interface CappedPages {
  readonly pages: readonly FormattedText[];
  /** The answer is longer than that. */
  readonly overflows: boolean;
}

/**
 * The pages that are shown of an answer. The last of them is full earlier than a message, so that nothing is taken
 * away again when it turns out that more follows. Pages only ever grow while the answer does.
 */
export function capPages(pages: readonly FormattedText[]): CappedPages {
  const last = pages[MOST_PAGES - 1];
  if (last === undefined) return { pages, overflows: false };
  const limits = { units: roomFor(last.text), entities: messageLimits.entities - 1, last: MOST_PAGES - 1 };
  const { page, next } = cutPage(last, 0, limits, MOST_PAGES - 1);
  if (pages.length === MOST_PAGES && next === undefined) return { pages, overflows: false };
  return { pages: [...pages.slice(0, MOST_PAGES - 1), page], overflows: true };
}

/** Never a place before what may have been shown: a cut at a paragraph's end would take half a page away again. */
function roomFor(text: string): number {
  const full = messageLimits.units - RESERVE - LONGEST_WORD;
  const space = text.slice(full, full + LONGEST_WORD).search(/\s/);
  return full + (space === -1 ? LONGEST_WORD : space);
}
