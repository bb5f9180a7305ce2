/**
 * The most that is rendered in one go on the thread that does everything else. At 3 to 10 microseconds a unit, by what
 * the marks are, that is 12 to 40 ms.
 */
export const LARGEST_COST = 4_000;

/** What a sign that may be a mark, or a line's end, costs beside a letter. */
const MARK = 6;

/**
 * Estimates what parsing a markdown costs: its characters, and more for those that may be marks. Counts no further than
 * `enough`.
 */
export function costOf(markdown: string, enough = LARGEST_COST): number {
  let cost = markdown.length;
  for (let at = 0; at < markdown.length && cost <= enough; at += 1)
    if (mayBeMark(markdown.charCodeAt(at))) cost += MARK;
  return cost;
}

/** Whether it is an ASCII sign or a line feed; and a wide full stop or bracket may close a style as well. */
function mayBeMark(code: number): boolean {
  if (code >= 0x80) return code >= 0x3000 && code < 0x3020;
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  return !isLetter && code !== 0x20 && !(code >= 0x30 && code <= 0x39);
}
