import { parseWithinLevels } from "../domain/levels.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BRACE = 0x7b;

/**
 * Bytes of one line, at the most. Records are as long as their pictures (pi: several of 4.5 MB in one line); this
 * only keeps a program that never ends its line from filling the memory.
 */
const LONGEST_RECORD = 256 * 2 ** 20;

/** Bytes that are kept of a line that cannot be a record, because it does not begin as one. */
const LONGEST_RUBBISH = 64 * 2 ** 10;

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /** Takes what the stream brought; a line may come in any number of pieces, cut anywhere, inside a character too. */
  push(chunk: Buffer): void;
  /** The stream has ended: what is left over is its last line. */
  end(): void;
}

/**
 * Calls `onLine` for each line, without its end, in order; blank lines are left out. Only LF ends a line (a CR before
 * it is dropped): JSON strings may hold U+2028 and U+2029 as they are, which is why this is not `node:readline`. Of a
 * line that is too long to be one only the beginning comes, which then does not parse.
 */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  let pieces: Buffer[] = [];
  let size = 0;

  const take = (piece: Buffer): void => {
    const limit = (pieces[0] ?? piece)[0] === BRACE ? LONGEST_RECORD : LONGEST_RUBBISH;
    if (size < limit) {
      pieces.push(piece);
      size += piece.length;
    } else if (pieces.length > 1) {
      // It is lost already; holding all of it would only be a second disaster.
      pieces = pieces.slice(0, 1);
    }
  };

  const say = (bytes: Buffer, start: number, feed: number): void => {
    const end = bytes[feed - 1] === CARRIAGE_RETURN ? feed - 1 : feed;
    if (end > start) onLine(bytes.toString("utf8", start, end));
  };

  const finish = (): void => {
    const bytes = Buffer.concat(pieces);
    pieces = [];
    size = 0;
    say(bytes, 0, bytes.length);
  };

  return {
    push: (chunk) => {
      let start = 0;
      for (;;) {
        const feed = chunk.indexOf(LINE_FEED, start);
        if (feed === -1) break;
        if (pieces.length === 0) {
          say(chunk, start, feed);
        } else {
          take(chunk.subarray(start, feed));
          finish();
        }
        start = feed + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
    },
    end: finish,
  };
}

/** The object that a line holds, without what nests too deeply in it; undefined when it is not JSON, or JSON of something else. */
export function parseRecord(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseWithinLevels(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
