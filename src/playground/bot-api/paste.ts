/** Telegram's limit for a text, in UTF-16 units. */
export const MAX_TEXT = 4096;

/** How far back from the limit a client looks for a better place to cut. */
const NEAR = 96;

/**
 * Cuts a long text as clients do before they send it: each part at most `limit` UTF-16 units, cut after a
 * line or else after a space when there is one near the limit, never inside a surrogate pair. White space at
 * the ends of parts is lost, as it is at Telegram; no part is blank. Blank text gives no part.
 */
export function cutPaste(text: string, limit: number = MAX_TEXT): readonly string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > limit) {
    const end = cutAt(rest, limit);
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === "" ? parts : [...parts, rest];
}

function cutAt(text: string, limit: number): number {
  const earliest = Math.max(1, limit - NEAR);
  for (const mark of ["\n", " "]) {
    // One further than the limit: white space just after a full part is cut away with it.
    const at = text.lastIndexOf(mark, limit);
    if (at >= earliest) return at;
  }
  const before = text.charCodeAt(limit - 1);
  return limit > 1 && before >= 0xd800 && before <= 0xdbff ? limit - 1 : limit;
}
