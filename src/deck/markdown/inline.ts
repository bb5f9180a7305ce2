import type { Token, Tokens } from "marked";
import { endOfAddress } from "../../domain/address.ts";
import { characterBefore } from "../../domain/markdown/characters.ts";
import { isShownBackslash } from "../../domain/markdown/escapes.ts";
import { isNote } from "../../domain/markdown/lines.ts";
import { isMeantTarget } from "../../domain/markdown/links.ts";
import { applyRun, type Opener, type Pair } from "../../domain/markdown/pairs.ts";
import { footnoteMark, withFootnoteMarks, withoutLineTags } from "../../domain/markdown/words.ts";

/**
 * Finds what marked's own reading has left as text: styles, bare addresses, notes and backslashes. Takes back the
 * links that were none. All of it is decided by what stands around a mark, so the tokens of a whole block are needed.
 */
export function readInline(tokens: readonly Token[], { inLink } = { inLink: false }): Token[] {
  const parts = partsOf(withoutFalseLinks(tokens));
  const source = parts.map(({ raw }) => raw).join("");
  const pieces = inLink ? parts : parts.flatMap((part) => withAddresses(part, source));
  return nest(pieces, pairsOf(pieces, source)).map(finish);
}

/** A stretch of a block's text: a token that stays as it is, or text that may hold marks. */
interface Part {
  readonly raw: string;
  readonly start: number;
  readonly token?: Token;
}

/** `a[i](x)` is no link: its brackets are text, and its words are what they are without it. */
function withoutFalseLinks(tokens: readonly Token[]): readonly Token[] {
  let before = "";
  return tokens.flatMap((token) => {
    const last = characterBefore(before, before.length);
    before = token.raw;
    if (token.type !== "link" && token.type !== "image") return [token];
    const { raw, href, tokens: words } = token as Tokens.Link | Tokens.Image;
    if (!raw.endsWith(")") || isMeantTarget(href, last)) return [token];
    const opening = token.type === "image" ? "![" : "[";
    const label = words.map((word) => word.raw).join("");
    if (!raw.startsWith(`${opening}${label}](`)) return [textOf(raw)];
    return [textOf(opening), ...words, textOf(raw.slice(opening.length + label.length))];
  });
}

function partsOf(tokens: readonly Token[]): readonly Part[] {
  const source = tokens.map(({ raw }) => raw).join("");
  const parts: Part[] = [];
  let start = 0;
  for (const token of tokens) {
    const { type, raw } = token;
    if (type === "text") parts.push(...withLineBreaks(source, start, raw));
    else if (type === "escape")
      parts.push({ raw, start, token: escaped(token as Tokens.Escape, source, start) });
    else parts.push({ raw, start, token: withReadWords(token) });
    start += raw.length;
  }
  return parts;
}

/** A backslash at a line's end that breaks the line is not to be seen. */
function withLineBreaks(source: string, start: number, raw: string): readonly Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const { index } of raw.matchAll(/\\\n/g)) {
    if (isShownBackslash(source, start + index)) continue;
    parts.push({ raw: raw.slice(done, index), start: start + done });
    parts.push({ raw: "\\", start: start + index, token: { ...textOf("\\"), text: "" } });
    done = index + 1;
  }
  return [...parts, { raw: raw.slice(done), start: start + done }];
}

function escaped({ raw, text }: Tokens.Escape, source: string, at: number): Token {
  return { ...textOf(raw), text: isShownBackslash(source, at) ? raw : text };
}

function withReadWords(token: Token): Token {
  if (token.type !== "link") return token;
  const link = token as Tokens.Link;
  // `[1]` is how sources are cited, also without a link.
  const words = /^\[\d+\]$/.test(link.raw) ? [textOf(link.raw)] : link.tokens;
  return { ...link, tokens: readInline(words, { inLink: true }) };
}

function withAddresses(part: Part, source: string): readonly Part[] {
  if (part.token !== undefined) return [part];
  const end = part.start + part.raw.length;
  const parts: Part[] = [];
  let done = part.start;
  const textUntil = (until: number): void => {
    if (until > done) parts.push({ raw: source.slice(done, until), start: done });
  };
  for (const { index } of part.raw.matchAll(/https?:\/\/|www\./gi)) {
    const at = part.start + index;
    const behind = at < done ? undefined : endOfAddress(source, at);
    if (behind === undefined || behind > end) continue;
    textUntil(at);
    const raw = source.slice(at, behind);
    parts.push({ raw, start: at, token: linkOf(raw) });
    done = behind;
  }
  textUntil(end);
  return parts;
}

function linkOf(raw: string): Tokens.Link {
  const href = /^www\./i.test(raw) ? `http://${raw}` : raw;
  return { type: "link", raw, text: raw, href, title: null, autolink: true, tokens: [textOf(raw)] };
}

function pairsOf(parts: readonly Part[], source: string): readonly Pair[] {
  let open: readonly Opener[] = [];
  return parts.flatMap(({ raw, start, token }) => {
    if (token !== undefined) return [];
    return [...raw.matchAll(/\*+|_+|~+/g)].flatMap(({ index, 0: run }) => {
      const applied = applyRun(open, source, start + index, start + index + run.length);
      open = applied.open;
      return applied.pairs;
    });
  });
}

interface Mark {
  readonly at: number;
  readonly pair: Pair;
  readonly isOpening: boolean;
}

/** Puts the parts into their styles. */
function nest(parts: readonly Part[], pairs: readonly Pair[]): Token[] {
  const marks: readonly Mark[] = pairs
    .flatMap((pair) => [
      { at: pair.open, pair, isOpening: true },
      { at: pair.close, pair, isOpening: false },
    ])
    .sort((one, other) => one.at - other.at);
  const levels: Token[][] = [[]];
  const write = (token: Token): void => void levels.at(-1)?.push(token);
  let next = 0;
  for (const { raw, start, token } of parts) {
    let done = start;
    for (let mark = marks[next]; mark !== undefined && mark.at < start + raw.length; mark = marks[next]) {
      if (mark.at > done) write(textOf(raw.slice(done - start, mark.at - start)));
      if (mark.isOpening) levels.push([]);
      else {
        const inside = levels.pop() ?? [];
        write(styled(mark.pair, inside));
      }
      done = mark.at + mark.pair.length;
      next += 1;
    }
    if (token !== undefined) write(token);
    else if (done < start + raw.length) write(textOf(raw.slice(done - start)));
  }
  return levels[0] ?? [];
}

function styled({ mark, length }: Pair, tokens: Token[]): Token {
  const inside = tokens.map(({ raw }) => raw).join("");
  const marks = mark.repeat(length);
  const type = mark === "~" ? "del" : length === 2 ? "strong" : "em";
  return { type, raw: `${marks}${inside}${marks}`, text: inside, tokens };
}

function finish(token: Token, at: number): Token {
  if (token.type === "text") {
    const { text } = token as Tokens.Text;
    return { ...token, text: withoutLineTags(withFootnoteMarks(at === 0 ? withNotes(text) : text), "\n") };
  }
  if (!["strong", "em", "del"].includes(token.type)) return token;
  const { tokens = [] } = token as Tokens.Generic;
  return { ...token, tokens: tokens.map((inner) => finish(inner, -1)) };
}

/** A block that begins with a note: the mark, and the note's words without the colon. */
function withNotes(text: string): string {
  if (!isNote(text, text.search(/[^ ]|$/))) return text;
  return text.replace(
    /^ {0,3}\[\^([^\]\s]+)\]:(?:[ \t]+|$)/gm,
    (_, label: string) => `${footnoteMark(label)} `,
  );
}

function textOf(raw: string): Tokens.Text {
  return { type: "text", raw, text: raw, escaped: false };
}
