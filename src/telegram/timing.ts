import type { ChatPlace } from "../domain/ids.ts";

/** Milliseconds of quiet after which a burst is flushed. It follows Telegram's clients, not anybody's taste, so it is no setting. */
export const DEBOUNCE_WINDOW = 500;

/** Milliseconds after a flush in which the rest of an album or of a cut paste still belongs to it. */
export const LATE_PIECE = 10_000;

/** A message that is older than so many milliseconds, since evie was away, is not answered before its author says so. */
export const AGED_AFTER = 6 * 3_600_000;

/**
 * Tells whether evie was away for so long that a message may have grown old: Telegram last answered at `heardAt`, on
 * this machine's clock, and it is `date` now. True where nobody knows, or where the clock was set far back.
 */
export function isAway(heardAt: number | undefined, date: number): boolean {
  return heardAt === undefined || Math.abs(date - heardAt) > AGED_AFTER;
}

/** Milliseconds between two edits of a streaming answer in a private chat; Telegram tolerates about one call a second. */
export const EDIT_THROTTLE = 1_000;

/** The same in a group, where Telegram tolerates about twenty calls a minute. */
export const GROUP_EDIT_THROTTLE = 3_000;

/** After so long a turn's edits come half as often: nobody watches each word of a long answer. */
export const EDIT_SLOWDOWN_AFTER = 60_000;

/** A turn that took longer ends with a message that rings: edits do not, and the person may have gone. */
export const RING_AFTER = 30_000;

/** Milliseconds between two "typing" signs; a client shows one for five seconds. */
export const TYPING_REFRESH = 4_000;

/** Milliseconds between two edits of a turn that has run for `elapsed` milliseconds. Groups have negative ids. */
export function editThrottle({ chatId }: ChatPlace, elapsed: number): number {
  const throttle = chatId < 0 ? GROUP_EDIT_THROTTLE : EDIT_THROTTLE;
  return elapsed < EDIT_SLOWDOWN_AFTER ? throttle : 2 * throttle;
}
