import { applyEvent } from "../domain/transcript.ts";
import { transcriptFrom, type WireEvent, type WireMessage } from "../domain/wire.ts";
import type { Attach, Conversation } from "./state.ts";

/*
 * Attaching to a session: the snapshot, the open questions and the running step come in several frames and become
 * one change, because each change is painted.
 */

/** Whether nothing more belongs to it, as far as the frames so far can tell. */
export function isComplete({ snapshot, turnEvents, questions }: Attach): boolean {
  return turnEvents === 0 && (snapshot.state !== "waiting" || questions.length > 0);
}

/** The conversation that an attach makes; `before` is what was known of it. */
export function complete(
  attach: Attach,
  events: readonly WireEvent[],
  before: Conversation | undefined,
): Conversation {
  const { snapshot, questions } = attach;
  const { messages, before: olderKey, turn: _t, tools: _o, notice: _n, remarks: _r, ...about } = snapshot;
  const begun: Conversation = {
    transcript: transcriptFrom(snapshot, attach.seq),
    ...olderThan(messages, olderKey, before),
    loadingOlder: before?.loadingOlder ?? false,
    about,
    questions,
    durations: before?.durations ?? {},
  };
  return events.reduce(foldEvent, begun);
}

/** Older messages that were fetched stay, where they still join what the snapshot begins with. */
function olderThan(
  messages: readonly WireMessage[],
  olderKey: string | undefined,
  known: Conversation | undefined,
): Pick<Conversation, "older" | "before"> {
  const all: readonly WireMessage[] =
    known === undefined ? [] : [...known.older, ...known.transcript.messages];
  const joint = all.findIndex(({ key }) => key === messages[0]?.key);
  if (joint > 0 && known !== undefined) {
    return { older: all.slice(0, joint), ...(known.before === undefined ? {} : { before: known.before }) };
  }
  return { older: [], ...(olderKey === undefined ? {} : { before: olderKey }) };
}

/** The one way in for events, in a batch or alone. */
export function foldEvent(conversation: Conversation, event: WireEvent): Conversation {
  const { transcript } = conversation;
  if (!(event.type in KNOWN)) {
    return event.seq <= transcript.seq
      ? conversation
      : { ...conversation, transcript: { ...transcript, seq: event.seq } };
  }
  const next = applyEvent(transcript, event);
  if (next === transcript) return conversation;
  if (event.type !== "tool_execution_end") return { ...conversation, transcript: next };
  const tool = next.tools.findLast(({ id }) => id === event.toolCallId);
  const took = tool?.endedAt === undefined ? undefined : tool.endedAt - tool.startedAt;
  return {
    ...conversation,
    transcript: next,
    ...(took === undefined ? {} : { durations: { ...conversation.durations, [event.toolCallId]: took } }),
  };
}

/** A newer evie may send events that this page does not know: they count, and change nothing. */
const KNOWN: Readonly<Record<WireEvent["type"], true>> = {
  agent_start: true,
  agent_interrupted: true,
  agent_end: true,
  turn_start: true,
  turn_end: true,
  message_start: true,
  message_update: true,
  message_end: true,
  message_discard: true,
  tool_execution_start: true,
  tool_execution_update: true,
  tool_execution_end: true,
  notice: true,
};
