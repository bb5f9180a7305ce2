import type { Update } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import { diskTroubleOf, diskTroubleWords } from "../domain/disk.ts";
import type { Log } from "../domain/log.ts";
import type { Backoff } from "./backoff.ts";
import { type DecidedUpdate, type TakenAs, updateChat } from "./about-update.ts";
import { isAway } from "./timing.ts";

/** From when to when Telegram answered polls, in milliseconds since 1970 and to within HEARD_EVERY. */
export interface PolledTime {
  readonly since: number;
  readonly until: number;
}

/** What the inbox needs of a store. Each call throws when the store cannot, and is durable when it returns. */
export interface UpdateStore {
  /** The updates are that bot's from now on; nothing of another's is answered any more. */
  adopt(botId: number): void;
  /** Notes the time in which Telegram was polled without a long break, in place of what was noted before. */
  heard(polled: PolledTime): void;
  /** What was noted last of this bot; undefined when nothing was. */
  polled(): PolledTime | undefined;
  /** Stores those that are not here yet, in order. Gives their numbers. */
  add(
    updates: readonly { readonly id: number; readonly chat: string | undefined; readonly body: string }[],
  ): ReadonlySet<number>;
  /** Keeps `body` in place of the one of that update. */
  replace(id: number, body: string): void;
  /** Notes that these need no more looking at. */
  spend(ids: readonly number[]): void;
  /** The bodies of those that still need looking at, in the order of their arrival. */
  unspent(): readonly string[];
  /** The bodies of these, in this order, as far as they are here. */
  bodies(ids: readonly number[]): readonly string[];
  /** Does `work` as one transaction, all of it or nothing. */
  together<Value>(work: () => Value): Value;
}

/** What came from Telegram and is evie's to answer: stored before Telegram is told that it was received. */
export interface Inbox {
  /** To be called first, with the bot's id. Throws when the store cannot. */
  adopt(botId: number): void;
  /** Whether Telegram was polled at that time, in milliseconds since 1970, as far as that is known. */
  wasPolledAt(date: number): boolean;
  /** Whether evie had been away for long when this one began: what is unspent may be too old to be answered unasked. */
  readonly wasAway: boolean;
  /**
   * Stores a batch and gives those that are new, in order. While the store cannot take it, says so and tries again; that
   * ends without a batch only when `stopped`.
   */
  keep(batch: readonly Update[], stopped: AbortSignal): Promise<readonly Update[] | undefined>;
  /** Nothing is left to do for these. When the store cannot note it, they are looked at again after a restart. */
  spend(ids: readonly number[]): void;
  /** Does what an update asks for, and spends it and others in the same transaction. Throws when the store cannot. */
  settle<Value>(work: (spend: (ids: readonly number[]) => void) => Value): Value;
  /** Keeps with an update how it is taken, so that it is taken in the same way after a restart. Throws when the store cannot. */
  decide(update: Update, as: TakenAs): void;
  /** Those that nobody has answered yet, in the order of their arrival. */
  unspent(): readonly Update[];
  /** These, in this order, as far as they are kept still. */
  recall(ids: readonly number[]): readonly Update[];
  /** Why nothing can be stored at the moment, in one sentence; undefined when it can. */
  readonly trouble: string | undefined;
}

export interface InboxOptions {
  readonly store: UpdateStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly backoff: Backoff;
  /** Called when a batch cannot be stored, with the chats that wrote it, before it is tried again. */
  readonly failed?: (error: unknown, chats: readonly string[]) => void;
}

/** Milliseconds between two notes on when Telegram answered. */
const HEARD_EVERY = 10 * 60_000;

export function createInbox({ store, clock, log, backoff, failed }: InboxOptions): Inbox {
  let trouble: string | undefined;
  let wasAway = true;
  /** The time in which evie polls, and the one before its last long break. */
  let polled: PolledTime | undefined;
  let polledBefore: PolledTime | undefined;
  let notedAt = -Infinity;

  /** Without it a restart may ask whether an old message is still meant, at the worst. */
  function noteHeard(): void {
    const date = clock.date();
    if (polled === undefined || isAway(polled.until, date)) {
      polledBefore = polled;
      polled = { since: date, until: date };
    }
    polled = { ...polled, until: date };
    if (clock.now() - notedAt < HEARD_EVERY) return;
    notedAt = clock.now();
    try {
      store.heard(polled);
    } catch (error) {
      log.warn({ err: error }, "when Telegram answered could not be noted");
    }
  }

  function parse(bodies: readonly string[]): readonly Update[] {
    return bodies.map((body) => JSON.parse(body) as Update);
  }

  return {
    adopt(botId) {
      store.adopt(botId);
      polled = store.polled();
      wasAway = isAway(polled?.until, clock.date());
    },
    wasPolledAt: (date) =>
      [polled, polledBefore].some((time) => time !== undefined && time.since <= date && date <= time.until),
    get wasAway() {
      return wasAway;
    },
    async keep(batch, stopped) {
      noteHeard();
      if (batch.length === 0) return batch;
      const rows = batch.map((update) => ({
        id: update.update_id,
        chat: updateChat(update),
        body: JSON.stringify(update),
      }));
      while (!stopped.aborted) {
        try {
          const fresh = store.add(rows);
          if (trouble !== undefined) log.info({}, "messages can be stored again");
          trouble = undefined;
          backoff.reset();
          return batch.filter(({ update_id }) => fresh.has(update_id));
        } catch (error) {
          const wait = backoff.next();
          trouble = troubleWords(error);
          log.error({ err: error, seconds: Math.round(wait / 1_000) }, `${trouble} Trying again`);
          failed?.(error, [...new Set(rows.flatMap(({ chat }) => chat ?? []))]);
          await clock.sleep(wait, stopped);
        }
      }
      return undefined;
    },
    spend(ids) {
      if (ids.length === 0) return;
      try {
        store.spend(ids);
      } catch (error) {
        log.error({ err: error, updates: ids }, "what was answered could not be noted");
      }
    },
    settle: (work) => store.together(() => work((ids) => store.spend(ids))),
    decide(update, as) {
      const decided: DecidedUpdate = { ...update, taken_as: as };
      store.replace(update.update_id, JSON.stringify(decided));
    },
    unspent: () => parse(store.unspent()),
    recall: (ids) => parse(store.bodies(ids)),
    get trouble() {
      return trouble;
    },
  };
}

function troubleWords(error: unknown): string {
  const trouble = diskTroubleOf(error);
  const { reason, advice } =
    trouble === undefined
      ? {
          reason: error instanceof Error ? error.message : String(error),
          advice: "See that the disk has room",
        }
      : diskTroubleWords(trouble, "evie's home");
  return `Messages cannot be stored (${reason}), so none is taken. ${advice}.`;
}
