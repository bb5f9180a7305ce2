/**
 * Levels of arrays and objects that JSON from outside may have. Whatever walks a value walks it level by level, and so
 * does `JSON.stringify`: some thousands overflow the stack. Telegram's rich messages have 80.
 */
export const MOST_LEVELS = 200;

/** Levels from which on a text is not even parsed: each costs some 60 bytes of memory. */
const MOST_PARSED = 100_000;

/** JSON that nests too deeply. */
export class LevelsError extends Error {
  constructor() {
    super(`This JSON is nested more than ${MOST_LEVELS} levels deep.`);
    this.name = "LevelsError";
  }
}

/** Throws a LevelsError where a piece of JSON has more than MOST_LEVELS. Whether it is JSON at all is not looked at. */
export function checkLevels(json: string): void {
  if (levelsOf(json) > MOST_LEVELS) throw new LevelsError();
}

/**
 * Parses JSON from somebody who cannot be told that it nests too deeply: what lies deeper than MOST_LEVELS is left out
 * (null). Throws what `JSON.parse` throws, and a LevelsError for what is not worth its memory.
 */
export function parseWithinLevels(json: string): unknown {
  const levels = levelsOf(json);
  if (levels > MOST_PARSED) throw new LevelsError();
  const value: unknown = JSON.parse(json);
  return levels > MOST_LEVELS ? cut(value, 1) : value;
}

/** Returns how deep the arrays and objects of a piece of JSON nest, without parsing it. */
function levelsOf(json: string): number {
  // Each level has a beginning and an end. Most of what an agent says is done with this look.
  if (json.length <= 2 * MOST_LEVELS) return 0;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case '"':
        at = endOfText(json, at);
        break;
      case "[":
      case "{":
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case "]":
      case "}":
        depth -= 1;
        break;
      default:
    }
  }
  return deepest;
}

/** Returns the place of the quote that ends the text which begins at `start`, or the end of all. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json[first - 1] === "\\") first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}

function cut(value: unknown, level: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (level > MOST_LEVELS) return null;
  if (Array.isArray(value)) return value.map((part) => cut(part, level + 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, cut(field, level + 1)]));
}
