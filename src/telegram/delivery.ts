import type { Clock } from "../domain/clock.ts";
import type { SessionEvent } from "../domain/events.ts";
import type { ChatPlace } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { type Delta, joinDeltas, MOST_DELTAS } from "../domain/deltas.ts";
import { joinTexts } from "../domain/prompt.ts";
import type { TurnSoFar } from "../domain/sessions.ts";
import { applyEvent, emptyTranscript, endOf, type Transcript } from "../domain/transcript.ts";
import { askedElsewhere } from "./asked.ts";
import type { AnswerRendering } from "./background/answer-rendering.ts";
import type { Call } from "./calls.ts";
import { closingCalls } from "./closing.ts";
import type { FormattedText } from "./entities.ts";
import { capPages } from "./overflow.ts";
import type { ShownMessage } from "./reconcile.ts";
import { createShownPages } from "./shown-pages.ts";
import type { Speaker, Urgency, Wish } from "./speakers.ts";
import { editThrottle, TYPING_REFRESH } from "./timing.ts";
import { hasAnswer, untilViewChanges, viewOf, withLines } from "./view.ts";
import { EMPTY_ANSWER, PLACEHOLDER, REST_COMES, REST_IN_FILE } from "./words.ts";

export interface DeliveryOptions {
  readonly place: ChatPlace;
  /** What there is of the turn: its begin, or more where it comes to the chat while it runs. */
  readonly turn: TurnSoFar;
  /** The message that the turn answers, where it is in this chat; asked as the turn ends. */
  readonly replyTo?: () => number | undefined;
  /** The line of what was asked elsewhere, where the chat has it from before a restart. */
  readonly asked?: FormattedText | undefined;
  /** What the chat shows of the turn from before a restart. */
  readonly before?: readonly ShownMessage[];
  readonly ledger?: DeliveryLedger;
  /** Makes the pages. When some are there that were asked for before, the outbox is to be woken. */
  readonly rendering: AnswerRendering;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where it is written down what a chat shows of a turn. Neither call throws. */
export interface DeliveryLedger {
  /** The chat shows these messages of the turn now, and no others. */
  shown(messages: readonly ShownMessage[]): void;
  /** Nothing is left to be shown of the turn. */
  delivered(): void;
}

/** One turn on its way into a chat. It speaks when the outbox asks, and says what is newest then. */
export interface Delivery extends Speaker {
  /**
   * Takes one event of its turn and returns: later events only change what is looked at next. Nothing follows the end.
   * True when its wishes may be others now; a long answer's next delta, while an edit is wished for, changes none.
   */
  apply(event: SessionEvent): boolean;
  /** The chat has left this turn's session: what was shown is closed as stopped, and nothing more is taken. */
  cut(): void;
  /** When another prompt has taken its place, nothing of it stays: the answer to that one stands for both. */
  withdraw(): void;
}

/** What the pages were made of: the last event, and the moment whose elapsed times they show. */
interface Look {
  readonly seq: number;
  /** Whether anything of the answer can be seen in them. */
  readonly answers: boolean;
  /** On the clock, and in milliseconds since 1970. */
  readonly now: number;
  readonly date: number;
}

interface LookedAt {
  readonly transcript: Transcript;
  readonly date: number;
  readonly final: boolean;
}

interface Wanted {
  readonly pages: readonly FormattedText[];
  /** The whole answer: a markdown for each step. */
  readonly answer: readonly string[];
  /** Something of it can be seen. */
  readonly answers: boolean;
  readonly overflows: boolean;
}

/** A turn of which nothing is there but its begin. */
export function justBegun(event: SessionEvent & { readonly type: "agent_start" }): TurnSoFar {
  return { id: event.turnId, face: event.face, transcript: applyEvent(emptyTranscript, event) };
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { place, turn: begun, replyTo, rendering, ledger, clock, log } = options;
  const { id: turnId, face } = begun;
  const pages = createShownPages({
    turn: turnId,
    log,
    ...(options.before === undefined ? {} : { before: options.before }),
  });
  /** Without the deltas that wait; whatever is judged by what the agent says asks for `current` instead. */
  let folded: Transcript = begun.transcript;
  /** What came since, while an edit is wished for: it is looked at once, so it need not be folded a hundred times. */
  let deltas: Delta[] = [];
  /** What the chat shows, but for a page that is still to come. */
  let shown: Look = { seq: 0, answers: false, now: 0, date: 0 };
  /** What the last call belongs to, until its answer is heard. */
  let asked: { readonly look: Look; readonly rest: Urgency | undefined } | undefined;
  /** How urgent the next page of a step is that takes several calls. */
  let rest: Urgency | undefined;
  let spokeAt = Number.NEGATIVE_INFINITY;
  let typedAt = Number.NEGATIVE_INFINITY;
  let prompt: number | undefined;
  /** What is still to be said after the last page, once the turn has ended. */
  let closing: readonly Call[] | undefined;
  /** What is looked at while its pages are being made: what comes meanwhile must not begin that anew. */
  let lookedAt: LookedAt | undefined;
  let withdrawn = false;
  let finished = false;

  // No delta changes either of these.
  const isFinal = (): boolean => endOf(folded.turn) !== undefined;
  const newest = (): number => deltas.at(-1)?.seq ?? folded.seq;

  /** Everything that has come. */
  function current(): Transcript {
    if (deltas.length === 0) return folded;
    folded = joinDeltas(deltas).reduce(applyEvent, folded);
    deltas = [];
    return folded;
  }

  /** Undefined while they are being made. */
  function wantedPages({ transcript, date }: LookedAt): Wanted | undefined {
    const question = options.asked ?? askedElsewhere(face, transcript);
    if (withdrawn && endOf(transcript.turn)?.type === "replaced") {
      return { pages: [], answer: [], answers: false, overflows: false };
    }
    const { answer, lines, final } = viewOf(transcript, date);
    const rendered = rendering.update(answer, { streaming: !final });
    if (rendered === undefined) return undefined;
    // Markdown may come to nothing, such as a link's definition alone: a turn still shows that it is there.
    const unseen = answer.length > 0 && rendered.length === 0 && lines.length === 0;
    const said = unseen ? [final ? EMPTY_ANSWER : PLACEHOLDER] : lines;
    const { pages: capped, overflows } = capPages(rendered);
    const below = overflows ? [final ? REST_IN_FILE : REST_COMES, ...said] : said;
    const answered = withLines(capped, below, final);
    const asked = question === undefined || answered.length === 0 ? [] : [question];
    return { pages: [...asked, ...answered], answer, answers: rendered.length > 0, overflows };
  }

  /** They take the place of what is shown at once. Without a page, or while a call is under way, the outbox asks anyway. */
  function mayBeFirstWords({ delta }: Delta): boolean {
    return delta.kind === "text" && !shown.answers && !pages.none && asked === undefined;
  }

  /** Nothing has come yet of a turn that was begun elsewhere: what was asked is to come first. */
  function awaitsQuestion(): boolean {
    const transcript = current();
    return face !== "telegram" && transcript.messages.length + transcript.remarks.length === 0;
  }

  /** The next call after the last page, if any. */
  function close({ answer, overflows }: Wanted): Call | undefined {
    const isIncomplete = overflows || pages.refused;
    const transcript = current();
    closing ??= closingCalls({ transcript, answer: joinTexts(answer), isIncomplete, face, replyTo: prompt });
    if (closing.length === 0) finish();
    return closing[0];
  }

  function finish(): void {
    finished = true;
    rendering.close();
    ledger?.delivered();
  }

  return {
    place,
    get finished() {
      return finished;
    },

    apply(event) {
      if (isFinal()) return false;
      const isAwaited = newest() > shown.seq;
      if (isAwaited && event.type === "message_update" && !mayBeFirstWords(event)) {
        deltas.push(event);
        if (deltas.length === MOST_DELTAS) current();
        return false;
      }
      folded = applyEvent(current(), event);
      if (event.type === "agent_end") prompt = replyTo?.();
      return !(isAwaited && event.type === "tool_execution_update");
    },

    cut() {
      if (isFinal()) return;
      folded = applyEvent(current(), {
        type: "agent_interrupted",
        seq: newest() + 1,
        at: clock.date(),
        turnId,
        outcome: { type: "stopped" },
      });
    },

    withdraw() {
      withdrawn = true;
    },

    wishes(now) {
      if (finished) return [];
      const typing: Wish = { urgency: "typing", at: typedAt + TYPING_REFRESH };
      if (!isFinal() && pages.none && awaitsQuestion()) return [typing];
      // Whoever pressed stop looks whether it has stopped.
      if (isFinal())
        return [{ urgency: "message", at: now, awaited: endOf(folded.turn)?.type === "stopped" }];
      if (pages.none) return [{ urgency: "message", at: now }];
      if (rest !== undefined) return [{ urgency: rest, at: spokeAt }, typing];
      const transcript = current();
      const throttled = spokeAt + editThrottle(place, clock.date() - (transcript.turn?.startedAt ?? 0));
      if (transcript.seq > shown.seq) {
        // The first words are what the person waits for: they take the place of the placeholder or of a line at once.
        const areFirst = !shown.answers && hasAnswer(transcript);
        return [{ urgency: "edit", at: areFirst ? now : throttled }, typing];
      }
      // What a chat was just given is not edited before something happens, also where time goes by in it.
      if (transcript.seq === begun.transcript.seq) return [typing];
      // Counted from the last look: from now it would never be due, for the next change is always ahead.
      const changesIn = untilViewChanges(transcript, shown.date);
      if (changesIn === undefined) return [typing];
      return [{ urgency: "edit", at: Math.max(throttled, shown.now + changesIn) }, typing];
    },

    speak(urgency, now): Call | undefined {
      if (urgency === "typing") {
        typedAt = now;
        return { type: "typing" };
      }
      const final = isFinal();
      if (lookedAt?.final !== final) lookedAt = { transcript: current(), date: clock.date(), final };
      const { transcript, date } = lookedAt;
      const wanted = wantedPages(lookedAt);
      if (wanted === undefined) return undefined;
      lookedAt = undefined;
      const look: Look = { seq: transcript.seq, answers: wanted.answers, now, date };
      const [call, next] = pages.calls(wanted.pages, { final });
      if (call === undefined) {
        shown = look;
        rest = undefined;
        return final ? close(wanted) : undefined;
      }
      spokeAt = now;
      asked = { look, rest: next === undefined ? undefined : next.type === "send" ? "message" : "edit" };
      return call;
    },

    heard(call, answer) {
      if (call === closing?.[0]) {
        if (answer.type !== "done")
          log.error({ turn: turnId, answer }, "Telegram refused the close of an answer");
        closing = closing.slice(1);
        if (closing.length === 0) finish();
        return;
      }
      if (call.type === "typing" || asked === undefined) return;
      const again = pages.heard(answer);
      ledger?.shown(pages.messages);
      rest = again ?? asked.rest;
      shown = asked.look;
      asked = undefined;
    },
  };
}
