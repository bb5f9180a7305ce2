import type { Content, Face, Message, SessionEvent } from "./events.ts";
import type { AnswerValue, Question, QuestionClosed } from "./question.ts";
import type { TurnOutcome } from "./turn.ts";

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
  readonly name: string;
  readonly cwd: string;
  readonly face: Face;
  readonly state: SessionPhase;
  readonly updatedAt: number;
  /** The Telegram chat that speaks with it at the moment. */
  readonly chat?: { readonly id: number; readonly threadId?: number };
}

/** Content as browsers get it: pictures are addresses, never data. */
export type WireContent =
  Content | { readonly type: "image"; readonly mimeType: string; readonly url: string };

export type WireMessage = Omit<Message, "content"> & { readonly content: readonly WireContent[] };

/** Tokens and money of a session so far. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** In the provider's currency, dollars mostly. */
  readonly cost: number;
}

/** A conversation as it was before its running step. */
export interface Snapshot {
  readonly sessionId: string;
  readonly name: string;
  readonly cwd: string;
  readonly state: SessionPhase;
  readonly model?: string;
  readonly usage?: Usage;
  /** The last 200 that were committed. */
  readonly messages: readonly WireMessage[];
  /** The key to ask older messages with; absent when these are all. */
  readonly before?: string;
  /** The turn that runs, if one does. */
  readonly turn?: { readonly id: string; readonly startedAt: number; readonly outcome?: TurnOutcome };
  /** Prompts that wait for their turn. */
  readonly queue: readonly { readonly requestId: string; readonly text: string }[];
}

export type ClientFrame =
  | { readonly type: "subscribe"; readonly sessionId: string }
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
  | { readonly type: "hello"; readonly epoch: string; readonly version: string }
  | { readonly type: "heartbeat"; readonly at: number }
  | { readonly type: "pong" }
  | { readonly type: "sessions"; readonly sessions: readonly SessionInfo[] }
  /** The answer to `subscribe`; then come the open questions, then one `session_events` when a step runs. */
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

/**
 * A session's event on the wire. In a batch a `message_update` carries the whole partial message; live it carries a
 * delta.
 */
export type WireEvent =
  | SessionEvent
  | {
      readonly type: "message_update";
      readonly seq: number;
      readonly at: number;
      readonly key: string;
      readonly message: WireMessage;
    };
