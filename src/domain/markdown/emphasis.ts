import { characterAt, characterBefore, isCjk, isLetter, isSign, isSpace, wordAround } from "./characters.ts";

/** What a run of delimiters may do. */
export interface Flanks {
  readonly opens: boolean;
  readonly closes: boolean;
}

const neither: Flanks = { opens: false, closes: false };

/**
 * Tells whether the run of `*`, `_` or `~` between two offsets may begin or end a style, by what stands around it.
 * CommonMark's rules hold, with two differences. A character of Chinese, Japanese or Korean is a word's edge. And
 * a star or an underscore that stands as in a product, a name, a path, a pattern or a formula is a sign: a style
 * that is not shown loses nothing, while a sign that is not shown changes what was said.
 */
export function flanks(text: string, start: number, end: number): Flanks {
  const sides = { before: characterBefore(text, start), after: characterAt(text, end) };
  const touching = touches(sides);
  switch (text.charAt(start)) {
    case "~":
      return end - start === 2 ? touching : neither;
    case "_":
      return isName(text, start, end) || isPartOfName(text, start, end)
        ? neither
        : ofSingle(text, start, end, sides, touching);
    default:
      return end - start === 1
        ? ofSingle(text, start, end, sides, touching)
        : ofDouble(text, start, end, sides, touching);
  }
}

interface Sides {
  readonly before: string;
  readonly after: string;
}

/** CommonMark's left-flanking and right-flanking. */
function touches({ before, after }: Sides): Flanks {
  const isEdge = (character: string): boolean => isSpace(character) || isSign(character) || isCjk(character);
  const isMark = (character: string): boolean => isSign(character) && !isCjk(character);
  return {
    opens: !isSpace(after) && (!isMark(after) || isEdge(before)),
    closes: !isSpace(before) && (!isMark(before) || isEdge(after)),
  };
}

/** One star, and any number of underscores: as often a sign as a mark. */
function ofSingle(
  text: string,
  start: number,
  end: number,
  { before, after }: Sides,
  { opens, closes }: Flanks,
): Flanks {
  if (isLetter(before) && isLetter(after)) return insideWord(text.charAt(start), { before, after });
  // `*.ts` names files, and `_a_.py` one of them; "*… and so on*" does not.
  const isPart = /^\.[\p{L}\p{N}_{]/u.test(text.slice(end, end + 3));
  return {
    opens: opens && !isPart && beginsWords(after, before) && !/^[)\]}/\\.$@&%^#]$/.test(before),
    closes:
      closes &&
      !isPart &&
      endsWords(before, after) &&
      !/^[([{/\\$@^]$/.test(after) &&
      !isCast(text, start, after),
  };
}

/** In a sentence without spaces a star may stand around a foreign word, and in front of a particle. */
function insideWord(mark: string, { before, after }: Sides): Flanks {
  if (mark === "_" || !(isCjk(before) || isCjk(after))) return neither;
  return { opens: isCjk(before) && /^\p{L}$/u.test(after) && !isCjk(after), closes: isCjk(after) };
}

/** Whether words in a style can begin with this character, behind the one before the mark. */
function beginsWords(first: string, before: string): boolean {
  if (!isSign(first)) return true;
  if (/^[)\]},;:!?/=|>，。、；：！？]$/.test(first)) return false;
  return isSpace(before) || isCjk(before) || /^[\p{Ps}\p{Pi}*_~|<>]$/u.test(before);
}

/** Whether words in a style can end with this character, in front of the one behind the mark. */
function endsWords(last: string, after: string): boolean {
  if (!isSign(last)) return true;
  if (isPair(last, after) || /^[([{<「『（《【/^=@$#&|]$/.test(last)) return false;
  return isSpace(after) || isCjk(after) || /^[\p{Pe}\p{Pf}*_~|<>.,;:!?…"']$/u.test(after);
}

/** The same sign on both sides, as in `"*"` and `-*-`. Brackets and emoji may well stand so. */
function isPair(one: string, other: string): boolean {
  return one === other && /^[!-'*-/:-@\\^-`|~]$/.test(one);
}

/** How far back the bracket is looked for that a mark stands in. */
const longestBracket = 100;

/** Whether the brackets that end behind a mark hold no other, as in `*(int*)p`: it can end nothing in them. */
function isCast(text: string, start: number, after: string): boolean {
  if (after !== ")") return false;
  let depth = 0;
  for (let at = start - 1; at >= 0 && start - at < longestBracket; at -= 1) {
    const character = text.charAt(at);
    if (character === text.charAt(start)) return false;
    if (character === "(" && depth === 0) return true;
    if (character === "(") depth -= 1;
    else if (character === ")") depth += 1;
  }
  return false;
}

/** Two stars and more: nearly always bold, except for powers, arguments and patterns of paths. */
function ofDouble(text: string, start: number, end: number, sides: Sides, { opens, closes }: Flanks): Flanks {
  const { before, after } = sides;
  const isLatin = (character: string): boolean => isLetter(character) && !isCjk(character);
  const isInside = isLatin(before) && isLatin(after);
  const isPower = /\p{N}/u.test(after)
    ? isLatin(before) || /^[)\]}]$/.test(before)
    : isInside && /\p{N}/u.test(before);
  return {
    opens: opens && !isPower && !isInside && beginsBold(text, start, sides),
    closes: closes && !isPower && endsBold(text, start, end, sides) && !isCast(text, start, after),
  };
}

function beginsBold(text: string, start: number, { before, after }: Sides): boolean {
  if (!isSign(after)) return true;
  if (isPair(before, after) || /^[)\]},;=>]$/.test(after) || /^[)\]}/.]$/.test(before)) return false;
  if (after !== "/") return true;
  // `**/health**` is a bold path, `**/*.ts` is a pattern.
  const rest = text.slice(start, wordAround(text, start).end).replace(/^\*+/, "");
  return !/\/\*|\*\.?[\p{L}\p{N}{]/u.test(rest);
}

function endsBold(text: string, start: number, end: number, { before, after }: Sides): boolean {
  if (!isSign(before)) return true;
  if (isPair(before, after) || /^[([{<「『（《【^=]$/.test(before)) return false;
  if (before !== "/") return true;
  // `**src/**` is a bold path, `src/**` is a pattern.
  return /^[\p{Ps}\p{Pi}"']*\*\*[^/*]/u.test(text.slice(wordAround(text, start).start, end));
}

/** A name is no longer than this. */
const longestName = 100;

/** Whether a run of two underscores is one end of a name, as in `__init__`. */
function isName(text: string, start: number, end: number): boolean {
  if (end - start !== 2) return false;
  const from = text.slice(start, start + longestName);
  if (/^__[a-z\d]\w*__(?!\w)/i.test(from)) return true;
  const until = text.slice(Math.max(0, end - longestName), end);
  return /(?<!\w)__[a-z\d]\w*__$/i.test(until);
}

/** Whether an underscore is one end of a name with another one in it, as in `_private_field` and `type_of_`. */
function isPartOfName(text: string, start: number, end: number): boolean {
  if (end - start !== 1) return false;
  if (/^_[a-z\d]+_[a-z\d]/i.test(text.slice(start, start + longestName))) return true;
  return /[a-z\d]_[a-z\d]+_$/i.test(text.slice(Math.max(0, end - longestName), end));
}
