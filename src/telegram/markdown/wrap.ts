import { displayWidth, graphemesOf, isWide } from "./width.ts";

/** A place in a long name where a person would break it: behind a sign, before a letter. */
const softBreak = /(?<=[-/_.,:;=&?#\\])(?=\p{L})/u;

/** White space that is not one space between two words. */
const folds = /\s{2}|[^\S ]|^ | $/;

/** Punctuation that begins no line. */
const closing = /^[，。、．：；！？」』）】》〉〕］｝…]/u;

/**
 * Breaks a line into lines of at most so many columns, at spaces where it can. Scripts that write without spaces break
 * between any two characters. A word that is longer than a line begins a new one and breaks at a sign in it, or
 * anywhere. `width` is at least 2, so that any character fits. White space is a single space afterwards.
 */
export function wrapLine(text: string, width: number): readonly string[] {
  if (!folds.test(text) && displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const append = (piece: string, gap: string): void => {
    const columns = displayWidth(piece);
    if (line !== "" && used + gap.length + columns > width) {
      lines.push(line);
      line = "";
      used = 0;
    }
    const space = line === "" ? "" : gap;
    line += space + piece;
    used += space.length + columns;
  };
  for (const word of wordsOf(text)) {
    const pieces = piecesOf(word, width);
    if (pieces.length > 1 && !isWide(word) && line !== "") {
      lines.push(line);
      line = "";
      used = 0;
    }
    pieces.forEach((piece, at) => append(piece, at === 0 ? " " : ""));
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}

/** Columns of the widest word, which a line should have so that none is broken. */
export function longestWord(text: string): number {
  return widest(wordsOf(text).flatMap((word) => (isWide(word) ? clustersOf(word) : [word])));
}

/** The same, where a name may be broken at its signs. */
export function longestPart(text: string): number {
  return widest(wordsOf(text).flatMap((word) => (isWide(word) ? clustersOf(word) : word.split(softBreak))));
}

function widest(pieces: readonly string[]): number {
  return Math.max(0, ...pieces.map(displayWidth));
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** What may stand on lines of its own: the word, or parts of it where it is too long or has no spaces. */
function piecesOf(word: string, width: number): readonly string[] {
  if (!isWide(word) && displayWidth(word) <= width) return [word];
  const parts = isWide(word) ? clustersOf(word) : word.split(softBreak);
  return parts.flatMap((part) => (displayWidth(part) <= width ? [part] : graphemesOf(part)));
}

/** Each wide character by itself, with the punctuation behind it; what is not wide stays together. */
function clustersOf(word: string): readonly string[] {
  const clusters: string[] = [];
  for (const character of graphemesOf(word)) {
    const before = clusters.at(-1);
    const joins = before !== undefined && (closing.test(character) || !(isWide(character) || isWide(before)));
    if (joins) clusters[clusters.length - 1] = before + character;
    else clusters.push(character);
  }
  return clusters;
}
