import { stripVTControlCharacters } from "node:util";
import { graphemesOf } from "../../domain/graphemes.ts";
import { clip } from "../../domain/text.ts";

/** Directions of writing, which would turn the words around a text as well. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text as one line of at most `longest` characters as people count them, without control characters. What is cut
 * ends in an ellipsis.
 */
export function oneLine(text: string, longest: number): string {
  // A character is one code unit or several; nobody makes a line of what comes after this many.
  const beginning = clip(text, longest * 20);
  const line = stripVTControlCharacters(beginning)
    .toWellFormed()
    .replace(BIDI, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  const characters = Array.from(graphemesOf(line), ({ segment }) => segment);
  if (characters.length <= longest && beginning.length === text.length) return line;
  return `${characters
    .slice(0, longest - 1)
    .join("")
    .trimEnd()}…`;
}
