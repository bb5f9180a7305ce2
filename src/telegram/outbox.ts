import type { Clock } from "../domain/clock.ts";
import type { ChatPlace } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Backoff } from "./backoff.ts";
import type { Budget } from "./budget.ts";
import type { Answer, Call, PerformCall } from "./calls.ts";
import type { FormattedText } from "./entities.ts";

/** How much something matters: sends and finals before edits, and a sign of life last. */
export type Urgency = "message" | "edit" | "typing";

export interface Wish {
  readonly urgency: Urgency;
  /** Not before this moment, in the clock's milliseconds. */
  readonly at: number;
}

/** Somebody who wants to speak in a chat. It is asked for its words only when its turn comes, so they are the newest. */
export interface Speaker {
  readonly place: ChatPlace;
  /** What it would say, and from when on. Cheap: it is asked often. */
  wishes(now: number): readonly Wish[];
  /** What it says now. Undefined declines, and then the wish must be gone or later. */
  speak(urgency: Urgency, now: number): Call | undefined;
  /** What became of its call. Not told of what is simply tried again: a rest, an outage. */
  heard(call: Call, answer: Answer): void;
  /** True once it will never speak again. */
  readonly finished: boolean;
}

export interface Reply {
  readonly place: ChatPlace;
  readonly content: FormattedText;
  readonly replyTo?: number;
}

/** One chat's way out: everything that evie does there passes here, one call at a time. */
export interface Outbox {
  /** A command's reply, or another line of evie's own. Before everything else, in order. */
  reply(reply: Reply): void;
  /** Lets a speaker speak after those that joined before it in the same thread have finished. */
  join(speaker: Speaker): void;
  /** Says that a wish has changed. */
  wake(): void;
  /** The chat wrote: a block is over. */
  revive(): void;
  /** Resolves when nothing is left to say. */
  idle(): Promise<void>;
  /** Ends it: what waits is dropped. */
  close(): void;
}

export interface OutboxOptions {
  readonly perform: PerformCall;
  readonly clock: Clock;
  readonly log: Log;
  /** The chat's own budget, and the one that all chats share. */
  readonly budgets: readonly Budget[];
  readonly backoff: Backoff;
}

/** Milliseconds added to a rest: Telegram's clock and ours are not the same. */
const REST_MARGIN = 300;

/** Tokens that must be there: an edit never takes a chat's last one, which a reply may need. */
const TOKENS: Readonly<Record<Urgency | "reply", number>> = { reply: 1, message: 1, edit: 2, typing: 0 };
const RANK: Readonly<Record<Urgency | "reply", number>> = { reply: 0, message: 1, edit: 2, typing: 3 };

interface Candidate {
  readonly kind: Urgency | "reply";
  readonly at: number;
  readonly speaker?: Speaker;
}

/** One a chat. Order, budget and rest are decided here; what to say is decided by whoever speaks. */
export function createOutbox({ perform, clock, log, budgets, backoff }: OutboxOptions): Outbox {
  const replies: Reply[] = [];
  const speakers = new Set<Speaker>();
  let restUntil = Number.NEGATIVE_INFINITY;
  let blocked = false;
  let closed = false;
  let pumping = false;
  let nap = new AbortController();
  let whenIdle: (() => void)[] = [];

  function wake(): void {
    nap.abort();
    if (pumping || closed) return;
    pumping = true;
    pump().catch((error: unknown) => {
      pumping = false;
      log.error({ err: error }, "an outbox stopped by a fault of evie's own");
    });
  }

  async function pump(): Promise<void> {
    for (;;) {
      const now = clock.now();
      const candidate = closed || blocked ? undefined : choose(now);
      // The last look for work and the end of the pump are one synchronous step, or a late wish would be lost.
      if (candidate === undefined) {
        pumping = false;
        if (replies.length === 0 && speakers.size === 0) tellIdle();
        return;
      }
      if (candidate.at > now) {
        nap = new AbortController();
        await clock.sleep(candidate.at - now, nap.signal);
      } else if (candidate.speaker === undefined) {
        await sayReply(now);
      } else {
        await letSpeak(candidate.speaker, candidate.kind as Urgency, now);
      }
    }
  }

  function choose(now: number): Candidate | undefined {
    const candidates: Candidate[] = [];
    const consider = (kind: Urgency | "reply", from: number, speaker?: Speaker): void => {
      const affordable = budgets.map((budget) => budget.readyAt(now, TOKENS[kind]));
      const at = Math.max(from, restUntil, ...affordable);
      candidates.push({ kind, at, ...(speaker === undefined ? {} : { speaker }) });
    };
    if (replies.length > 0) consider("reply", now);
    for (const speaker of firstOfEachThread()) {
      for (const wish of speaker.wishes(now)) consider(wish.urgency, wish.at, speaker);
    }
    const due = candidates.filter((candidate) => candidate.at <= now);
    return due.length > 0
      ? due.reduce((best, other) => (RANK[other.kind] < RANK[best.kind] ? other : best))
      : candidates.reduce<Candidate | undefined>(
          (best, other) => (best === undefined || other.at < best.at ? other : best),
          undefined,
        );
  }

  /** A turn's messages come after everything of the turn before it. */
  function firstOfEachThread(): readonly Speaker[] {
    const first = new Map<number | undefined, Speaker>();
    for (const speaker of speakers) {
      if (speaker.finished) speakers.delete(speaker);
      else if (!first.has(speaker.place.threadId)) first.set(speaker.place.threadId, speaker);
    }
    return [...first.values()];
  }

  async function sayReply(now: number): Promise<void> {
    const reply = replies[0];
    if (reply === undefined) return;
    const { place, content, replyTo } = reply;
    const call: Call = {
      type: "send",
      content,
      silent: false,
      ...(replyTo === undefined ? {} : { replyTo }),
    };
    const answer = await spend(place, call, now);
    if (answer === undefined) return;
    replies.shift();
    if (answer.type !== "done") log.warn({ answer }, "a reply was refused by Telegram");
  }

  async function letSpeak(speaker: Speaker, urgency: Urgency, now: number): Promise<void> {
    const call = speaker.speak(urgency, now);
    if (call === undefined) return;
    const answer = await spend(speaker.place, call, now);
    if (answer !== undefined) speaker.heard(call, answer);
  }

  /** Does the call and looks after what concerns the whole chat. Undefined: ask again later. */
  async function spend(place: ChatPlace, call: Call, now: number): Promise<Answer | undefined> {
    if (call.type !== "typing") for (const budget of budgets) budget.spend(now);
    const answer = await perform(place, call);
    switch (answer.type) {
      case "flood":
        log.warn({ chat: place.chatId, seconds: answer.retryAfter }, "Telegram lets a chat rest");
        restUntil = clock.now() + answer.retryAfter * 1_000 + REST_MARGIN;
        return undefined;
      case "blocked":
        log.warn({ chat: place.chatId }, "the bot was blocked in a chat");
        blocked = true;
        return undefined;
      case "unreachable": {
        // A sign of life that was lost is no reason to hold the words back; the next one comes in seconds.
        if (call.type === "typing") return answer;
        const wait = backoff.next();
        restUntil = clock.now() + wait;
        log.warn(
          { chat: place.chatId, call: call.type, reason: answer.reason, seconds: Math.round(wait / 1_000) },
          "Telegram did not answer, trying again",
        );
        return undefined;
      }
      default:
        backoff.reset();
        return answer;
    }
  }

  function tellIdle(): void {
    const waiting = whenIdle;
    whenIdle = [];
    for (const resolve of waiting) resolve();
  }

  return {
    reply(reply) {
      replies.push(reply);
      wake();
    },
    join(speaker) {
      speakers.add(speaker);
      wake();
    },
    wake,
    revive() {
      if (!blocked) return;
      blocked = false;
      wake();
    },
    idle: () =>
      new Promise((resolve) => {
        whenIdle.push(resolve);
        wake();
      }),
    close() {
      closed = true;
      nap.abort();
      tellIdle();
    },
  };
}
