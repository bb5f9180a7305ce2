import { getDefaultHighWaterMark, type Readable, setDefaultHighWaterMark } from "node:stream";
import type { Clock } from "../domain/clock.ts";

export interface PacedReading {
  /** Of a program that was started `withoutReadAhead`. */
  readonly stream: Readable;
  readonly clock: Clock;
  /** Called with what each read brought, in order. It must not throw. */
  readonly onChunk: (chunk: Buffer) => void;
}

/**
 * Milliseconds between two reads from a program that writes on and on. To be woken costs more than to read: a model
 * that says a hundred pieces in a second would keep a laptop from sleeping. Nobody sees a twentieth of a second.
 */
export const READ_EVERY = 50;

/** Reads that need not wait after a pause, so that a short exchange is as quick as the program. */
export const READS_AT_ONCE = 20;

/** Bytes that Node takes from a pipe at a time. After a read of as many, more is likely to lie there. */
const FULL_READ = 65_536;

const LINE_FEED = 0x0a;

/**
 * Reads lines as they come, but where they do not stop coming only once in READ_EVERY; meanwhile they lie in the pipe.
 * In the middle of a line nothing waits, so that a long one comes as fast as it is written; nor does it after a full
 * read, or lines whose ends fall upon its edges would come by the megabyte a second. From `hurry` on nothing waits any
 * more.
 */
export function readPaced({ stream, clock, onChunk }: PacedReading): { readonly hurry: () => void } {
  /** Until when the reads so far would have lasted, one each READ_EVERY. */
  let busyUntil = Number.NEGATIVE_INFINITY;
  let hurried = false;

  /** The stream asks the system for more only when it is told to: what it holds has been read. */
  const goOn = (): void => {
    stream.read(0);
  };

  const read = async (): Promise<void> => {
    const chunk: Buffer | null = stream.read();
    if (chunk === null) return;
    onChunk(chunk);
    if (hurried || chunk.length >= FULL_READ || chunk.at(-1) !== LINE_FEED) return goOn();
    const now = clock.now();
    busyUntil = Math.max(busyUntil, now) + READ_EVERY;
    const wait = busyUntil - now - (READS_AT_ONCE - 1) * READ_EVERY;
    if (wait > 0) await clock.sleep(wait);
    goOn();
  };

  stream.on("readable", () => void read());
  return {
    hurry: () => {
      hurried = true;
      goOn();
    },
  };
}

/**
 * Starts a program, synchronously, with pipes that are not read before somebody asks. By default Node reads 64 kB
 * ahead, and is woken for each piece of them, also when it is told to pause; a program's pipes know no other setting.
 */
export function withoutReadAhead<Started>(start: () => Started): Started {
  const usual = getDefaultHighWaterMark(false);
  setDefaultHighWaterMark(false, 0);
  try {
    return start();
  } finally {
    setDefaultHighWaterMark(false, usual);
  }
}
