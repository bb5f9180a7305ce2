import { setImmediate } from "node:timers/promises";
import type { Clock } from "../domain/clock.ts";
import type { ChatPlace } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Backoff } from "./backoff.ts";
import type { Budget } from "./budget.ts";
import type { Answer, Button, Call, PerformCall } from "./calls.ts";
import type { FormattedText } from "./entities.ts";
import { type Candidate, KEPT, nextOf, TOKENS } from "./next.ts";
import { createEditPace } from "./pace.ts";
import { createSpeakers, type Speaker, type Urgency } from "./speakers.ts";

export interface Reply {
  readonly place: ChatPlace;
  readonly content: FormattedText;
  readonly replyTo?: number;
  readonly button?: Button;
  /** Nobody waits for it right now: it keeps within the chat's budget, which a command's reply may overdraw. */
  readonly unasked?: boolean;
  /** Asked when its turn comes: false leaves it out. */
  readonly isWanted?: () => boolean;
  /** Called once Telegram has answered to it: with the message's id when it took it, without when it refused it. */
  readonly told?: (messageId?: number) => void;
}

/** A reply that is to go from the chat again. */
export interface Removal {
  readonly place: ChatPlace;
  readonly messageId: number;
  /** Called once Telegram has answered to it. */
  readonly told?: () => void;
}

/** One chat's way out: everything that evie does there passes here, one call at a time. */
export interface Outbox {
  /** A command's reply, or another line of evie's own. Before everything else, in order. */
  reply(reply: Reply): void;
  /** Deletes a message that was a reply, in order with the replies. */
  remove(removal: Removal): void;
  /** Lets a speaker speak after those that joined before it in the same thread have finished. */
  join(speaker: Speaker): void;
  /** Says that a wish has changed. */
  wake(): void;
  /** The chat wrote: a block is over, and a thread that was gone may be back. */
  revive(): void;
  /** Resolves when nothing is left to say, or nobody is there to hear it: the chat blocks the bot, or this was closed. */
  idle(): Promise<void>;
  /** Ends it: what waits is dropped. */
  close(): void;
}

export interface OutboxOptions {
  readonly perform: PerformCall;
  readonly clock: Clock;
  readonly log: Log;
  /** What this chat may take. */
  readonly budget: Budget;
  /** What all chats may take together. */
  readonly shared: Budget;
  readonly backoff: Backoff;
}

/** Milliseconds added to a rest: Telegram's clock and ours are not the same. */
const REST_MARGIN = 300;

/**
 * Milliseconds in which a speaker that declined is not asked again. Without them one whose wish stays due would be
 * asked in an endless loop that lets nothing else run.
 */
const PAUSE = 250;

/** One a chat. Order, budget and rest are decided here; what to say is decided by whoever speaks. */
export function createOutbox({ perform, clock, log, budget, shared, backoff }: OutboxOptions): Outbox {
  const replies: (Reply | Removal)[] = [];
  const speakers = createSpeakers(({ place }, error) =>
    log.error({ err: error, chat: place.chatId }, "an answer cannot be shown by a fault of evie's own"),
  );
  /** Who declined, and until when it is left alone. */
  const paused = new Map<Speaker, number>();
  const pace = createEditPace();
  let restUntil = Number.NEGATIVE_INFINITY;
  /** A send got no answer, so it may be in the chat: nothing is repeated before Telegram answers at all. */
  let doubtful = false;
  /** Threads that are gone: what is for them goes into the chat itself, or nobody would ever see it. */
  const goneThreads = new Set<number>();
  let blocked = false;
  /** How often the chat wrote. */
  let revivals = 0;
  let closed = false;
  let pumping = false;
  let nap = new AbortController();
  let whenIdle: (() => void)[] = [];

  function wake(): void {
    paused.clear();
    if (closed) return;
    if (pumping) return nap.abort();
    pumping = true;
    pump().catch((error: unknown) => {
      pumping = false;
      log.error({ err: error }, "an outbox stopped by a fault of evie's own");
    });
  }

  async function pump(): Promise<void> {
    // What is said takes milliseconds to make, and a prompt on its way to the agent would wait for its own placeholder.
    await setImmediate();
    for (;;) {
      const now = clock.now();
      const candidate = closed || blocked ? undefined : choose(now);
      // The last look for work and the end of the pump are one synchronous step, or a late wish would be lost.
      if (candidate === undefined) {
        pumping = false;
        // It would hold the whole of an answer that has long been said.
        paused.clear();
        if (blocked || (replies.length === 0 && speakers.empty)) tellIdle();
        return;
      }
      const { place, kind, speaker } = candidate;
      if (candidate.at > now) {
        nap = new AbortController();
        await clock.sleep(candidate.at - now, nap.signal);
      } else if (doubtful && kind !== "typing") {
        await spend(place, { type: "probe" });
      } else if (speaker === undefined || kind === "reply") {
        await sayReply();
      } else {
        await letSpeak(speaker, kind, now);
      }
    }
  }

  function choose(now: number): Candidate | undefined {
    while (replies[0] !== undefined && !isWanted(replies[0])) replies.shift();
    // The first of them goes first, also where it is one further back that somebody waits for.
    const isAwaited = replies.some(isAsked);
    const candidates = replies.slice(0, 1).map(({ place }) => candidate(place, "reply", now, isAwaited));
    for (const speaker of speakers.first()) {
      const wishes = speakers.ask(speaker, () => speaker.wishes(now));
      // It was dropped, and whoever stood behind it is now the first.
      if (wishes === undefined) return choose(now);
      for (const { urgency, at, awaited = false } of wishes)
        candidates.push(candidate(speaker.place, urgency, at, awaited, speaker));
    }
    return nextOf(candidates, now);

    function candidate(
      place: ChatPlace,
      kind: Candidate["kind"],
      wanted: number,
      isAwaited: boolean,
      speaker?: Speaker,
    ): Candidate {
      const affordable = isAwaited
        ? [budget.overdrawnAt(now), shared.overdrawnAt(now)]
        : [
            budget.readyAt(now, kind === "edit" ? pace.needed : TOKENS[kind], KEPT[kind]),
            shared.readyAt(now, TOKENS[kind], KEPT[kind]),
            kind === "edit" ? pace.notBefore : now,
          ];
      const asked = speaker === undefined ? undefined : paused.get(speaker);
      const at = Math.max(wanted, asked ?? wanted, restUntil, ...affordable);
      return { place, kind, wanted, at, ...(speaker === undefined ? {} : { speaker }) };
    }
  }

  async function sayReply(): Promise<void> {
    const reply = replies[0];
    if (reply === undefined) return;
    const answer = await spend(reply.place, callOf(reply));
    if (answer === undefined) return;
    replies.shift();
    if (answer.type !== "done") log.warn({ answer }, "a reply was refused by Telegram");
    reply.told?.(answer.type === "done" ? answer.messageId : undefined);
  }

  async function letSpeak(speaker: Speaker, urgency: Urgency, now: number): Promise<void> {
    const call = speakers.ask(speaker, () => speaker.speak(urgency, now));
    if (call === undefined) {
      paused.set(speaker, now + PAUSE);
      return;
    }
    const answer = await spend(speaker.place, call);
    if (answer !== undefined) speakers.ask(speaker, () => speaker.heard(call, answer));
  }

  /** Does the call and looks after what concerns the whole chat. Undefined: ask again later. */
  async function spend(place: ChatPlace, call: Call): Promise<Answer | undefined> {
    const counts = call.type !== "typing" && call.type !== "probe";
    if (counts) shared.spend(clock.now());
    const revivalsBefore = revivals;
    const where = goneThreads.has(place.threadId ?? 0) ? { chatId: place.chatId } : place;
    const answer = await perform(where, call);
    // Counted when it is answered: Telegram counts at arrival, and a call on a slow way would seem to be longer ago.
    if (counts) pace.spent(call.type === "edit", budget.spend(clock.now()), clock.now());
    if (answer.type === "unreachable") return lost(place, call, answer);
    doubtful = false;
    backoff.reset();
    switch (answer.type) {
      case "flood":
        log.warn({ chat: place.chatId, seconds: answer.retryAfter }, "Telegram lets a chat rest");
        restUntil = clock.now() + answer.retryAfter * 1_000 + REST_MARGIN;
        return undefined;
      case "blocked":
        // It wrote since the call was made: a block that is over would keep it without an answer until it writes again.
        if (revivals > revivalsBefore) return undefined;
        log.warn({ chat: place.chatId }, "the bot was blocked in a chat");
        blocked = true;
        return undefined;
      case "thread_gone":
        if (where.threadId === undefined) return answer;
        log.warn({ chat: place.chatId, thread: where.threadId }, "a thread is gone");
        goneThreads.add(where.threadId);
        return undefined;
      default:
        return answer;
    }
  }

  function lost(
    place: ChatPlace,
    call: Call,
    answer: Answer & { readonly type: "unreachable" },
  ): Answer | undefined {
    // A sign of life that was lost is no reason to hold the words back; the next one comes in seconds.
    if (call.type === "typing") return answer;
    doubtful ||= call.type === "send" || call.type === "document";
    const wait = backoff.next();
    restUntil = clock.now() + wait;
    log.warn(
      { chat: place.chatId, call: call.type, reason: answer.reason, seconds: Math.round(wait / 1_000) },
      "Telegram did not answer, trying again",
    );
    return undefined;
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
    remove(removal) {
      replies.push(removal);
      wake();
    },
    wake,
    revive() {
      revivals += 1;
      goneThreads.clear();
      if (!blocked) return;
      blocked = false;
      wake();
    },
    idle: () =>
      new Promise((resolve) => {
        if (closed) return resolve();
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

/** Whether somebody waits for it. */
function isAsked(reply: Reply | Removal): boolean {
  return !("messageId" in reply) && reply.unasked !== true;
}

function isWanted(reply: Reply | Removal): boolean {
  return "messageId" in reply || (reply.isWanted?.() ?? true);
}

function callOf(reply: Reply | Removal): Call {
  if ("messageId" in reply) return { type: "delete", messageId: reply.messageId };
  const { content, replyTo, button } = reply;
  return {
    type: "send",
    content,
    silent: false,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(button === undefined ? {} : { button }),
  };
}
