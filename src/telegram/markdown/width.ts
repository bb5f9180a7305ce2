const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/*
 * Emoji, then the wide and full-width ranges of Unicode's East Asian Width. Telegram shows pictures for all emoji above
 * the first plane, also for those that Unicode calls text.
 */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u{1f300}-\u{1faff}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

const zero = /^[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u;

/** Columns that a line takes where every letter is equally wide: CJK and emoji take two. */
export function displayWidth(line: string): number {
  if (/^[\u0020-\u007e]*$/.test(line)) return line.length;
  let columns = 0;
  for (const segment of graphemesOf(line)) {
    if (isWide(segment)) columns += 2;
    else if (!zero.test(segment)) columns += 1;
  }
  return columns;
}

/** Tells whether something in the text takes two columns. */
export function isWide(text: string): boolean {
  return wide.test(text);
}

/** What a reader takes for the characters of a text. */
export function graphemesOf(text: string): readonly string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}
