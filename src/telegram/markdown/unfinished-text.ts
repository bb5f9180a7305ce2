import { endOfAddress } from "../../domain/address.ts";
import { applyRun, type Opener } from "../../domain/markdown/pairs.ts";

/** A paragraph's text with its end, which is followed by nothing but the marks that close its styles. */
export interface Finished {
  readonly text: string;
  readonly closers: string;
}

/**
 * Ends the text of a paragraph that is still being written: styles and code are closed, an unfinished link is only
 * its text, and what may still become markup at the very end is left out until its meaning is known.
 */
export function finishText(text: string): Finished {
  return close(holdBack(text));
}

/*
 * An open escape, style, link, spoiler, character reference, tag, footnote mark or image; a star in front of a dot
 * or a slash, which may begin a pattern of files; two underscores in front of what may be a name; a number in
 * brackets, which may be a link or a source; an escaped sum of money.
 */
const undecided =
  /(?:[*_]+\.{1,2}|(?<!\S)\*\*\/\S*|(?<!\w)__\w*|(?<![\w)\]])\[\d{1,4}\]?|\\\$|\s+|[*_~`|\\[]+|&#?\w{0,8}|<\/?[a-z]{0,7}(?: ?\/?|:\/{0,2})|\[\^[^\]\s]{0,30}|(?<=^|[\s[])!)$/i;

/** More than this is not held back, however undecided it looks. */
const mostHeldBack = 64;

function holdBack(text: string): string {
  const settled = text.trimEnd();
  const from = Math.max(0, settled.length - mostHeldBack);
  let end = settled.slice(from);
  for (;;) {
    const shorter = end.replace(undecided, "");
    if (shorter === end) return (settled.slice(0, from) + end).trimEnd();
    end = shorter;
  }
}

/** What the scan passes over as a whole, because delimiters mean nothing in it. */
const opaque = /\\[!-/:-@[-`{-~]|<[a-z][a-z0-9+.-]*:[^\s<>]*>/iy;
const addressStart = /[hw]/i;
const codeRun = /`+/y;
const delimiterRun = /\*+|_+|~+/y;
/* `(url "title")` or `[name]` behind a link's text. */
const linkEnd = /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|\[[^\]]*\]/sy;

/** Further out than this, an open bracket is not taken for a link. */
const mostBrackets = 32;

interface Bracket {
  readonly at: number;
  readonly open: readonly Opener[];
}

function close(text: string): Finished {
  let open: readonly Opener[] = [];
  let brackets: readonly Bracket[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const skipped = endOfOpaque(text, at);
    if (skipped > at) {
      at = skipped;
    } else if (character === "`") {
      const ticks = match(codeRun, text, at);
      const end = endOfCode(text, at + ticks.length, ticks);
      // A space at both ends of code is not part of it.
      const space = text.charAt(at + ticks.length) === " " ? " " : "";
      if (end === -1) return closed(withoutBrackets(text, brackets) + space + ticks, open);
      at = end;
    } else if (character === "[") {
      brackets = [...brackets, { at, open }].slice(-mostBrackets);
      at += 1;
    } else if (character === "]") {
      const bracket = brackets.at(-1);
      at += 1;
      if (bracket === undefined) continue;
      const unfinished = isUnfinishedLink(text, at);
      if (unfinished && mayBeLink(text, bracket.at)) {
        return closed(withoutBrackets(text.slice(0, at - 1), brackets), open);
      }
      brackets = brackets.slice(0, -1);
      const target = match(linkEnd, text, at);
      if (target === "") continue;
      at += target.length;
      open = bracket.open;
    } else {
      const run = match(delimiterRun, text, at);
      if (run !== "") open = applyRun(open, text, at, at + run.length).open;
      at += Math.max(1, run.length);
    }
  }
  return closed(withoutBrackets(openAddress(text), brackets), open);
}

/** Two underscores begin a name more often than a style: they wait for their end. */
function closed(text: string, open: readonly Opener[]): Finished {
  const styles = open.filter(({ mark, count }) => mark !== "_" || count === 1).toReversed();
  return { text, closers: styles.map(({ mark, count }) => mark.repeat(count)).join("") };
}

function endOfOpaque(text: string, at: number): number {
  const address = addressStart.test(text.charAt(at)) ? endOfAddress(text, at) : undefined;
  return address ?? at + match(opaque, text, at).length;
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** The offset behind the run of as many backticks, or -1. */
function endOfCode(text: string, from: number, ticks: string): number {
  for (const { index, 0: run } of text.slice(from).matchAll(/`+/g)) {
    if (run === ticks) return from + index + run.length;
  }
  return -1;
}

/** Whether the text ends where a link's target would begin, or in it. */
function isUnfinishedLink(text: string, behindBracket: number): boolean {
  const next = text.charAt(behindBracket);
  if (next === "") return true;
  return (next === "(" || next === "[") && match(linkEnd, text, behindBracket) === "";
}

/** Far more brackets behind a word are indices than links. A note's mark and `[!NOTE]` are none, but an image may be one. */
function mayBeLink(text: string, at: number): boolean {
  return !/[\w)\]]/.test(text.charAt(at - 1)) && !/^(?:\^|!(?!\[))/.test(text.slice(at + 1, at + 3));
}

/** Longer texts and those of several lines are brackets in prose, not links. */
const longestLinkText = 120;

/** Takes the brackets away that most likely open a link; an image keeps its sign. */
function withoutBrackets(text: string, brackets: readonly Bracket[]): string {
  return brackets.toReversed().reduce((rest, { at }) => {
    const inner = rest.slice(at + 1);
    if (!mayBeLink(rest, at) || inner.length > longestLinkText || inner.includes("\n")) return rest;
    const image = rest.charAt(at - 1) === "!";
    return image ? `${rest.slice(0, at - 1)}🖼 ${inner}` : rest.slice(0, at) + inner;
  }, text);
}

/** An address in angle brackets that has no end yet loses the first one. */
function openAddress(text: string): string {
  return text.replace(/<(?=(?:(?:https?|ftp):\/\/|mailto:|tg:)[^\s<>]*$)/i, "");
}
