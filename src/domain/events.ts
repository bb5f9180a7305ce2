import type { TurnId } from "./ids.ts";
import type { InterruptedOutcome, TurnOutcome } from "./turn.ts";

/*
 * Everything that can happen in a session, on one page. The type names are pi's, because they also travel to
 * browsers: `agent_start` and `agent_end` bound a Turn, `turn_start` and `turn_end` bound a Step inside it.
 */

export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** `args` is JSON text, and incomplete while it streams. */
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly args: string }
  /** A picture by its address, never its data. */
  | { readonly type: "image"; readonly mimeType: string; readonly url: string };

/** Tokens and money. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** In the provider's currency, dollars mostly. */
  readonly cost: number;
}

/** `pending` while the message streams; the others are how it ended. */
export type StopReason = "pending" | "stop" | "length" | "toolUse" | "error" | "aborted";

export interface Message {
  /** Unique in its session and stable from the message's start to its end. */
  readonly key: string;
  readonly role: "user" | "assistant" | "toolResult";
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly content: readonly Content[];
  readonly stopReason?: StopReason;
  readonly error?: string;
  /** What the answer cost, once it has ended. */
  readonly usage?: Usage;
  /** Which model gave the answer. */
  readonly model?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  /** Said after the interruption of its turn: no face was told of it while it came, and none shows it as the answer. */
  readonly afterStop?: true;
  /** Long texts of it are cut to head and tail here. The session has all of it. */
  readonly shortened?: true;
}

/** A piece of a message in flight: `text` is appended to the content at `contentIndex`, which it opens when it is the first. */
export interface MessageDelta {
  readonly contentIndex: number;
  readonly kind: "text" | "thinking" | "toolCall";
  readonly text: string;
  /** With the first delta of a tool call. */
  readonly toolCall?: { readonly id: string; readonly name: string };
}

/** What the person is told while a turn runs, one line each. */
export type Notice =
  | {
      readonly type: "retrying";
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | { readonly type: "compacting" }
  /** The turn waits until an agent of another session has finished: `most` run, as many as may. */
  | { readonly type: "waiting_for_agent"; readonly most: number }
  | { readonly type: "question_cancelled"; readonly title: string }
  /** The agent waits for an answer, which can be given at the address `answerAt`. */
  | { readonly type: "question_open"; readonly title: string; readonly answerAt: string }
  | { readonly type: "image_omitted" }
  /** The file of the session could not be read, so the agent knows nothing of what was said before. */
  | { readonly type: "history_lost" }
  | { readonly type: "extension_message"; readonly text: string };

/** What an agent's driver says. No numbers and no times yet: the session gives them. */
export type AgentEvent =
  | { readonly type: "turn_start" }
  | { readonly type: "message_start"; readonly key: string; readonly message: Message }
  | { readonly type: "message_update"; readonly key: string; readonly delta: MessageDelta }
  /** Authoritative: replaces what the deltas built. */
  | { readonly type: "message_end"; readonly key: string; readonly message: Message }
  /** The attempt failed and the agent starts over: the message leaves every face. */
  | { readonly type: "message_discard"; readonly key: string }
  | {
      readonly type: "tool_execution_start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly summary: string;
    }
  /** `output` is cumulative, as the agent sends it (pi: the tail, at most 50 kB). */
  | {
      readonly type: "tool_execution_update";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: string;
    }
  | {
      readonly type: "tool_execution_end";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: string;
      readonly isError: boolean;
    }
  | { readonly type: "turn_end" }
  | { readonly type: "notice"; readonly notice: Notice };

/** Which face a turn was begun on. */
export type Face = "telegram" | "http" | "deck";

export type TurnEvent =
  /** The first event of a turn. Emitted when it becomes the running one, before its files and its agent are ready. */
  | { readonly type: "agent_start"; readonly turnId: TurnId; readonly face: Face }
  /**
   * The turn is being ended, by a stop or by a prompt that replaces it: what there is of it is final from here on, though its
   * agent may need seconds to end. At most one a turn. Until the turn's end nothing of the agent's follows it.
   */
  | { readonly type: "agent_interrupted"; readonly turnId: TurnId; readonly outcome: InterruptedOutcome }
  /** The last event of a turn: exactly one for each `agent_start`. */
  | { readonly type: "agent_end"; readonly turnId: TurnId; readonly outcome: TurnOutcome };

/** `seq` grows by one from event to event of a session; `at` is when evie received it, in milliseconds since 1970. */
export type SessionEvent = { readonly seq: number; readonly at: number } & (AgentEvent | TurnEvent);

/**
 * An event as it is replayed to whoever comes late: a `message_update` that carries the whole message so far. It
 * bears the number of the last event that it stands for.
 */
export type ReplayEvent =
  | SessionEvent
  | {
      readonly seq: number;
      readonly at: number;
      readonly type: "message_update";
      readonly key: string;
      readonly message: Message;
    };
