import type { Face, Message, Usage } from "../domain/events.ts";
import type { ChatPlace, SessionId, TurnId } from "../domain/ids.ts";
import type { KeptDraft, PromptImage } from "../domain/prompt.ts";
import type { TurnEnding } from "../domain/sessions.ts";
import type { Interruption, TurnOutcome } from "../domain/turn.ts";

/*
 * What the sessions need of a store. Each call throws when the store does, and what it wrote outlives evie when it returns.
 */

/** What becomes known of a session while it is used. */
export interface SessionFacts {
  readonly name?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** True when its last turn failed. */
  readonly failed?: boolean;
}

/** What is remembered of a session while evie is down. */
export interface SessionRecord extends SessionFacts {
  readonly id: SessionId;
  readonly cwd: string;
  readonly face: Face;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

export interface SessionLedger {
  add(record: Omit<SessionRecord, "lastUsedAt" | keyof SessionFacts>): void;
  get(id: SessionId): SessionRecord | undefined;
  /** The last used first. */
  list(): readonly SessionRecord[];
  /** Notes the facts that are named. */
  note(id: SessionId, facts: SessionFacts): void;
  remove(id: SessionId): void;
}

/** What was said in each session. */
export interface MessageLedger {
  /** Behind all others, or in the place of the one with its key. */
  save(session: SessionId, message: Message): void;
  forget(session: SessionId, key: string): void;
  get(session: SessionId, key: string): Message | undefined;
  /**
   * The last `limit` of those before `before`, the oldest first, and whether there are more. With `bytes` as many of
   * them as have at most so many bytes of JSON, one at least.
   */
  page(
    session: SessionId,
    limit: number,
    before?: string,
    bytes?: number,
  ): { readonly messages: readonly Message[]; readonly more: boolean };
}

/** Which prompts were taken, by the names that their senders gave them. */
export interface RequestLedger {
  get(
    session: SessionId,
    requestId: string,
  ):
    | {
        readonly turnId: TurnId;
        /** A digest of what it said; absent where an earlier evie took it. */
        readonly body?: string;
        readonly at: number;
        readonly begun: boolean;
        readonly ending?: TurnEnding;
      }
    | undefined;
  /** Forgets those of before `oldest`. */
  add(
    session: SessionId,
    requestId: string,
    request: {
      readonly turnId: TurnId;
      readonly body: string;
      readonly at: number;
      readonly oldest: number;
    },
  ): void;
  begin(session: SessionId, requestId: string): void;
  end(session: SessionId, requestId: string, ending: TurnEnding): void;
  /** The requests of a turn that have no end, the oldest first. */
  of(session: SessionId, turnId: TurnId): readonly string[];
}

/** The pictures of prompts, as long as their session. */
export interface PictureLedger {
  /** Keeps a copy and gives its name. */
  keep(session: SessionId, image: PromptImage): string;
  drop(session: SessionId): void;
}

/** Every turn, from its flush to its end. Its session was used when an agent took it, and when it ended. */
export interface TurnLedger {
  /**
   * A turn is there; told again of the same one, it is made of what is named now. All that `instead` was made of is in it.
   * `prompt` is kept until an agent has it.
   */
  flushed(
    turn: {
      readonly id: TurnId;
      readonly sessionId: SessionId;
      readonly face: Face;
      readonly sources: readonly number[];
      readonly prompt?: readonly KeptDraft[];
    },
    instead?: TurnId,
  ): void;
  /** Its prompt is about to be written to the agent, whose session file holds so many bytes. */
  handed(id: TurnId, fileSize: number): void;
  accepted(id: TurnId): void;
  /** It is being ended, and this is all that its answer will be: what the agent said so far, a text a message. */
  ending(id: TurnId, reason: Interruption, said: readonly string[]): void;
  /** How it ended and all that the agent said in it, a text a message. */
  ended(id: TurnId, outcome: TurnOutcome, said: readonly string[]): void;
}

/** The sessions that nobody uses, for whoever removes them. Times in milliseconds since 1970. */
export interface UnusedLedger {
  /** Those that were used last before `before`, and which nothing needs that is written down. */
  unusedSessions(before: number): readonly SessionId[];
  /** Lets no chat speak with a session any more: each begins anew. */
  unpoint(id: SessionId): void;
  /** Removes a session's messages, bit by bit, as they are taken. */
  messagesOf(id: SessionId): Iterable<undefined>;
}

export interface Ledgers {
  readonly turns: TurnLedger;
  readonly sessions: SessionLedger;
  readonly messages: MessageLedger;
  readonly requests: RequestLedger;
  readonly pictures: PictureLedger;
  /** Which Telegram chat speaks with a session, if one does. */
  readonly chatOf: (session: SessionId) => ChatPlace | undefined;
}
