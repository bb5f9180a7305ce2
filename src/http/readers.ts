/** Somebody who reads what they are sent, and may be slow. */
export interface Reader {
  /** Bytes that were handed over for this one and are not on their way yet. */
  readonly waiting: () => number;
  /** Says why, and ends the connection: what waits for this one is let go of soon. It must not throw. */
  readonly close: () => void;
}

/** All who read, whichever way they are connected. */
export interface Readers {
  /** Returns what has to be told of it: that more is about to be handed over, and that it has gone. */
  add(reader: Reader): { readonly hands: (bytes: number) => void; readonly remove: () => void };
}

/** Bytes that may wait for all readers together, those of attaches included. */
export const LARGEST_SUM = 64 * 2 ** 20;
/** Bytes that are handed over between two looks: to ask every reader at each piece would cost more than the pieces. */
const LOOK_EVERY = 2 ** 20;

/**
 * Keeps what waits for slow readers within a bound for the whole: each of them may be slow within its own, and a hundred
 * of those would take the machine's memory. The one for whom most waits is closed first.
 */
export function createReaders(largestSum: number = LARGEST_SUM): Readers {
  const readers = new Set<Reader>();
  let handed = 0;

  function look(): void {
    const all = [...readers].map((reader) => ({ reader, waiting: reader.waiting() }));
    let sum = all.reduce((bytes, { waiting }) => bytes + waiting, 0);
    for (const { reader, waiting } of all.toSorted((one, other) => other.waiting - one.waiting)) {
      if (sum <= largestSum) return;
      sum -= waiting;
      readers.delete(reader);
      reader.close();
    }
  }

  return {
    add(reader) {
      readers.add(reader);
      return {
        hands(bytes) {
          handed += bytes;
          if (handed < LOOK_EVERY) return;
          handed = 0;
          look();
        },
        remove: () => void readers.delete(reader),
      };
    },
  };
}
