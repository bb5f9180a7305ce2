/**
 * The words that evie's labels begin with, in small letters. A label is a line in brackets that tells the agent what is not
 * a person's own word: where a text comes from, where a file is.
 */
const BEGINNINGS: readonly string[] = [
  "file ",
  "the file of ",
  "picture ",
  "the pictures that ",
  "forwarded from ",
  "in reply to ",
  "reply to ",
  "quoting",
  "the author has changed ",
  "this continues ",
  "this is asked ",
  "a message of the chat ",
];

/** What ends a line for some reader or other. */
const BREAK = /(\r\n|[\n\v\f\r\u0085\u2028\u2029])/;
/** A bracket, in any of its forms, behind nothing that can be seen. */
const BRACKET = /^[\s\p{Cf}\p{Cc}\p{Mn}\u2800\u3164]*(?=[[［【〔⟦﹝⁅❲])/u;
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Mn}\u2800\u3164]+/gu;

/** Whether a line reads like one of evie's labels, also where white space, invisible characters or letters of another form hide that. */
export function isLabel(line: string): boolean {
  const before = BRACKET.exec(line);
  if (before === null) return false;
  const words = line.slice(before[0].length + 1).normalize("NFKC");
  const plain = words.replace(/\s+/gu, " ").replace(INVISIBLE, "").replace(/ +/g, " ").trimStart();
  const start = plain.slice(0, LONGEST_BEGINNING).toLowerCase();
  return BEGINNINGS.some((beginning) => start.startsWith(beginning));
}

const LONGEST_BEGINNING = Math.max(...BEGINNINGS.map(({ length }) => length));

/**
 * Returns a text from outside with a backslash in front of each bracket that would begin one of evie's labels. So whoever
 * writes or forwards it can tell the agent of no file and no sender in evie's name. Any other text is returned unchanged.
 */
export function escapeLabels(text: string): string {
  const lines = text.split(BREAK);
  if (!lines.some(isLabel)) return text;
  return lines.map((line) => (isLabel(line) ? escaped(line) : line)).join("");
}

function escaped(line: string): string {
  const at = BRACKET.exec(line)?.[0].length ?? 0;
  return `${line.slice(0, at)}\\${line.slice(at)}`;
}
