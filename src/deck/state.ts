import type { Question } from "../domain/question.ts";
import type { Transcript } from "../domain/transcript.ts";
import type { PromptMode, SessionInfo, SessionPhase, Snapshot, WireMessage } from "../domain/wire.ts";

/** What the deck knows of one session that it watches. */
export interface Conversation {
  readonly transcript: Transcript;
  /** Messages above the transcript's, fetched by hand. */
  readonly older: readonly WireMessage[];
  /** The key to fetch still older ones with; absent when there are none. */
  readonly before?: string;
  readonly loadingOlder: boolean;
  readonly about: Pick<Snapshot, "sessionId" | "name" | "cwd" | "state" | "model" | "usage" | "queue">;
  /** Open ones, oldest first. */
  readonly questions: readonly Question[];
  /** Milliseconds that each finished tool took, by its call, also of turns that are over. */
  readonly durations: Readonly<Record<string, number>>;
  /** The session that its chat speaks with since. */
  readonly replacedBy?: string;
}

/** An attach that has begun: what has come of it so far. */
export interface Attach {
  readonly snapshot: Snapshot;
  readonly seq: number;
  readonly turnEvents: number;
  readonly questions: readonly Question[];
}

export interface DraftImage {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** What is written and not sent. */
export interface Draft {
  readonly text: string;
  readonly images: readonly DraftImage[];
}

export const emptyDraft: Draft = { text: "", images: [] };

/** A prompt that has been sent and is not in the transcript yet. */
export interface OutgoingPrompt {
  readonly requestId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly images: readonly DraftImage[];
  readonly mode?: PromptMode;
  /** Whether evie has said that it has it. Until then it is sent again on every new connection. */
  readonly accepted: boolean;
}

/** `open` from the server's `hello` on; `waiting` between two attempts; the others where evie does not let the page in. */
export type Link = "connecting" | "open" | "waiting" | "no key" | "refused";

export interface Toast {
  readonly text: string;
}

/** Everything that the deck shows comes from here. Immutable. */
export interface DeckState {
  readonly link: Link;
  /** Why evie does not let the page in; absent while it does, or nothing is known of that. */
  readonly locked?: "no key" | "refused";
  /** Whether the browser has a network at all. */
  readonly online: boolean;
  /** Names the process of evie that is spoken with. */
  readonly epoch?: string;
  /** The bot's name on Telegram, as it was heard last: right after a restart evie does not know it yet. */
  readonly bot?: string;
  /** Milliseconds that evie's clock is ahead of the browser's. */
  readonly ahead: number;
  /** Undefined until evie has listed them. */
  readonly sessions?: readonly SessionInfo[];
  /** The session that is shown. */
  readonly shown: string | undefined;
  readonly conversations: Readonly<Record<string, Conversation>>;
  /** Attaches that are not complete, and so not shown yet. */
  readonly attaching: Readonly<Record<string, Attach>>;
  /** Why a session cannot be shown, by its id. */
  readonly refused: Readonly<Record<string, string>>;
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly outbox: readonly OutgoingPrompt[];
  /** The questions that were answered here and are not closed yet. */
  readonly answering: readonly string[];
  /** The `updatedAt` of each session when it was last looked at. */
  readonly seen: Readonly<Record<string, number>>;
  readonly toast?: Toast;
}

export const emptyState: DeckState = {
  link: "connecting",
  online: true,
  ahead: 0,
  shown: undefined,
  conversations: {},
  attaching: {},
  refused: {},
  drafts: {},
  outbox: [],
  answering: [],
  seen: {},
};

/** Whether a turn of the conversation runs: what is sent now waits for its end. */
export function isRunning({ transcript, about }: Conversation): boolean {
  if (transcript.turn !== undefined) return transcript.turn.outcome === undefined;
  return about.state === "running" || about.state === "waiting";
}

/** Whether the conversation's turn goes on, as far as a person sees it: one that was stopped may need a while to end. */
export function isWorking(conversation: Conversation): boolean {
  return isRunning(conversation) && conversation.transcript.turn?.interrupted === undefined;
}

/** Whether a chat speaks with a session; undefined while evie has not listed it. */
export function hasChat({ sessions }: DeckState, sessionId: string): boolean | undefined {
  const listed = sessions?.find(({ id }) => id === sessionId);
  return listed === undefined ? undefined : listed.chat !== undefined;
}

/** What a session is doing, from what is known first: its own events come before the list does. */
export function phaseOf(conversation: Conversation): SessionPhase {
  if (conversation.questions.length > 0) return "waiting";
  if (isRunning(conversation)) return "running";
  const { turn } = conversation.transcript;
  if (turn === undefined) return conversation.about.state;
  return turn.outcome?.type === "failed" ? "failed" : "idle";
}
