import type { Face, Message, ReplayEvent, SessionEvent } from "./events.ts";
import type { SessionId, TurnId } from "./ids.ts";
import type { PromptDraft } from "./prompt.ts";
import type { AnswerValue, Question } from "./question.ts";
import type { Transcript } from "./transcript.ts";
import type { TurnOutcome } from "./turn.ts";
import type { PromptMode, SessionFrame, SessionInfo, Snapshot } from "./wire.ts";

/** Called synchronously for each event of a session, in order. One that throws is detached; the others go on. */
export type SessionSink = (event: SessionEvent) => void;

/** A prompt that was handed to a session, and what became of it. */
export interface Turn {
  readonly id: TurnId;
  /** Settles once and never rejects: whether the agent took the prompt into its history. False once another prompt took it in. */
  readonly accepted: Promise<boolean>;
  /** Settles once and never rejects. A turn that was replaced or dropped before it began ends without any event. */
  readonly ended: Promise<TurnOutcome>;
}

/** What became of a prompt that was changed after it was handed to a session. */
export type Amended =
  /** No agent has it yet: it is asked as it is now. */
  | { readonly type: "waits" }
  /** An agent may have it as it was. Where it does not accept that, it is asked as it is now. */
  | { readonly type: "handed"; readonly turnId: TurnId; readonly accepted: Promise<boolean> }
  /** An agent has it as it was, and works on it. The change is not taken. */
  | { readonly type: "accepted"; readonly turnId: TurnId }
  /** Its turn has ended, or is being ended. The change is not taken. */
  | { readonly type: "over" };

/** How a turn ended, and what its answer said. */
export interface TurnEnding {
  readonly outcome: TurnOutcome;
  /** The text of the turn's last message of the agent; empty when there was none. */
  readonly text: string;
}

/** The running turn, as whoever heard of it from its begin on has it. */
export interface TurnSoFar {
  readonly id: TurnId;
  /** Where it was begun. */
  readonly face: Face;
  /** Its own messages and no others. The session's next event bears the number after this one's. */
  readonly transcript: Transcript;
}

/** One conversation with one agent process. It knows no face: faces attach to it. */
export interface Session {
  readonly id: SessionId;
  /** The first line of its first prompt unless a person gave it another name; empty before either. */
  readonly name: string;
  readonly cwd: string;
  /** True once its removal has begun: it takes nothing any more, and a chat that spoke with it begins anew. */
  readonly isRemoved: boolean;
  /**
   * Calls `sink` with every event from now on, and `queueChanged` when other prompts wait than before. One synchronous
   * block. Returns what detaches both.
   */
  attach(sink: SessionSink, queueChanged?: () => void): () => void;
  /**
   * Makes a turn of `draft`. Last writer wins: a running turn is aborted and its end awaited first. What came this way or
   * by `enqueue` and was superseded before the agent accepted it goes in front of its successor. The draft is released
   * by the session. Throws a SessionRemovedError once the session is being removed; while evie ends, the prompt is kept for
   * the next start. Throws a TooManyPromptsError when there is no room for it; then the draft is the caller's, as whenever it
   * cannot be written down. So do `enqueue` and `prompt`, which releases it.
   */
  run(draft: PromptDraft, face: Face): Turn;
  /**
   * Makes a turn of `draft` that begins when all turns before it have ended, or joins it to the one that waits already.
   * The draft is released by the session.
   */
  enqueue(draft: PromptDraft, face: Face): Turn;
  /** The turn that prompts of `enqueue` wait in; undefined when none does. */
  readonly waitingTurn: TurnId | undefined;
  /** Lets a turn that waits, or a prompt by its request's id, take the running turn's place. False when it does not wait. */
  hurry(waiting: string): boolean;
  /**
   * Puts `draft` in the place of the one that is made of the source of that number. The one before is not released, since
   * they may share their files. Throws when it cannot be kept; then nothing has changed.
   */
  amend(source: number, draft: PromptDraft): Amended;
  /** How many turns wait for the running one's end. */
  readonly waiting: number;
  /**
   * On which face the turn was begun that a prompt meets which comes now: the one that is about to run, or else the
   * running one, unless it is being ended. Undefined when there is none.
   */
  readonly upcomingFace: Face | undefined;
  /**
   * The running turn, for a sink that comes when it has begun: asked in the same synchronous block as `attach`, it and the
   * events that follow are all of the turn, once. Undefined when none runs.
   */
  readonly turnSoFar: TurnSoFar | undefined;
  /** Tells those who watch that the chat of this session speaks with `by` from now on. */
  replacedBy(by: SessionId): void;
  /** To be called when a chat speaks with it that did not before: those who list the sessions are told. */
  chatChanged(): void;
  /** Starts the agent if it rests, so that it is ready when the prompt is. */
  wake(): void;
  /** Ends the running turn and drops what waits for it. False when there was nothing to end. */
  stop(): boolean;
  /** Resolves when no turn of it runs or waits. */
  idle(): Promise<void>;
  /**
   * Ends everything of this session and dismisses its agent; resolves when the agent was seen to exit. The
   * conversation stays on disk, and a later prompt resumes it.
   */
  dismiss(): Promise<void>;
}

/** The sessions of this machine. */
export interface Sessions {
  /** A new conversation in folder `cwd` (the workspace when none is named). */
  create(options: { readonly cwd?: string; readonly face: Face }): Session;
  /** The session of that id, resumed from the store when it is not in memory. */
  open(id: SessionId): Session | undefined;
}

/** What somebody who begins to observe a session is given. Nothing of it is changed afterwards. */
export interface Observation {
  /** What was so before the running step. */
  readonly snapshot: Snapshot;
  /** The number of the last event that the snapshot holds. */
  readonly seq: number;
  /** The number of the last event of all: the next one that is told bears the number after it. */
  readonly lastSeq: number;
  /** Those that wait for an answer, the oldest first. */
  readonly questions: readonly Question[];
  /** The running step, to be folded onto the snapshot; empty when none runs. */
  readonly replay: readonly ReplayEvent[];
  readonly detach: () => void;
}

export interface PromptOptions {
  readonly face: Face;
  readonly mode: PromptMode;
  /** The sender's own name for this prompt: sent again under it within a day, it does not run again. */
  readonly requestId: string;
  /** What is shown of it while it waits. */
  readonly text: string;
}

/** A prompt that was taken: the turn that answers it, and how that ends. */
export interface TakenPrompt {
  readonly turnId: TurnId;
  /** True when the same request was taken before; then nothing new runs. */
  readonly known: boolean;
  /** Settles once, when the turn has ended, and never rejects. */
  readonly ending: Promise<TurnEnding>;
}

/** What became of an answer to a question. */
export type Answered = "taken" | "already answered" | "closed" | "unknown" | "wrong kind";

/** A session as those see it who show all of it and not only what comes. */
export interface ObservedSession extends Session {
  info(): SessionInfo;
  /** The session as it is now, and from then on every frame: one synchronous block. An observer that throws is detached. */
  observe(observer: (frame: SessionFrame) => void): Observation;
  /** The messages before the one with the key `before`, the oldest first; as many as fit, at most 200, and one at least. */
  messagesBefore(before: string): { readonly messages: readonly Message[]; readonly before?: string };
  /** A message whole, also one that was too large to be shown so; undefined for an unknown key. */
  message(key: string): Message | undefined;
  /**
   * Makes a turn of `draft` that no other prompt is joined with, or says it into the running one. The draft is released by
   * the session. Throws a RequestIdError when the request's id was taken by a prompt that says something else.
   */
  prompt(draft: PromptDraft, options: PromptOptions): TakenPrompt;
  /** Takes back what waits: a prompt by its request's id, or a turn. False when it does not wait. */
  withdraw(waiting: string): boolean;
  /** The first answer wins. */
  answer(questionId: string, value: AnswerValue): Answered;
  rename(name: string): void;
}

/** A folder that no session may work in. The message says why and what to do. */
export class FolderError extends Error {
  readonly folder: string;

  constructor(folder: string, message: string) {
    super(message);
    this.name = "FolderError";
    this.folder = folder;
  }
}

/** A session that is being removed, or was. It takes nothing any more, also from who still holds it. */
export class SessionRemovedError extends Error {
  readonly session: SessionId;

  constructor(session: SessionId) {
    super("This session was removed. Begin a new one.");
    this.name = "SessionRemovedError";
    this.session = session;
  }
}

/** A prompt for which there is no room, since too many wait already: in its session, or in all of evie. Nothing was taken. */
export class TooManyPromptsError extends Error {
  readonly where: "session" | "evie";

  constructor(where: TooManyPromptsError["where"]) {
    super(
      where === "session"
        ? "Too many prompts wait in this session. Send this one when the agent has answered some of them, or take some back."
        : "Too many prompts wait on this machine. Send this one again when some of them are answered.",
    );
    this.name = "TooManyPromptsError";
    this.where = where;
  }
}

/** A request's id that was used before, within a day, for a prompt that says something else. */
export class RequestIdError extends Error {
  readonly requestId: string;

  constructor(requestId: string) {
    super(
      `The request id ${JSON.stringify(requestId.slice(0, 80))} was used for another prompt. Send this one under an id of its own.`,
    );
    this.name = "RequestIdError";
    this.requestId = requestId;
  }
}

/** All sessions of this machine, for those who list them. */
export interface SessionDirectory extends Sessions {
  /** Throws a FolderError for a `cwd` that is not a folder inside the workspace. */
  create(options: { readonly cwd?: string; readonly face: Face; readonly name?: string }): ObservedSession;
  open(id: SessionId): ObservedSession | undefined;
  /** All of them, those that rest included, the last used first. No agent is started. */
  list(): readonly SessionInfo[];
  /** From now on `changed` is called when the list is another one; the answer ends that. */
  watch(changed: () => void): () => void;
  /**
   * Ends a session and removes everything of it: "in use" while a Telegram chat speaks with it. From the call on nobody
   * finds it, and it takes no prompts. Where it cannot be removed, the promise rejects and the session is there again.
   */
  remove(id: SessionId): Promise<"removed" | "unknown" | "in use">;
}
