/** A run of `*`, `_` or `~` that may begin a style. */
export interface Opener {
  readonly mark: string;
  readonly count: number;
  /** The length of the run as it was written, and whether it could have closed a style too. */
  readonly written: number;
  readonly both: boolean;
}

/** Deeper nesting is no style but a pattern of stars, and closing it would take long. */
const deepest = 32;

/**
 * What stands open behind one more run of delimiters, by CommonMark's rules: the run first closes what it can, from
 * the inside out, and what is left of it may open a style. `before` and `after` are the characters around it.
 */
export function applyRun(
  open: readonly Opener[],
  run: string,
  before: string,
  after: string,
): readonly Opener[] {
  const mark = run.charAt(0);
  const { opens, closes } = flanking(mark, before, after);
  if (mark === "~" && run.length !== 2) return open;
  const written = run.length;
  let stack = open;
  let left = written;
  for (;;) {
    const at = closes && left > 0 ? stack.findLastIndex((opener) => matches(opener, run, opens)) : -1;
    const opener = stack[at];
    if (opener === undefined) break;
    const used = opener.count >= 2 && left >= 2 ? 2 : 1;
    const rest = opener.count - used;
    stack = [...stack.slice(0, at), ...(rest > 0 ? [{ ...opener, count: rest }] : [])];
    left -= used;
  }
  return opens && left > 0 && stack.length < deepest
    ? [...stack, { mark, count: left, written, both: closes }]
    : stack;
}

/** What closes everything that stands open. */
export function closersOf(open: readonly Opener[]): string {
  return open
    .toReversed()
    .map(({ mark, count }) => mark.repeat(count))
    .join("");
}

function matches(opener: Opener, run: string, opens: boolean): boolean {
  const written = run.length;
  if (opener.mark !== run.charAt(0)) return false;
  if (opener.mark === "~") return true;
  const ambiguous = opener.both || opens;
  return (
    !ambiguous || (opener.written + written) % 3 !== 0 || (opener.written % 3 === 0 && written % 3 === 0)
  );
}

function flanking(mark: string, before: string, after: string): { opens: boolean; closes: boolean } {
  const left = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const right = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  if (mark !== "_") return { opens: left, closes: right };
  return {
    opens: left && (!right || isPunctuation(before)),
    closes: right && (!left || isPunctuation(after)),
  };
}

function isSpace(character: string): boolean {
  return character === "" || /\s/.test(character);
}

function isPunctuation(character: string): boolean {
  return /[\p{P}\p{S}]/u.test(character);
}
