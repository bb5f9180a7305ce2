import type { Face, SessionEvent } from "./events.ts";
import type { SessionId, TurnId } from "./ids.ts";
import type { PromptDraft } from "./prompt.ts";
import type { TurnOutcome } from "./turn.ts";

/** Called synchronously for each event of a session, in order. One that throws is detached; the others go on. */
export type SessionSink = (event: SessionEvent) => void;

/** A prompt that was handed to a session, and what became of it. */
export interface Turn {
  readonly id: TurnId;
  /** Settles once and never rejects. A turn that was superseded before it began ends as `replaced` without any event. */
  readonly ended: Promise<TurnOutcome>;
}

/** How a turn ended, and what its answer said. */
export interface TurnEnding {
  readonly outcome: TurnOutcome;
  /** The text of the turn's last message of the agent; empty when there was none. */
  readonly text: string;
}

/** One conversation with one agent process. It knows no face: faces attach to it. */
export interface Session {
  readonly id: SessionId;
  readonly cwd: string;
  /** From now on `sink` gets every event. One synchronous block; the answer detaches. */
  attach(sink: SessionSink): () => void;
  /**
   * Makes a turn of `draft`. Last writer wins: a running turn is aborted and its end awaited first; what was
   * superseded before the agent accepted it goes in front of its successor. The draft is released by the session.
   */
  run(draft: PromptDraft, face: Face): Turn;
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
