/** The character in front of an offset, whole where it takes two units; empty at the text's start. */
export function characterBefore(text: string, at: number): string {
  const last = text.charAt(at - 1);
  const isLow = last >= "\udc00" && last <= "\udfff";
  return isLow ? text.slice(Math.max(0, at - 2), at) : last;
}

/** The character at an offset, whole where it takes two units; empty at the text's end. */
export function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** White space, or no character at all. */
export function isSpace(character: string): boolean {
  return character === "" || /\s/.test(character);
}

/** What emoji are joined and closed with is no letter, though Unicode counts some of it among the marks of letters. */
const joiners = /\u200d|\u20e3|\ufe0e|\ufe0f/;

/** A letter or digit of any alphabet, with the marks that belong to it. */
export function isLetter(character: string): boolean {
  return /[\p{L}\p{N}\p{M}]/u.test(character) && !joiners.test(character);
}

/**
 * A character of Chinese, Japanese or Korean, their punctuation included. These are written without spaces, so that
 * each of them may be a word's edge.
 */
export function isCjk(character: string): boolean {
  return /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u.test(
    character,
  );
}

/** A sign: punctuation or a symbol. */
export function isSign(character: string): boolean {
  return /[\p{P}\p{S}]/u.test(character) || joiners.test(character);
}

/** The offsets of the word around one: everything up to white space, at most so many characters to each side. */
export function wordAround(text: string, at: number, most = 200): { start: number; end: number } {
  let start = at;
  while (start > 0 && at - start < most && !/\s/.test(text.charAt(start - 1))) start -= 1;
  let end = at;
  while (end < text.length && end - at < most && !/\s/.test(text.charAt(end))) end += 1;
  return { start, end };
}
