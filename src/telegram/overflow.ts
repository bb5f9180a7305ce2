import type { FormattedText } from "./entities.ts";
import { cutPage, messageLimits } from "./paginate.ts";

/** The most messages that one answer fills. What does not fit comes as a file. */
export const MOST_PAGES = 8;

/** UTF-16 units of the last page that are kept free for evie's own lines: what was shown must not give way to them. */
const RESERVE = 700;

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
  const room = messageLimits.units - RESERVE;
  if (last === undefined || (pages.length === MOST_PAGES && last.text.length <= room)) {
    return { pages, overflows: false };
  }
  const { page } = cutPage(last, 0, { units: room, entities: messageLimits.entities - 1 });
  return { pages: [...pages.slice(0, MOST_PAGES - 1), page], overflows: true };
}
