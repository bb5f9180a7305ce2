import { flanks } from "./emphasis.ts";

/** A run of `*`, `_` or `~` that may begin a style. */
export interface Opener {
  readonly mark: string;
  /** Where it stands, and how many of its characters no style has used yet. */
  readonly start: number;
  readonly count: number;
  /** Whether it could have closed a style too. */
  readonly both: boolean;
}

/** A style: the offsets of the marks around it, and how many characters each of the two has. */
export interface Pair {
  readonly mark: string;
  readonly length: 1 | 2;
  readonly open: number;
  readonly close: number;
}

export interface Applied {
  /** What stands open behind the run. */
  readonly open: readonly Opener[];
  /** The styles that the run ends, from the inside out. */
  readonly pairs: readonly Pair[];
}

/** Deeper nesting is no style but a pattern of stars, and closing it would take long. */
const deepest = 32;

/**
 * Reads one more run of delimiters, by CommonMark's rules: it first closes what it can, from the inside out, and what
 * is left of it may open a style.
 */
export function applyRun(open: readonly Opener[], text: string, start: number, end: number): Applied {
  const { opens, closes } = flanks(text, start, end);
  const run = { mark: text.charAt(start), opens };
  const { stack, pairs, at } = closes ? close(open, run, start, end) : { stack: open, pairs: [], at: start };
  if (!opens || at === end || stack.length >= deepest) return { open: stack, pairs };
  const opener = { mark: run.mark, start: at, count: end - at, both: closes };
  return { open: [...stack, opener], pairs };
}

interface Closed {
  readonly stack: readonly Opener[];
  readonly pairs: readonly Pair[];
  /** Where what the closed styles have not used of the run begins. */
  readonly at: number;
}

function close(open: readonly Opener[], run: Run, start: number, end: number): Closed {
  const pairs: Pair[] = [];
  let stack = open;
  let at = start;
  while (at < end) {
    const index = stack.findLastIndex((opener) => matches(opener, run, end - at));
    const opener = stack[index];
    if (opener === undefined) break;
    const length = opener.count >= 2 && end - at >= 2 ? 2 : 1;
    const count = opener.count - length;
    pairs.push({ mark: run.mark, length, open: opener.start + count, close: at });
    stack = [...stack.slice(0, index), ...(count > 0 ? [{ ...opener, count }] : [])];
    at += length;
  }
  return { stack, pairs, at };
}

interface Run {
  readonly mark: string;
  readonly opens: boolean;
}

/** `left` is how much of the run no style has used yet, as micromark counts it. */
function matches({ mark, count, both }: Opener, run: Run, left: number): boolean {
  if (mark !== run.mark) return false;
  if (mark === "~" || !(both || run.opens)) return true;
  return left % 3 === 0 || (count + left) % 3 !== 0;
}
