/** Bytes that may wait for one client, beside those of an attach. */
export const LARGEST_BACKLOG = 8 * 2 ** 20;

/**
 * Counts what waits for one client. What it is sent in the course of an attach does not count: it asked for that, and
 * on a slow line takes its time to read it.
 */
export interface Backlog {
  /** Bytes that were handed to the connection, in order. */
  add(bytes: number): void;
  /** What `send` hands over belongs to an attach. */
  attach(send: () => void): void;
  /** Tells whether more than LARGEST_BACKLOG waits, when of all that was handed over the last `waiting` bytes are not on their way yet. */
  isTooLarge(waiting: number): boolean;
}

export function createBacklog(): Backlog {
  let handed = 0;
  /** Where the last attach lies in all that was handed over. Those before it are on their way. */
  let begin = 0;
  let end = 0;
  return {
    add(bytes) {
      handed += bytes;
    },
    attach(send) {
      begin = handed;
      end = Number.POSITIVE_INFINITY;
      send();
      end = handed;
    },
    isTooLarge(waiting) {
      const sent = handed - waiting;
      const ofAttach = Math.max(0, Math.min(end, handed) - Math.max(begin, sent));
      return waiting - ofAttach > LARGEST_BACKLOG;
    },
  };
}
