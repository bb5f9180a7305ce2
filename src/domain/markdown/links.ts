import { isCjk, isLetter } from "./characters.ts";

const address = /^(?:https?:\/\/|mailto:|tg:|ftp:\/\/|www\.)/i;

/**
 * Tells whether `[words](target)` means a link: the target is an address, or could be a path or a section. Behind a
 * letter or a bracket it is an index or a call, as in `handlers[type](event)`, unless the target is an address. A
 * scheme with nothing behind it is a name between colons, as in `:smile:`.
 * `before` is the character in front of the bracket.
 */
export function isMeantTarget(target: string, before: string): boolean {
  if (address.test(target)) return true;
  const isIndexed = (isLetter(before) && !isCjk(before)) || /^[_)\]]$/.test(before);
  return !isIndexed && /^[a-z][a-z\d+.-]+:[^:]|[/.#]/i.test(target);
}

/**
 * Tells whether `[name]: target` at an offset gives a link's name a target. `[WIP]: done` does not, nor does a note's
 * mark.
 */
export function isDefinition(text: string, at: number): boolean {
  const named = /\[(?!\^)(?:[^[\]\\]|\\.){1,999}\]:[ \t]*(?:\n[ \t]*)?<?([^\s<>]+)/sy;
  named.lastIndex = at;
  const target = named.exec(text)?.[1];
  return target !== undefined && isMeantTarget(target, "");
}

/**
 * The offset behind an address in angle brackets that begin at an offset. Every other text in angle brackets is a
 * type, a tag or a mailbox, whose brackets are to be seen.
 */
export function addressInBrackets(text: string, at: number): number | undefined {
  const bracketed = /<(?:https?:\/\/|mailto:|tg:|ftp:\/\/)[^\s<>]*>/iy;
  bracketed.lastIndex = at;
  return bracketed.test(text) ? bracketed.lastIndex : undefined;
}
