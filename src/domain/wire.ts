import type { Content, Face, Message, Notice, ReplayEvent, Usage } from "./events.ts";
import type { TurnId } from "./ids.ts";
import type { AnswerValue, Question, QuestionClosed } from "./question.ts";
import type { ToolState, Transcript } from "./transcript.ts";
import type { InterruptedOutcome, TurnOutcome } from "./turn.ts";

export type { Usage } from "./events.ts";

/*
 * What travels between evie and its browsers, typed once. Ids are opaque strings, times are milliseconds since 1970.
 * Fields may be added; whoever reads ignores what it does not know.
 */

/** A picture that a prompt brings along. */
export interface WireImage {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

export type SessionPhase = "idle" | "running" | "waiting" | "failed";

/** A line of the session list. */
export interface SessionInfo {
  readonly id: string;
  /** The first line of its first prompt unless a person gave it another name; empty before either. */
  readonly name: string;
  readonly cwd: string;
  readonly face: Face;
  readonly state: SessionPhase;
  readonly updatedAt: number;
  /** The Telegram chat that speaks with it at the moment. */
  readonly chat?: { readonly id: number; readonly threadId?: number };
}

/** Content as browsers get it: pictures are addresses, never data. */
export type WireContent = Content;

export type WireMessage = Message;

/** A conversation as it was before its running step. */
export interface Snapshot {
  readonly sessionId: string;
  readonly name: string;
  readonly cwd: string;
  readonly state: SessionPhase;
  readonly model?: string;
  readonly usage?: Usage;
  /** The last that were committed: at most 200, and as many as have 512 KiB of JSON. One that is larger is shortened. */
  readonly messages: readonly WireMessage[];
  /** The key to ask older messages with; absent when these are all. */
  readonly before?: string;
  /** The turn that runs, if one does. */
  readonly turn?: {
    readonly id: string;
    readonly startedAt: number;
    /** How it ends, once it was interrupted: it is shown as that from then on. */
    readonly interrupted?: InterruptedOutcome;
    readonly endedAt?: number;
    readonly outcome?: TurnOutcome;
  };
  /** The tools of that turn's earlier steps. The output of one that has ended is left out: its result is a message. */
  readonly tools?: readonly ToolState[];
  /** What the person is being told at the moment, and what stays true for the whole turn. */
  readonly notice?: Notice;
  readonly remarks?: readonly Notice[];
  /** Prompts that wait for their turn, the next one first: as many as have 64 KiB, of each the first 1,000 characters. */
  readonly queue: readonly QueuedPrompt[];
}

export interface QueuedPrompt {
  readonly requestId: string;
  readonly text: string;
}

export type ClientFrame =
  /**
   * Attaches to a session, once what waits for this client is on its way. The one that is looked at, `shown`, comes
   * before those that wait; said again, all of it comes anew.
   */
  | { readonly type: "subscribe"; readonly sessionId: string; readonly shown?: boolean }
  | { readonly type: "unsubscribe"; readonly sessionId: string }
  | {
      readonly type: "prompt";
      readonly sessionId: string;
      readonly text: string;
      readonly images?: readonly WireImage[];
      readonly mode?: PromptMode;
      readonly requestId: string;
    }
  /** Takes back a prompt that waits. */
  | { readonly type: "withdraw"; readonly sessionId: string; readonly requestId: string }
  | { readonly type: "abort"; readonly sessionId: string }
  | {
      readonly type: "answer";
      readonly sessionId: string;
      readonly questionId: string;
      readonly value: AnswerValue;
    }
  | { readonly type: "ping" };

/** `queue` waits for the running turn, `replace` ends it, `steer` is said into it. */
export type PromptMode = "queue" | "replace" | "steer";

export type ServerFrame =
  /** The first frame. A new `epoch` is another process of evie: what was open before is gone. */
  | {
      readonly type: "hello";
      readonly epoch: string;
      readonly version: string;
      /** The name of evie's bot on Telegram, without `@`; absent in the playground, and until evie has connected to it. */
      readonly bot?: string;
    }
  | { readonly type: "heartbeat"; readonly at: number }
  | { readonly type: "pong" }
  | { readonly type: "sessions"; readonly sessions: readonly SessionInfo[] }
  /** The answer to each `subscribe`, a repeated one as well; then come the open questions, then one `session_events` when a step runs. */
  | {
      readonly type: "subscribed";
      readonly sessionId: string;
      readonly snapshot: Snapshot;
      readonly seq: number;
      /** How many events the frame that follows holds; 0 when none follows. */
      readonly turnEvents: number;
    }
  | { readonly type: "question"; readonly sessionId: string; readonly question: Question }
  | {
      readonly type: "question_closed";
      readonly sessionId: string;
      readonly questionId: string;
      readonly reason: QuestionClosed;
    }
  /**
   * The running step, sent once after `subscribed`. It must be folded through the same `applyEvent` as live events,
   * in order, in a single state update: one at a time it would be painted as if it were being typed.
   */
  | { readonly type: "session_events"; readonly sessionId: string; readonly events: readonly WireEvent[] }
  | { readonly type: "session_event"; readonly sessionId: string; readonly event: WireEvent }
  /** What the snapshot holds beside messages has changed: name, state, queue, usage, model. */
  | {
      readonly type: "session_changed";
      readonly sessionId: string;
      readonly change: Partial<Pick<Snapshot, "name" | "state" | "queue" | "usage" | "model">>;
    }
  /** The chat of this session speaks with another one now. */
  | { readonly type: "session_replaced"; readonly sessionId: string; readonly by: string }
  | { readonly type: "accepted"; readonly sessionId: string; readonly requestId: string }
  | {
      readonly type: "error";
      readonly code: string;
      readonly message: string;
      readonly sessionId?: string;
      readonly requestId?: string;
    };

/** What happens in one session, as everybody who watches it is told, in order. */
export type SessionFrame = Extract<
  ServerFrame,
  {
    readonly type: "question" | "question_closed" | "session_event" | "session_changed" | "session_replaced";
  }
>;

/**
 * A session's event on the wire. In a batch a `message_update` carries the whole partial message; live it carries a
 * delta.
 */
export type WireEvent = ReplayEvent;

/** What leads a chat with the bot to a session: Telegram opens it and says `/start <session id>` there. */
export function telegramLink(bot: string, sessionId: string): string {
  return `https://t.me/${bot}?start=${sessionId}`;
}

/** Where a picture of a session is found. */
export function pictureUrl(sessionId: string, name: string): string {
  return `/api/sessions/${sessionId}/pictures/${name}`;
}

/** The transcript that a face begins with when it attaches: what was so at `seq`. The replay is folded onto it. */
export function transcriptFrom(snapshot: Snapshot, seq: number): Transcript {
  const { turn, messages, tools = [], notice, remarks = [] } = snapshot;
  return {
    seq,
    ...(turn === undefined ? {} : { turn: { ...turn, id: turn.id as TurnId } }),
    messages,
    tools,
    ...(notice === undefined ? {} : { notice }),
    remarks,
  };
}
