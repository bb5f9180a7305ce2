import { characterBefore, isSign, wordAround } from "./characters.ts";
import { flanks } from "./emphasis.ts";
import { addressInBrackets, isMeantTarget } from "./links.ts";

/** A drive or a server at a word's start, or a backslash that stands in front of no sign. */
const path = /\\[\p{L}\p{N}]|(?:^|[^\p{L}\p{N}])\p{L}:\\|^\\\\/u;

/**
 * Tells whether the backslash at an offset is to be seen. One that keeps the sign behind it from being a mark is
 * itself a mark, and is not; all others are part of a path, a pattern, a formula or a command.
 */
export function isShownBackslash(text: string, at: number): boolean {
  const { start, end } = wordAround(text, at);
  if (path.test(text.slice(start, end))) return true;
  return !protects(text, at);
}

function protects(text: string, at: number): boolean {
  const next = text.charAt(at + 1);
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  const isFirst = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/.test(line.slice(-80));
  switch (next) {
    case "\n":
      return /[^ \t]$/.test(line);
    case "*":
    case "_":
    case "~":
      return protectsStyle(text, at);
    case "`":
      return true;
    case "#":
    case ">":
      return isFirst;
    case "-":
    case "+":
      return isFirst && /^[ \t\n-]?$/.test(text.charAt(at + 2));
    case ".":
    case ")":
      return /^[ \t>]*\d{1,9}$/.test(line) && /^[ \t\n]?$/.test(text.charAt(at + 2));
    case "|":
      return (
        /^[ \t>]*\|/.test(line) || /^\\?\|/.test(text.slice(at + 2, at + 4)) || text.charAt(at - 1) === "|"
      );
    case "[":
      return isLinkAhead(text.slice(at, at + longestLink));
    case "]":
      return isLinkAhead(`[${text.slice(at, at + longestLink)}`);
    case "!":
      return text.charAt(at + 2) === "[";
    case "<":
      return addressInBrackets(text, at + 1) !== undefined;
    case "&":
      return /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i.test(text.slice(at + 1, at + 36));
    case "$":
      return /\d/.test(text.charAt(at + 2));
    default:
      return false;
  }
}

/** Whoever writes `snake\_case` or `5 \* 3` means an escape; `¯\_(ツ)_/¯` and `.\*` mean a backslash. */
function protectsStyle(text: string, at: number): boolean {
  const before = characterBefore(text, at);
  if (!isSign(before) || /[\p{Ps}\p{Pi}*_~`"'—–-]/u.test(before)) return true;
  const bare = before + text.slice(at + 1, at + 40);
  const { opens, closes } = flanks(bare, before.length, before.length + 1);
  return opens || closes;
}

/** A link's text and address together are seldom longer. */
const longestLink = 300;

/** Whether brackets that a backslash stands in would have made a link. */
function isLinkAhead(text: string): boolean {
  const link = /^\\?\[(?:[^[\]\n\\]|\\.)*?\\?\]\([ \t]*<?([^\s()<>]*)/.exec(text);
  return link !== null && isMeantTarget(link[1] ?? "", "");
}
