import type { Clock } from "../domain/clock.ts";
import type { SessionEvent } from "../domain/events.ts";
import type { ChatPlace, TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { applyEvent, emptyTranscript, type Transcript } from "../domain/transcript.ts";
import type { Answer, Call } from "./calls.ts";
import type { FormattedText } from "./entities.ts";
import type { Speaker, Wish } from "./outbox.ts";
import { type Operation, type Plainness, planPlain, reconcile, type ShownMessage } from "./reconcile.ts";
import { createRendering } from "./rendering.ts";
import { editThrottle, TYPING_REFRESH } from "./timing.ts";
import { hasAnswer, untilViewChanges, viewOf, withLines } from "./view.ts";
import { PLACEHOLDER } from "./words.ts";

export interface DeliveryOptions {
  readonly place: ChatPlace;
  readonly turnId: TurnId;
  readonly clock: Clock;
  readonly log: Log;
}

/** One turn on its way into a chat. It speaks when the outbox asks, and says what is newest then. */
export interface Delivery extends Speaker {
  /** Takes one event of its turn and returns: later events only change what is looked at next. */
  apply(event: SessionEvent): void;
  /** The chat has left this turn's session: what was shown is closed as stopped, and nothing more is taken. */
  cut(): void;
}

/** What the chat shows of one page; a message that a person deleted has left a gap. */
interface ShownPage extends ShownMessage {
  /** Telegram lost it once already: it is not sent a third time. */
  readonly resent: boolean;
}

export function createDelivery({ place, turnId, clock, log }: DeliveryOptions): Delivery {
  const rendering = createRendering();
  const shown: ShownPage[] = [];
  let transcript: Transcript = emptyTranscript;
  /** The operation that was handed out last, and the number of the last event it knew. */
  let asked: { readonly operation: Operation; readonly seq: number; readonly last: boolean } | undefined;
  /** A page that must be tried again, otherwise than `reconcile` would. */
  let next: Operation | undefined;
  /** How a page that is on its way is to be remembered. */
  let plainOnItsWay: Plainness = false;
  let saidSeq = 0;
  let more = false;
  let spokeAt = Number.NEGATIVE_INFINITY;
  let typedAt = Number.NEGATIVE_INFINITY;
  let finished = false;

  const isFinal = (): boolean => transcript.turn?.outcome !== undefined;

  function wantedPages(): readonly FormattedText[] {
    const view = viewOf(transcript, clock.date());
    return withLines(rendering.update(view.answer, { streaming: !view.final }), view.lines, view.final);
  }

  return {
    place,
    get finished() {
      return finished;
    },

    apply(event) {
      transcript = applyEvent(transcript, event);
    },

    cut() {
      if (isFinal()) return;
      const seq = transcript.seq + 1;
      transcript = applyEvent(transcript, {
        type: "agent_end",
        seq,
        at: clock.date(),
        turnId,
        outcome: { type: "stopped" },
      });
    },

    wishes(now) {
      if (finished) return [];
      // The end, the first sign of life and a step of several are due at once.
      if (isFinal() || shown.length === 0 || more) return [{ urgency: "message", at: now }];
      const wishes: Wish[] = [{ urgency: "typing", at: typedAt + TYPING_REFRESH }];
      const throttle = editThrottle(place, clock.date() - (transcript.turn?.startedAt ?? 0));
      const changesIn = untilViewChanges(transcript, clock.date());
      if (transcript.seq > saidSeq) {
        const firstWords = isPlaceholder(shown) && hasAnswer(transcript);
        wishes.push({ urgency: "edit", at: firstWords ? now : spokeAt + throttle });
      } else if (changesIn !== undefined) {
        wishes.push({ urgency: "edit", at: Math.max(spokeAt + throttle, now + changesIn) });
      }
      return wishes;
    },

    speak(urgency, now) {
      if (urgency === "typing") {
        typedAt = now;
        return { type: "typing" };
      }
      const operations = next === undefined ? reconcile(shown, wantedPages(), { final: isFinal() }) : [next];
      const [operation] = operations;
      if (operation === undefined) {
        saidSeq = transcript.seq;
        more = false;
        finished = isFinal();
        return undefined;
      }
      spokeAt = now;
      asked = { operation, seq: transcript.seq, last: operations.length === 1 && next === undefined };
      return callOf(operation);
    },

    heard(call, answer) {
      if (call.type === "typing" || asked === undefined) return;
      const { operation, seq, last } = asked;
      asked = undefined;
      next = undefined;
      more = !last;
      if (last) saidSeq = seq;
      settle(operation, answer);
    },
  };

  function settle(operation: Operation, answer: Answer): void {
    switch (answer.type) {
      case "done":
        return remember(operation, answer.messageId);
      case "entities_refused":
        log.warn({ turn: turnId, description: answer.description }, "Telegram refused an answer's entities");
        return retryPlain(operation);
      case "target_gone":
        return sendAnew(operation);
      default:
        log.error({ turn: turnId, answer }, "Telegram refused a part of an answer");
        // As if it were shown, or it would be tried for ever.
        return remember(operation, undefined);
    }
  }

  function remember(operation: Operation, sentId: number | undefined): void {
    if (operation.type === "delete") {
      const at = shown.findIndex((page) => page.messageId === operation.messageId);
      if (at !== -1) shown.splice(at, 1);
      return;
    }
    const before = shown[operation.page];
    const messageId = operation.type === "edit" ? operation.messageId : (sentId ?? NEVER_SENT);
    shown[operation.page] = {
      ...operation.content,
      messageId,
      plain: plainOnItsWay === false && !isFinal() ? (before?.plain ?? false) : plainOnItsWay,
      resent: operation.type === "send" && before !== undefined,
    };
    plainOnItsWay = false;
  }

  function retryPlain(operation: Operation): void {
    if (operation.type === "delete") return;
    const page = shown[operation.page];
    const plan = planPlain(operation, page, { final: isFinal() });
    if (plan.operation === undefined) {
      if (page !== undefined) shown[operation.page] = { ...page, plain: plan.plain };
      return;
    }
    next = plan.operation;
    plainOnItsWay = plan.plain;
    more = true;
  }

  /** Once: whoever deletes the same page again does not want it. */
  function sendAnew(operation: Operation): void {
    if (operation.type !== "edit") return remember(operation, undefined);
    if (shown[operation.page]?.resent === true) return remember(operation, undefined);
    next = { type: "send", page: operation.page, content: operation.content };
    more = true;
  }
}

/** Nothing but the sign that the turn has begun. */
function isPlaceholder(shown: readonly ShownPage[]): boolean {
  return shown.length === 1 && shown[0]?.text === PLACEHOLDER;
}

/** No message has this id: what stands for a page that Telegram would not take. */
const NEVER_SENT = 0;

function callOf(operation: Operation): Call {
  switch (operation.type) {
    case "send":
      return { type: "send", content: operation.content, silent: true };
    case "edit":
      return { type: "edit", messageId: operation.messageId, content: operation.content };
    case "delete":
      return { type: "delete", messageId: operation.messageId };
  }
}
