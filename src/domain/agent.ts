import type { Cut } from "./cut.ts";
import type { AgentEvent } from "./events.ts";
import type { AgentFailure } from "./failure.ts";
import type { Prompt } from "./prompt.ts";
import type { AnswerValue, Question } from "./question.ts";

export interface AgentOptions {
  /** The file that holds the conversation. It need not exist yet. */
  readonly sessionFile: string;
  /** The folder that the agent works in. */
  readonly cwd: string;
  /** Called synchronously for each event, in order, only between a run's hand-over and its end. */
  readonly emit: (event: AgentEvent) => void;
  /**
   * Called synchronously, only during a run, when the agent asks the person something. It waits until `answer` is
   * called, the question's time is over, or the run is aborted; of the last two it says nothing.
   */
  readonly ask: (question: Question) => void;
}

/** Starts one agent process on one session. Returns at once and never throws: what goes wrong is told by `ready`. */
export type StartAgent = (options: AgentOptions) => Agent;

/** One agent process. It takes one prompt at a time; whoever holds it serialises. */
export interface Agent {
  /** Settles once and never rejects: undefined when the agent can take a prompt, else why it cannot (and then it is gone). */
  readonly ready: Promise<AgentFailure | undefined>;
  /** Settles once, when the process has been seen to exit (or never started). Never rejects. */
  readonly gone: Promise<void>;
  /** Hands a prompt over. Call it after `ready`, and after the previous run's `ended`. */
  run(prompt: Prompt): AgentRun;
  /**
   * Asks the agent to abandon its run. `ended` follows: by the agent's own end, or, when it has not ended within
   * ABORT_GRACE, because it was dismissed. Without a run it does nothing. Idempotent.
   */
  abort(): void;
  /** Answers a question of the agent's; null says that nobody will. A question that is not open any more is let be. */
  answer(questionId: string, value: AnswerValue): void;
  /** Ends the process and the whole tree under it; resolves when its exit was seen. Idempotent, never rejects. */
  dismiss(): Promise<void>;
}

/** One prompt and everything the agent does to answer it. */
export interface AgentRun {
  /**
   * Settles once, never rejects. True: the agent took the prompt into its history. False: it refused it, or it
   * was gone before it could answer, so the prompt may be sent again without the model seeing it twice.
   */
  readonly accepted: Promise<boolean>;
  /** Settles once, never rejects, always after `accepted`; no event of this run follows it. */
  readonly ended: Promise<RunEnd>;
  /**
   * Says one more prompt into the run, to be heard before the model's next answer. Never rejects. False: the agent did
   * not take it, and it may be sent by itself. Left out where an agent cannot be spoken to while it works.
   */
  steer?(prompt: Prompt): Promise<boolean>;
}

export type RunEnd =
  /** With `cut`, what it said last is not whole. */
  | { readonly type: "done"; readonly cut?: Cut }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly failure: AgentFailure };
