import type { ServerFrame, WireEvent } from "../domain/wire.ts";
import { complete, foldEvent, isComplete } from "./attach.ts";
import { onAttached, onEvent, onRefused } from "./outbox.ts";
import type { Attach, Conversation, DeckState } from "./state.ts";
import { look } from "./unread.ts";

/** The one fold of frames. `now` is the browser's time, in milliseconds since 1970. What it does not know changes nothing. */
export function receive(state: DeckState, frame: ServerFrame, now: number): DeckState {
  switch (frame.type) {
    case "hello": {
      const { locked: _no, ...known } = state;
      return greet(frame.bot === undefined ? known : { ...known, bot: frame.bot }, frame.epoch);
    }
    case "heartbeat":
      return keepTime(settleAttaches(state), frame.at - now);
    case "sessions":
      return look({ ...state, sessions: frame.sessions }, Object.keys(state.seen).length === 0);
    case "subscribed": {
      const { sessionId, snapshot, seq, turnEvents } = frame;
      return attach(state, sessionId, { snapshot, seq, turnEvents, questions: [] });
    }
    case "question": {
      const { sessionId, question } = frame;
      const begun = state.attaching[sessionId];
      const others = (begun ?? state.conversations[sessionId])?.questions ?? [];
      const questions = [...others.filter(({ id }) => id !== question.id), question];
      if (begun !== undefined) return attach(state, sessionId, { ...begun, questions });
      return change(state, sessionId, (known) => ({ ...known, questions }));
    }
    case "question_closed": {
      const { sessionId, questionId } = frame;
      const begun = state.attaching[sessionId];
      const without = <Asked extends Pick<Conversation, "questions">>(known: Asked): Asked => ({
        ...known,
        questions: known.questions.filter(({ id }) => id !== questionId),
      });
      const answering = state.answering.filter((id) => id !== questionId);
      if (begun !== undefined) return attach({ ...state, answering }, sessionId, without(begun));
      return change({ ...state, answering }, sessionId, without);
    }
    case "session_events":
      return fold(state, frame.sessionId, frame.events, true);
    case "session_event":
      return fold(state, frame.sessionId, [frame.event], false);
    case "session_changed": {
      const begun = state.attaching[frame.sessionId];
      if (begun !== undefined) {
        const changed = { ...begun, snapshot: { ...begun.snapshot, ...frame.change } };
        return attach(state, frame.sessionId, changed);
      }
      return change(state, frame.sessionId, (known) => ({
        ...known,
        about: { ...known.about, ...frame.change },
      }));
    }
    case "session_replaced":
      return change(state, frame.sessionId, (known) => ({ ...known, replacedBy: frame.by }));
    case "accepted":
      return {
        ...state,
        outbox: state.outbox.map((prompt) =>
          prompt.requestId === frame.requestId ? { ...prompt, accepted: true } : prompt,
        ),
      };
    case "error":
      return fail(state, frame);
    case "pong":
    default:
      return state;
  }
}

/** Milliseconds of a clock's difference that are the network's doing. */
const CLOCK_NOISE_MS = 1_000;

function keepTime(state: DeckState, ahead: number): DeckState {
  return Math.abs(ahead - state.ahead) < CLOCK_NOISE_MS ? state : { ...state, ahead };
}

/** Another process of evie has forgotten what the last one asked. */
function greet(state: DeckState, epoch: string): DeckState {
  // Attaches that the old connection left half done will not go on in this one.
  const fresh: DeckState = { ...state, epoch, attaching: {}, answering: [] };
  if (state.epoch === undefined || state.epoch === epoch) return fresh;
  const conversations = Object.entries(state.conversations).map(([id, known]): [string, Conversation] => [
    id,
    { ...known, questions: [] },
  ]);
  return { ...fresh, conversations: Object.fromEntries(conversations) };
}

/** Takes up what is known of an attach, and shows it when it is whole. */
function attach(state: DeckState, sessionId: string, begun: Attach): DeckState {
  if (isComplete(begun)) return commit(state, sessionId, begun, []);
  return { ...state, attaching: { ...state.attaching, [sessionId]: begun } };
}

function commit(state: DeckState, sessionId: string, begun: Attach, events: readonly WireEvent[]): DeckState {
  const { [sessionId]: _begun, ...attaching } = state.attaching;
  const { [sessionId]: _refused, ...refused } = state.refused;
  const conversation = complete(begun, events, state.conversations[sessionId]);
  return onAttached(
    {
      ...state,
      attaching,
      refused,
      conversations: { ...state.conversations, [sessionId]: conversation },
    },
    sessionId,
  );
}

/** An attach whose question never came is shown without it. */
function settleAttaches(state: DeckState): DeckState {
  return Object.entries(state.attaching)
    .filter(([, { turnEvents }]) => turnEvents === 0)
    .reduce((next, [id, begun]) => commit(next, id, begun, []), state);
}

function fold(
  state: DeckState,
  sessionId: string,
  events: readonly WireEvent[],
  isBatch: boolean,
): DeckState {
  const begun = state.attaching[sessionId];
  if (begun !== undefined) {
    // A batch belongs to the attach; a live event says that there is nothing left to wait for.
    const whole = commit(state, sessionId, begun, isBatch ? events : []);
    return isBatch ? whole : fold(whole, sessionId, events, false);
  }
  const folded = change(state, sessionId, (known) => events.reduce(foldEvent, known));
  return folded === state ? state : events.reduce((next, event) => onEvent(next, sessionId, event), folded);
}

/** Sessions that the page does not watch are nobody's business. */
function change(
  state: DeckState,
  sessionId: string,
  how: (conversation: Conversation) => Conversation,
): DeckState {
  const known = state.conversations[sessionId];
  if (known === undefined) return state;
  const next = how(known);
  return next === known ? state : { ...state, conversations: { ...state.conversations, [sessionId]: next } };
}

function fail(
  state: DeckState,
  { message, sessionId, requestId }: Extract<ServerFrame, { type: "error" }>,
): DeckState {
  const told: DeckState = { ...state, answering: [], toast: { text: message } };
  if (requestId !== undefined && state.outbox.some((prompt) => prompt.requestId === requestId)) {
    return onRefused(told, requestId);
  }
  if (sessionId === undefined || sessionId in state.conversations) return told;
  const { toast: _said, ...rest } = told;
  return { ...rest, refused: { ...state.refused, [sessionId]: message } };
}
