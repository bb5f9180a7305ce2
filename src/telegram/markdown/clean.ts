/* Colours, cursor moves and window titles that a terminal program wrote: CSI, then OSC and its kin, then two-byte escapes. */
const escapes =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\n\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-OQ-WYZ\\`-~]/g;

/* Every control but tab and line feed, the byte order mark, and the directional overrides that Telegram removes itself. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff\u202a-\u202e]/g;

/** The start of an escape sequence whose end has not arrived. */
// oxlint-disable-next-line no-control-regex
const openEscape = /(?:\u001b|\u009b)[^\n]{0,100}$/;

/** A letter with a ring of its own, as in names of files on a Mac. Telegram removes the ring, and å would be a. */
const ringed = /\p{L}\p{M}*\u030a/gu;

/** Marks where a line of raw markdown ends. Cleaning keeps the number of lines. */
export const lineEnd = /\r\n|\r|\n|\u2028|\u2029/g;

/**
 * Markdown without what Telegram refuses, removes or shows as rubbish: controls, terminal escapes, lone surrogates.
 * Lines end in `\n`. Tabs stay, because they mean something to markdown.
 */
export function cleanMarkdown(raw: string): string {
  return raw
    .replace(lineEnd, "\n")
    .replace(escapes, "")
    .replace(controls, "")
    .replace(ringed, (letter) => letter.normalize("NFC"))
    .toWellFormed();
}

/** The same for an answer that still grows: half a character or half an escape sequence at its end waits for the rest. */
export function cleanOpenMarkdown(raw: string): string {
  const settled = raw
    .replace(/[\ud800-\udbff]$/, "")
    .replace(escapes, (sequence) => "\u0000".repeat(sequence.length))
    .replace(openEscape, "");
  return cleanMarkdown(settled);
}

/** A piece of parsed text as it can stand in a message. Character references can bring controls and tabs back. */
export function cleanText(text: string): string {
  return text.replace(lineEnd, "\n").replaceAll("\t", " ").replace(controls, "").toWellFormed();
}

/** The same for code, where a tab is worth four columns. */
export function cleanCode(code: string): string {
  return cleanText(code.replaceAll("\t", "    "));
}
