import type { Update } from "grammy/types";
import type { Clock } from "../../domain/clock.ts";
import type { ChatPlace } from "../../domain/ids.ts";
import type { Log } from "../../domain/log.ts";
import { judgeOrigin } from "./origin.ts";

/** Milliseconds for which a stranger is remembered, and not greeted again. */
const REMEMBERED = 60 * 60_000;
/** Strangers that are remembered; the oldest is forgotten for a new one. */
const MOST_REMEMBERED = 5_000;
/** Milliseconds between two lines in the log. */
const LOGGED_EVERY = 60_000;
/** Ids that one line in the log names. */
const NAMED = 5;

export interface StrangersOptions {
  readonly isAllowed: (userId: number) => boolean;
  readonly greet: (place: ChatPlace, userId: number) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends what waits. */
  readonly closed: AbortSignal;
}

/**
 * Turns away what comes from people and places that are not allowed, before anything of it is stored. Of a stranger only
 * the id and a count are kept, for an hour, in memory.
 */
export class Strangers {
  readonly #options: StrangersOptions;
  /** Since when each is known, the oldest first. */
  readonly #known = new Map<number, number>();
  #isQuiet = false;
  /** What was turned away since the last line in the log, and how many of it each stranger wrote. */
  #messages = 0;
  #others = 0;
  readonly #writers = new Map<number, number>();

  constructor(options: StrangersOptions) {
    this.#options = options;
  }

  /** Returns those of a batch that are for evie, in order. */
  turnAway(batch: readonly Update[]): readonly Update[] {
    const through = batch.filter((update) => {
      const judged = judgeOrigin(update, this.#options.isAllowed);
      if (judged.type === "allowed") return true;
      if (judged.type === "ignored") this.#others += 1;
      else if (judged.isNew) this.#note(judged.place, judged.userId);
      else this.#messages += 1;
      return false;
    });
    this.#logSoon();
    return through;
  }

  #note(place: ChatPlace, userId: number): void {
    const { clock, greet } = this.#options;
    const now = clock.now();
    this.#forget(now);
    this.#messages += 1;
    const written = this.#writers.get(userId);
    if (written !== undefined || this.#writers.size < MOST_REMEMBERED) {
      this.#writers.set(userId, (written ?? 0) + 1);
    }
    if (this.#known.has(userId)) return;
    this.#known.set(userId, now);
    greet(place, userId);
  }

  #forget(now: number): void {
    for (const [userId, since] of this.#known) {
      if (now - since < REMEMBERED && this.#known.size < MOST_REMEMBERED) return;
      this.#known.delete(userId);
    }
  }

  /** Logs the first at once, for whoever sets evie up, and what comes within the next minute in one line. */
  #logSoon(): void {
    if (this.#isQuiet || this.#messages + this.#others === 0) return;
    const { clock, log, closed } = this.#options;
    const users = [...this.#writers].slice(0, NAMED).map(([user, messages]) => ({ user, messages }));
    log.warn(
      { messages: this.#messages, strangers: this.#writers.size, users, others: this.#others },
      "messages from people or places that are not allowed were turned away",
    );
    this.#messages = 0;
    this.#others = 0;
    this.#writers.clear();
    this.#isQuiet = true;
    void clock.sleep(LOGGED_EVERY, closed).then(() => {
      this.#isQuiet = false;
      if (!closed.aborted) this.#logSoon();
    });
  }
}
