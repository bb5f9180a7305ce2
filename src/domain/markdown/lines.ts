/*
 * What the marks at the start of a line mean, each asked at the offset of the mark itself, behind indentation and
 * the marks of quotes and lists around it.
 */

const rule = /(?:-{3,}|\*{3}|_{3}|-[ \t]-[ \t]-|\*[ \t]\*[ \t]\*|_[ \t]_[ \t]_)[ \t]*(?=\n|$)/y;

/** A line across the page. Other rows of stars and underscores are a blank to fill in, a password, a cron line. */
export function isRule(text: string, at: number): boolean {
  return matches(rule, text, at);
}

const heading = /#{1,6}[ \t](?![ \t]*of[ \t])[# \t]*[^#\s]/y;

/** A heading has words; `# of items` is a number of items. */
export function isHeading(text: string, at: number): boolean {
  return matches(heading, text, at);
}

const quote = />>?(?=[ \t\n]|$)|>(?=[ \t])/y;

/** A quote's mark stands apart from the words. `>5` compares, `>>> ` is a prompt. */
export function isQuote(text: string, at: number): boolean {
  return matches(quote, text, at);
}

const bullet =
  /(?![*+-][ \t]+[*+-](?:[ \t]|\n|$))(?!\*(?:[ \t]+[\d*,/-]+){4}(?:[ \t]|\n|$))[*+-](?=[ \t\n]|$)/y;
const number = /(?:0|[1-9]\d{0,2})[.)](?=[ \t\n]|$)/y;

/**
 * An item of a list. Marks behind one another are a cron line or a drawing; a plus at a line's very start is
 * a sum or an added line, and a dash above or below it a removed one; a number of four digits is a year.
 */
export function isItem(text: string, at: number): boolean {
  const isFirst = at === 0 || text.charAt(at - 1) === "\n";
  if (isFirst && (text.charAt(at) === "+" || isRemoved(text, at))) return false;
  return matches(bullet, text, at) || matches(number, text, at);
}

function isRemoved(text: string, at: number): boolean {
  if (text.charAt(at) !== "-") return false;
  const end = text.indexOf("\n", at);
  const above = text.lastIndexOf("\n", at - 2) + 1;
  return (end !== -1 && text.startsWith("+ ", end + 1)) || (at > 0 && text.startsWith("+ ", above));
}

const fence = /`{3,}|~{3,4}(?!~)[^~\n]*(?=\n|$)/y;

/** The line that opens a code block. A long row of tildes underlines something. */
export function isFence(text: string, at: number): boolean {
  return matches(fence, text, at);
}

const note = /\[\^[^\]\s]+\]:(?=[ \t\n]|$)/y;

/** The mark of a footnote in front of its words. */
export function isNote(text: string, at: number): boolean {
  return matches(note, text, at);
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
