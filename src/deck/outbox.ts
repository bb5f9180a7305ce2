import { repairText, trimLines } from "../domain/text.ts";
import type { ClientFrame, WireEvent } from "../domain/wire.ts";
import { emptyDraft, type DeckState, type OutgoingPrompt } from "./state.ts";

/** What becomes of prompts between "send" and their place in the transcript. */

export function promptFrame(prompt: OutgoingPrompt): ClientFrame {
  const { requestId, sessionId, text, images, mode } = prompt;
  return {
    type: "prompt",
    sessionId,
    text,
    requestId,
    ...(images.length === 0 ? {} : { images: images.map(({ mimeType, data }) => ({ mimeType, data })) }),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** Characters of base64 in one prompt, and how many pictures: a larger frame would end the connection each time it is sent. */
const MOST_DATA = 16_000_000;
const MOST_IMAGES = 10;
const LONGEST_TEXT = 1_000_000;

/** Why a prompt cannot be sent, in a sentence; undefined when it can. */
export function tooMuch({ text, images }: Pick<OutgoingPrompt, "text" | "images">): string | undefined {
  if (text.length > LONGEST_TEXT)
    return "This is longer than a million characters. Put it into a file, and name that.";
  if (images.length > MOST_IMAGES) return `These are more than ${MOST_IMAGES} pictures. Take some out.`;
  const size = images.reduce((sum, { data }) => sum + data.length, 0);
  return size > MOST_DATA
    ? "These pictures are too large together. Take one out, or send smaller ones."
    : undefined;
}

/** Turns the shown draft into a prompt; nothing where there is nothing to send. */
export function promptOf(state: DeckState, sessionId: string, requestId: string): OutgoingPrompt | undefined {
  const { text: written, images } = state.drafts[sessionId] ?? emptyDraft;
  // As evie takes it, or it would not be known again when the agent has it.
  const text = trimLines(repairText(written));
  if (text === "" && images.length === 0) return undefined;
  return { requestId, sessionId, text, images, accepted: false };
}

/** Prompts to show below the transcript: not those that evie lists as waiting. */
export function underWay(state: DeckState, sessionId: string): readonly OutgoingPrompt[] {
  const queue = state.conversations[sessionId]?.about.queue ?? [];
  return state.outbox.filter(
    (prompt) =>
      prompt.sessionId === sessionId && !queue.some(({ requestId }) => requestId === prompt.requestId),
  );
}

/** A prompt leaves when the agent has said it, or at its turn's end. One whose turn came to nothing before goes back. */
export function onEvent(state: DeckState, sessionId: string, event: WireEvent): DeckState {
  const isHere = (prompt: OutgoingPrompt): boolean => prompt.sessionId === sessionId;
  if (event.type === "agent_end") {
    // One of them never reached the agent. evie says which in a frame of its own, and it goes back then.
    if (event.outcome.type === "replaced" && event.outcome.message !== undefined) return state;
    const unsaid = state.outbox.filter((prompt) => isHere(prompt) && isOver(state, prompt));
    const isLost = event.outcome.type === "failed" || event.outcome.type === "stopped";
    const returned = isLost ? unsaid.reduceRight(putBack, state) : state;
    return drop(returned, isHere);
  }
  if (event.type !== "message_start" && event.type !== "message_end") return state;
  if (event.message.role !== "user") return state;
  const said = event.message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return drop(state, (prompt) => isHere(prompt) && said.includes(prompt.text));
}

/** The snapshot shows what became of everything that was accepted before. */
export function onAttached(state: DeckState, sessionId: string): DeckState {
  return drop(state, (prompt) => prompt.sessionId === sessionId);
}

function drop(state: DeckState, matches: (prompt: OutgoingPrompt) => boolean): DeckState {
  const outbox = state.outbox.filter((prompt) => !isOver(state, prompt) || !matches(prompt));
  return outbox.length === state.outbox.length ? state : { ...state, outbox };
}

/** Whether a prompt has had its chance: one that is not accepted may never have arrived, and one that waits has it to come. */
function isOver({ conversations }: DeckState, { accepted, sessionId, requestId }: OutgoingPrompt): boolean {
  const queue = conversations[sessionId]?.about.queue ?? [];
  return accepted && !queue.some((other) => other.requestId === requestId);
}

/** A prompt that evie would not take goes back to where it was written. */
export function onRefused(state: DeckState, requestId: string): DeckState {
  const refused = state.outbox.find((prompt) => prompt.requestId === requestId);
  return refused === undefined ? state : putBack(state, refused);
}

/** Makes a draft of a prompt again, in front of what was written since. */
function putBack(state: DeckState, prompt: OutgoingPrompt): DeckState {
  const { text, images } = state.drafts[prompt.sessionId] ?? emptyDraft;
  const draft = {
    text: [prompt.text, text].filter((part) => part !== "").join("\n\n"),
    images: [...prompt.images, ...images],
  };
  return {
    ...state,
    outbox: state.outbox.filter((other) => other !== prompt),
    drafts: { ...state.drafts, [prompt.sessionId]: draft },
  };
}
