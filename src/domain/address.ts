/** What a bare address of the web begins with, where no word goes on into it. */
const BEGINNING = /(?<![a-z])https?:\/\/|(?<![\p{L}\p{N}/@.:-])www\./iuy;

/**
 * A host, with a name and a port around it. Braces, `$` and `*` are what templates write for a host, which then leads
 * nowhere: what belongs to it is no markup even so.
 */
const AUTHORITY =
  /(?:[\w.~%$*+:-]+@)?(?:\[[0-9a-f:.]+\]|(?:[\p{L}\p{M}\p{N}._~%$-]|\*(?!\*)|\{[^\s{}<>"|`]*\})+)(?::[\w${}]+)?/iuy;

/** Words of another script right behind a domain, as in `https://example.com即可`: no domain mixes scripts like that. */
const GLUED = /(?<=\.[a-z]{2,24})(?!\p{Script=Latin})\p{L}.*$/iu;

/** What ends an address wherever it stands. Of other scripts, only letters and digits belong to one. */
const STOP = /[\s\p{C}<>"`|\\]|(?!\p{ASCII})[^\p{L}\p{M}\p{N}]/u;

/** Signs between two letters of one word, as in `Michelson–Morley` and `Gal·la`, and the joiners of Persian and Hindi. */
const INNER = /^[\u2010-\u2013\u00b7\u30fb\u200c\u200d]$/;

/** Marks around an address, never inside it; and the next address of a list that has no spaces. */
const AROUND = /\*\*|~~|[,;](?=https?:\/\/|www\.)/iy;

const OPENERS: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);

/** At an address's end these belong to the sentence, to the markup, or to a bracket that nobody closed. */
const SENTENCE = "?!.,:;'*_~^([{&";

/**
 * Finds where the address ends that stands in a text without any mark and begins at `from`: `https://…`, `http://…` or
 * `www.…`. Gives the offset behind it, or undefined where none begins. White space, quotation marks, angle brackets,
 * brackets that were not opened in it, `**` and signs of other scripts end an address; punctuation at its end is the
 * sentence's. Its host may be no host that exists.
 */
export function endOfAddress(text: string, from: number): number | undefined {
  const host = from + lengthAt(BEGINNING, text, from);
  const authority = text.slice(host, host + lengthAt(AUTHORITY, text, host));
  if (host === from || authority === "") return undefined;
  const domain = authority.replace(GLUED, "");
  const hostEnd = host + domain.length;
  const hasPath = domain === authority && /[/?#]/.test(text.charAt(hostEnd));
  const end = trimSentence(text, hasPath ? endOfPath(text, hostEnd, text.charAt(from - 1)) : hostEnd);
  return end > host ? end : undefined;
}

/** `before` stands in front of the address: a quotation mark or a star there is one of a pair. */
function endOfPath(text: string, from: number, before: string): number {
  const open: string[] = [];
  let at = from;
  while (at < text.length) {
    const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (STOP.test(sign) && !isInner(sign, text, at)) break;
    if (lengthAt(AROUND, text, at) > 0) break;
    if ((sign === "'" || sign === "*") && sign === before) break;
    const opener = OPENERS.get(sign);
    if (opener !== undefined && open.pop() !== opener) break;
    if (sign === "(" || sign === "[" || sign === "{") open.push(sign);
    at += sign.length;
  }
  return at;
}

function isInner(sign: string, text: string, at: number): boolean {
  return INNER.test(sign) && /^[\p{L}\p{N}]/u.test(text.slice(at + 1, at + 3));
}

function trimSentence(text: string, end: number): number {
  let at = end;
  while (at > 0 && SENTENCE.includes(text.charAt(at - 1))) {
    const reference = /&[a-z][a-z0-9]*;$/i.exec(text.slice(Math.max(0, at - 32), at))?.[0];
    at -= reference?.length ?? 1;
  }
  return at;
}

/** How much of the text the pattern takes at an offset. */
function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
