import { graphemesOf } from "../domain/graphemes.ts";
import { isBlank, sliceFormatted, type Entity, type FormattedText } from "./entities.ts";
import { repeatedHead, rowCut, withHead } from "./table-pages.ts";
import { entityReach } from "./entity-count.ts";

export interface PageLimits {
  /** UTF-16 units of text; at least 2, so that any character fits. */
  readonly units: number;
  readonly entities: number;
  /**
   * The number of the last page that is shown, counted from 0. It is cut where it is full: what gave way to a better
   * cut would be shown nowhere.
   */
  readonly last?: number;
}

/** What one message holds: 4,096 characters (Bot API) and 100 entities, as Telegram counts them (it drops the others silently). */
export const messageLimits: PageLimits = { units: 4096, entities: 100 };

/** How much of a page the head of a table may take that goes on there. A larger one stands on the first page alone. */
const LARGEST_HEAD = 1 / 8;

/**
 * Cuts a text into messages. Joined, they are the text again but for white space, and what is as invisible, at the
 * cuts, and for the heads of tables; none is blank. A cut is at a blank line if there is one in the page's second half,
 * else at a line's end, else at a space there; else at the last of those before; else between two graphemes. Only a
 * grapheme longer than a page is cut itself. An entity that is cut goes on in the next page; so does a table, which is
 * cut between two rows where it can be, and whose head the next page repeats.
 *
 * A page depends only on the text up to its own end and the character behind it: when text is appended, every page
 * but the last stays as it is. `first` is the number of the first of these pages.
 */
export function paginate(
  formatted: FormattedText,
  limits: PageLimits = messageLimits,
  first = 0,
): readonly FormattedText[] {
  const pages: FormattedText[] = [];
  let from = 0;
  for (;;) {
    const cut = cutPage(formatted, from, limits, first + pages.length);
    if (!isBlank(cut.page)) pages.push(cut.page);
    if (cut.next === undefined) return pages;
    from = cut.next;
  }
}

/** The page of that number, which begins at an offset, and where the next one begins, if one does. */
export function cutPage(
  formatted: FormattedText,
  from: number,
  limits: PageLimits,
  number: number,
): { readonly page: FormattedText; readonly next: number | undefined } {
  const { text, entities } = formatted;
  const start = skipSpace(formatted, from);
  const last = text.trimEnd().length;
  const head = repeatedHead(formatted, start, limits.units * LARGEST_HEAD);
  const full = start + Math.max(2, limits.units - head.length);
  const reach = Math.min(full, entityReach(entities, start, full, limits.entities));
  const cut = number === limits.last ? graphemeCut : bestCut;
  const end = reach >= last ? last : cut(formatted, start, reach);
  const cutOut = withHead(sliceFormatted(formatted, start, end), head);
  const page = trimEnd(limitEntities(cutOut, limits.entities));
  return { page, next: end >= last ? undefined : end };
}

function bestCut(formatted: FormattedText, start: number, reach: number): number {
  const { text, entities } = formatted;
  const half = start + (reach - start) / 2;
  const block = entities.find((entity) => isBlock(entity) && entity.offset < reach && endOf(entity) > reach);
  // A code block that would be cut moves to the next page as a whole, if this page is not too empty then.
  if (block !== undefined && block.offset > half) return block.offset;
  const row = block === undefined ? undefined : rowCut(block, half, reach);
  if (row !== undefined) return row;
  const cuts = ["\n\n", "\n", " "].map((space) => text.lastIndexOf(space, reach));
  return (
    cuts.find((cut) => cut > half) ?? cuts.find((cut) => cut > start) ?? graphemeCut(formatted, start, reach)
  );
}

function graphemeCut({ text }: FormattedText, start: number, reach: number): number {
  const before = graphemesOf(text.slice(start, reach + 2)).containing(reach - start)?.index ?? 0;
  if (before > 0) return start + before;
  const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(reach - 1, reach + 1));
  return splitsPair ? reach - 1 : reach;
}

/** White space at a page's start goes, except the indentation of a line of code. */
function skipSpace({ text, entities }: FormattedText, from: number): number {
  const inCode = entities.some((entity) => isBlock(entity) && entity.offset <= from && endOf(entity) > from);
  const space = inCode ? /(?:[^\S\n]*\n)*/y : /\s*/y;
  space.lastIndex = from;
  const start = from + (space.exec(text)?.[0].length ?? 0);
  const block = entities.find((entity) => isBlock(entity) && entity.offset > from && entity.offset < start);
  return block?.offset ?? start;
}

function isBlock({ type }: Entity): boolean {
  return type === "pre";
}

function endOf({ offset, length }: Entity): number {
  return offset + length;
}

function trimEnd(page: FormattedText): FormattedText {
  return sliceFormatted(page, 0, page.text.trimEnd().length);
}

function limitEntities(page: FormattedText, limit: number): FormattedText {
  return page.entities.length <= limit ? page : { ...page, entities: page.entities.slice(0, limit) };
}
