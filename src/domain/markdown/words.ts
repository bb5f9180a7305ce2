/** How a footnote's mark reads, in the text and at the note itself: numbers in brackets, names as they were written. */
export function footnoteMark(label: string): string {
  return /^\d{1,4}$/.test(label) ? `[${label}]` : `[^${label}]`;
}

/**
 * Numbered footnote marks read the same before their note has arrived as after. With a quantifier behind it, it is
 * a set of characters in a pattern.
 */
export function withFootnoteMarks(text: string): string {
  return text.replace(/\[\^(\d{1,4})\](?![*+{])/g, "[$1]");
}

/** The one HTML tag that agents write to be obeyed. */
export function withoutLineTags(text: string, instead: string): string {
  return text.replace(/<br ?\/?>/gi, instead);
}
