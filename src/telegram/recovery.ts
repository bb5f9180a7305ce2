import type { Clock } from "../domain/clock.ts";
import { type ChatKey, type ChatPlace, parseChatKey, type TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { PromptDraft } from "../domain/prompt.ts";
import type { TurnOutcome } from "../domain/turn.ts";
import { isAsked } from "./asked.ts";
import type { MakeRendering } from "./background/answer-rendering.ts";
import { deliveryLedger, shownBefore, type TurnStore } from "./bookkeeping.ts";
import type { Conversation } from "./conversations.ts";
import { createDelivery, justBegun } from "./delivery.ts";
import { createDraft } from "./draft.ts";
import type { Drafts } from "./drafts.ts";
import type { Inbox } from "./inbox.ts";
import type { Outboxes } from "./outboxes.ts";
import { AGAIN, type Parts } from "./parts.ts";
import { createShownPages } from "./shown-pages.ts";
import type { Speaker } from "./speakers.ts";
import { withLines, withoutPassing } from "./view.ts";
import { CUT_OFF, isMark, outcomeLine, PLACEHOLDER, replies, TRY_AGAIN } from "./words.ts";

/** A turn that had no end when evie was last ended, and what is to become of it. */
export interface Leftover {
  readonly id: TurnId;
  /** Where it is shown, if anywhere. */
  readonly chat?: ChatKey;
  /** The updates that it is made of. */
  readonly sources: readonly number[];
  readonly verdict:
    /** No agent has it: it runs. */
    | { readonly type: "run" }
    /** An agent may have done a part of it: its chat is told, and asked. */
    | { readonly type: "report" }
    /** It was being ended anyway. */
    | { readonly type: "close"; readonly outcome: TurnOutcome };
  /**
   * For one that runs and is not made of updates alone: has it run under its own name, with the drafts that are made
   * here of its updates. Throws when that cannot be written down.
   */
  readonly resume?: (draftOf: (updates: readonly number[]) => PromptDraft | undefined) => void;
}

export interface RecoveryOptions {
  readonly turns: TurnStore;
  readonly inbox: Inbox;
  readonly parts: Parts;
  readonly drafts: Drafts;
  readonly conversations: (key: ChatKey) => Conversation;
  readonly outboxes: Outboxes;
  readonly rendering: MakeRendering;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes up, in memory and at once, what was left when evie was last ended. To be called once, before anything new is taken. */
export function recover(leftovers: readonly Leftover[], options: RecoveryOptions): void {
  const { turns, inbox, parts, drafts, conversations, outboxes, log } = options;

  for (const ended of turns.undelivered()) resumeDelivery(ended, options);
  for (const leftover of leftovers) {
    log.info({ turn: leftover.id, verdict: leftover.verdict.type }, "a turn was left");
    try {
      takeUp(leftover);
    } catch (error) {
      log.error({ err: error, turn: leftover.id }, "a turn that was left could not be taken up");
    }
  }

  function takeUp({ id, chat, sources, verdict, resume }: Leftover): void {
    const place = chat === undefined ? undefined : parseChatKey(chat);
    if (resume !== undefined) {
      try {
        if (chat !== undefined && place !== undefined && turns.of(id).length > 0)
          closeShown(id, chat, place, undefined, () => undefined);
      } finally {
        // In any case: a turn whose drafts nobody brings would wait for them for ever.
        resume((updates) => draftOf(updates, chat));
      }
      return;
    }
    if (chat === undefined || place === undefined)
      return conclude(id, verdict.type === "close" ? verdict.outcome : { type: "stopped" });
    const recalled = verdict.type === "close" ? [] : inbox.recall(sources);
    const recalledParts = verdict.type === "run" ? parts.recall(recalled) : [];
    if (recalledParts.length > 0) {
      // The placeholder of the attempt before. The new turn shows its own.
      closeShown(id, chat, place, undefined, () => deliveryLedger(turns, chat, id, log).delivered());
      inbox.settle(() => {
        turns.giveUp(id);
        conversations(chat).run(drafts.make(chat, recalledParts), recalledParts.at(-1)?.messageId);
      });
      return;
    }
    if (verdict.type !== "report") {
      // One that cannot run, because whoever wrote it may not any more, ends as a stop.
      const outcome: TurnOutcome = verdict.type === "close" ? verdict.outcome : { type: "stopped" };
      return closeShown(id, chat, place, outcomeLine(outcome), () => conclude(id, outcome));
    }
    const replyTo = recalled.findLast(({ message }) => message !== undefined)?.message?.message_id;
    closeShown(id, chat, place, CUT_OFF, () =>
      outboxes(place.chatId).reply({
        place,
        content: { text: replies.interrupted, entities: [] },
        ...(replyTo === undefined ? {} : { replyTo }),
        ...(recalled.length === 0 ? {} : { button: { text: TRY_AGAIN, data: `${AGAIN}${id}` } }),
        unasked: true,
        told: () => conclude(id, { type: "stopped" }),
      }),
    );
  }

  function draftOf(updates: readonly number[], chat: ChatKey | undefined): PromptDraft | undefined {
    const recalled = parts.recall(inbox.recall(updates));
    if (recalled.length === 0) return undefined;
    return chat === undefined ? createDraft(recalled) : drafts.make(chat, recalled);
  }

  function conclude(id: TurnId, outcome: TurnOutcome): void {
    try {
      inbox.settle(() => {
        turns.ended(id, outcome, []);
        turns.delivered(id);
      });
    } catch (error) {
      log.error({ err: error, turn: id }, "the end of a turn that was left could not be kept");
    }
  }

  function closeShown(
    id: TurnId,
    chat: ChatKey,
    place: ChatPlace,
    line: string | undefined,
    then: () => void,
  ): void {
    outboxes(place.chatId).join(createCloser(id, chat, place, line, then));
  }

  /** Leaves what a chat shows of a turn as it is, but for one line below it. A placeholder goes, and a line that it waits. */
  function createCloser(
    id: TurnId,
    chat: ChatKey,
    place: ChatPlace,
    line: string | undefined,
    then: () => void,
  ): Speaker {
    const before = shownBefore(turns, id);
    const ledger = deliveryLedger(turns, chat, id, log);
    const pages = createShownPages({ turn: id, log, before });
    const said = before
      .map((message, at) => (at === before.length - 1 ? withoutPassing(message) : message))
      .filter(({ text }) => text !== PLACEHOLDER && text !== replies.waits && text !== "");
    // It may have been closed already, just before evie ended.
    const isClosed = isMark(said.at(-1)?.text.split("\n").at(-1) ?? "");
    const wanted = said.length === 0 || line === undefined || isClosed ? said : withLines(said, [line], true);
    let finished = false;
    return {
      place,
      get finished() {
        return finished;
      },
      wishes: (now) => (finished ? [] : [{ urgency: "message", at: now }]),
      speak() {
        const [call] = pages.calls(wanted, { final: true });
        if (call !== undefined) return call;
        finished = true;
        then();
        return undefined;
      },
      heard(_call, answer) {
        pages.heard(answer);
        ledger.shown(pages.messages);
      },
    };
  }
}

/** Brings the end of a turn into its chat that was not all there. */
function resumeDelivery(
  { id, chat, outcome, said }: ReturnType<TurnStore["undelivered"]>[number],
  { turns, outboxes, rendering, clock, log }: RecoveryOptions,
): void {
  const place = parseChatKey(chat);
  if (place === undefined) return;
  const before = shownBefore(turns, id);
  const at = clock.date();
  const delivery = createDelivery({
    place,
    turn: justBegun({ type: "agent_start", seq: 1, at, turnId: id, face: "telegram" }),
    before,
    asked: before.slice(0, 1).find(isAsked),
    rendering: rendering(() => outboxes(place.chatId).wake()),
    ledger: deliveryLedger(turns, chat, id, log),
    clock,
    log,
  });
  for (const [index, text] of said.entries()) {
    const key = `${index}`;
    delivery.apply({
      type: "message_end",
      seq: index + 2,
      at,
      key,
      message: { key, role: "assistant", at, content: [{ type: "text", text }] },
    });
  }
  delivery.apply({ type: "agent_end", seq: said.length + 2, at, turnId: id, outcome });
  outboxes(place.chatId).join(delivery);
}
