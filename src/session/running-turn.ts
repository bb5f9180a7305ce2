import type { Agent, AgentRun, RunEnd } from "../domain/agent.ts";
import { type Cut, cutSentence } from "../domain/cut.ts";
import { type AgentFailure, failureSentence } from "../domain/failure.ts";
import { joinPrompts, type Prompt } from "../domain/prompt.ts";
import type { InterruptedOutcome, Interruption, TurnOutcome } from "../domain/turn.ts";
import type { TurnDraft, WaitingTurn } from "./waiting-turn.ts";

export interface RunningTurn extends WaitingTurn {
  /** Others than at its begin where one was amended. */
  drafts: readonly TurnDraft[];
  /** Why it is being ended, once it is. */
  interruption?: Interruption;
  /** Its end is being told, or was: nothing is left to interrupt. */
  over?: boolean;
  /** It is ended because evie ends: the next start looks after it. */
  left?: boolean;
  /** Lets go of whatever the turn is waiting for. */
  readonly interrupted: PromiseWithResolvers<void>;
  /** The agent and its run, from hand-over on. */
  handed?: { readonly agent: Agent; readonly run: AgentRun };
  /** Whether the agent took the prompt into its history, once it said so. */
  accepted?: boolean;
}

/** How a turn ended, and whether the agent took its prompt into its history. */
export interface TurnEnd {
  readonly accepted: boolean;
  readonly outcome: TurnOutcome;
}

/**
 * Makes the one prompt of all that the turn is made of, once their files have settled. To be called as the turn begins:
 * what its drafts continue has ended then, and has been accepted or will never be.
 */
export async function readyPrompt(drafts: readonly TurnDraft[]): Promise<Prompt> {
  return joinPrompts(
    await Promise.all(
      drafts.map(async ({ ready, continues, continued }) => {
        const label = continued?.taken === true ? continues?.label : undefined;
        const prompt = await ready;
        return label === undefined ? prompt : { ...prompt, text: `${label}\n${prompt.text}`.trimEnd() };
      }),
    ),
  );
}

/** What `work` gives, or undefined as soon as the turn is interrupted. The work itself goes on and is let go of. */
export async function unlessInterrupted<Value>(
  turn: RunningTurn,
  work: Promise<Value>,
): Promise<Value | undefined> {
  const result = await Promise.race([work, turn.interrupted.promise]);
  return turn.interruption === undefined ? (result as Value) : undefined;
}

/** The end of a turn that was interrupted before its prompt was handed over. */
export function notAccepted(turn: RunningTurn): TurnEnd {
  return { accepted: false, outcome: { type: turn.interruption ?? "stopped" } };
}

/** The outcome of a turn that nobody interrupted. */
export function outcomeOf(end: RunEnd): TurnOutcome {
  if (end.type === "done") return doneOutcome(end.cut);
  return end.type === "aborted" ? { type: "stopped" } : failed(end.failure);
}

function doneOutcome(cut: Cut | undefined): TurnOutcome {
  if (cut === undefined) return { type: "done" };
  return { type: "done", cut: { reason: cut.type, message: cutSentence(cut) } };
}

export function failed(failure: AgentFailure): TurnOutcome {
  return { type: "failed", message: failureSentence(failure) };
}

/** What whoever sent a request is told that another prompt replaced before the agent had it. */
export const NEVER_REACHED =
  "This prompt never reached the agent: another one took its place first. Send it again, under another id, if it is still wanted.";

/** How a turn ends whose place another one takes. `message` is for a prompt that nothing carries on. */
export function replacedBy(next: WaitingTurn | undefined, message?: string): InterruptedOutcome {
  return {
    type: "replaced",
    ...(next === undefined ? {} : { by: next.face }),
    ...(message === undefined ? {} : { message }),
  };
}
