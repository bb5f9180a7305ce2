import type { Message } from "../domain/events.ts";
import { bytesOf, fitMessage } from "./shorten.ts";

/** Messages that a snapshot holds, and a page; older ones are paged. */
export const SNAPSHOT_MESSAGES = 200;

/**
 * Bytes of JSON that the messages of a snapshot may have, and those of a page. A frame of them passes within the 18 s in
 * which a browser must hear something, on a line of 250 kbit/s.
 */
export const SNAPSHOT_BYTES = 512 * 2 ** 10;

/** Bytes of JSON for each of the other lists in a snapshot: tools, remarks, prompts that wait. */
export const LIST_BYTES = 64 * 2 ** 10;

/** The newest of what was said that fit into `bytes`, one at least; of one that is larger, a shortened copy. */
export interface Newest {
  readonly messages: readonly Message[];
  /** Whether older ones were left out. */
  readonly more: boolean;
}

/** Finds the newest messages that fit into a snapshot or a page; `sizeOf` gives the bytes of each, as JSON. */
export function newestWithin(
  messages: readonly Message[],
  bytes: number,
  sizeOf: (message: Message) => number = bytesOf,
): Newest {
  const last = messages.at(-1);
  if (last === undefined) return { messages, more: false };
  let first = messages.length;
  for (let left = bytes; first > 0; first -= 1) {
    const message = messages[first - 1];
    left -= message === undefined ? 0 : sizeOf(message) + 1;
    if (left < 0) break;
  }
  if (first < messages.length) return { messages: messages.slice(first), more: first > 0 };
  return { messages: [fitMessage(last, bytes)], more: messages.length > 1 };
}

/** The first of `items` that fit into `bytes` of JSON. */
export function firstWithin<Item extends object>(items: readonly Item[], bytes: number): readonly Item[] {
  let left = bytes;
  const end = items.findIndex((item) => (left -= bytesOf(item) + 1) < 0);
  return end === -1 ? items : items.slice(0, end);
}

/** The last of `items` that fit into `bytes` of JSON. */
export function lastWithin<Item extends object>(items: readonly Item[], bytes: number): readonly Item[] {
  const fitting = firstWithin(items.toReversed(), bytes);
  return fitting.length === items.length ? items : items.slice(items.length - fitting.length);
}

/** Weighs messages, each once: they are never changed. */
export function createScale(): (message: Message) => number {
  const known = new WeakMap<Message, number>();
  return (message) => {
    const size = known.get(message) ?? bytesOf(message);
    known.set(message, size);
    return size;
  };
}
