import type { Agent, AgentRun, RunEnd } from "../domain/agent.ts";
import type { Face, TurnEvent } from "../domain/events.ts";
import { type AgentFailure, failureSentence } from "../domain/failure.ts";
import { makeTurnId, type TurnId } from "../domain/ids.ts";
import { isEmptyPrompt, joinPrompts, type Prompt, type PromptDraft } from "../domain/prompt.ts";
import type { Turn } from "../domain/sessions.ts";
import type { TurnOutcome } from "../domain/turn.ts";

export interface TurnRunnerPorts {
  /** The session's agent, ready for a prompt and started when it rests; or why there is none. Never rejects. */
  readonly agent: () => Promise<Agent | AgentFailure>;
  readonly emit: (event: TurnEvent) => void;
  /** A fault of evie's own, for the log. */
  readonly fault: (error: unknown) => void;
}

export interface TurnRunner {
  run(draft: PromptDraft, face: Face): Turn;
  stop(): boolean;
  /** True while a turn runs or waits. */
  readonly busy: boolean;
  /** Resolves when no turn runs or waits. */
  idle(): Promise<void>;
}

/** A turn that waits for its predecessor's end, with every draft that was superseded into it, oldest first. */
interface WaitingTurn {
  readonly id: TurnId;
  readonly face: Face;
  readonly drafts: readonly PromptDraft[];
  readonly settle: (outcome: TurnOutcome) => void;
}

interface RunningTurn extends WaitingTurn {
  /** Why it is being ended, once it is. */
  interruption?: "replaced" | "stopped";
  /** Lets go of whatever the turn is waiting for. */
  readonly interrupted: PromiseWithResolvers<void>;
  /** The agent and its run, from hand-over on. */
  handed?: { readonly agent: Agent; readonly run: AgentRun };
}

/**
 * Abort and replace: one turn at a time, last writer wins.
 *
 * A new prompt aborts the running turn and waits for its end. What the agent never accepted is not lost: its
 * drafts go in front of the successor's. Start and end always pair, and the end of one turn comes before the
 * start of the next.
 */
export function createTurnRunner({ agent: takeAgent, emit, fault }: TurnRunnerPorts): TurnRunner {
  let running: RunningTurn | undefined;
  let waiting: WaitingTurn | undefined;
  const whenIdle: (() => void)[] = [];

  function interrupt(turn: RunningTurn, reason: "replaced" | "stopped"): void {
    // A stop outlives a replacement: what was stopped must not be carried into a prompt that comes later.
    if (turn.interruption !== "stopped") turn.interruption = reason;
    turn.interrupted.resolve();
    turn.handed?.agent.abort();
  }

  function begin(next: WaitingTurn): void {
    const turn: RunningTurn = { ...next, interrupted: Promise.withResolvers<void>() };
    running = turn;
    waiting = undefined;
    emit({ type: "agent_start", turnId: turn.id, face: turn.face });
    perform(turn)
      .catch((error: unknown): TurnEnd => {
        fault(error);
        return { accepted: true, outcome: failed({ type: "internal", reason: messageOf(error) }) };
      })
      .then((end) => finish(turn, end))
      .catch(fault);
  }

  /**
   * The end of one turn and the start of the next, in one synchronous step. The turn counts as running until its
   * end was told: a face that prompts while it hears of the end must not have its start told before that end.
   */
  function finish(turn: RunningTurn, { accepted, outcome }: TurnEnd): void {
    if (outcome.type === "replaced" && !accepted && waiting !== undefined) {
      waiting = { ...waiting, drafts: [...turn.drafts, ...waiting.drafts] };
    } else {
      release(turn.drafts);
    }
    emit({ type: "agent_end", turnId: turn.id, outcome });
    turn.settle(outcome);
    running = undefined;
    if (waiting !== undefined) begin(waiting);
    else whenIdle.splice(0).forEach((resolve) => resolve());
  }

  async function perform(turn: RunningTurn): Promise<TurnEnd> {
    const prompt = await unlessInterrupted(turn, readyPrompt(turn.drafts));
    if (prompt === undefined) return notAccepted(turn);
    if (isEmptyPrompt(prompt)) return { accepted: false, outcome: { type: "done" } };

    const agent = await unlessInterrupted(turn, takeAgent());
    if (agent === undefined) return notAccepted(turn);
    if ("type" in agent) return { accepted: false, outcome: failed(agent) };

    const run = agent.run(prompt);
    turn.handed = { agent, run };
    const accepted = await run.accepted;
    return { accepted, outcome: outcomeOf(await run.ended, turn) };
  }

  return {
    run(draft, face) {
      const { promise: ended, resolve: settle } = Promise.withResolvers<TurnOutcome>();
      const superseded = waiting;
      const turn: WaitingTurn = {
        id: makeTurnId(),
        face,
        drafts: [...(superseded?.drafts ?? []), draft],
        settle,
      };
      superseded?.settle({ type: "replaced" });
      if (running === undefined) {
        begin(turn);
      } else {
        waiting = turn;
        interrupt(running, "replaced");
      }
      return { id: turn.id, ended };
    },

    stop() {
      const dropped = waiting;
      waiting = undefined;
      if (dropped !== undefined) {
        release(dropped.drafts);
        dropped.settle({ type: "stopped" });
      }
      if (running === undefined) return dropped !== undefined;
      // One that is being stopped already may take seconds to end; a second stop finds nothing to do.
      const stops = running.interruption !== "stopped";
      if (stops) interrupt(running, "stopped");
      return stops || dropped !== undefined;
    },

    get busy() {
      return running !== undefined || waiting !== undefined;
    },

    idle: () =>
      new Promise((resolve) => {
        if (running === undefined) resolve();
        else whenIdle.push(resolve);
      }),
  };
}

interface TurnEnd {
  readonly accepted: boolean;
  readonly outcome: TurnOutcome;
}

async function readyPrompt(drafts: readonly PromptDraft[]): Promise<Prompt> {
  return joinPrompts(await Promise.all(drafts.map((draft) => draft.ready)));
}

/** What `work` gives, or undefined as soon as the turn is interrupted. The work itself goes on and is let go of. */
async function unlessInterrupted<Value>(turn: RunningTurn, work: Promise<Value>): Promise<Value | undefined> {
  const result = await Promise.race([work, turn.interrupted.promise]);
  return turn.interruption === undefined ? (result as Value) : undefined;
}

function notAccepted(turn: RunningTurn): TurnEnd {
  return { accepted: false, outcome: { type: turn.interruption ?? "stopped" } };
}

function outcomeOf(end: RunEnd, { interruption }: RunningTurn): TurnOutcome {
  // The agent may finish its answer just as it is told to stop: then the answer is whole.
  if (end.type === "done") return { type: "done" };
  if (interruption !== undefined) return { type: interruption };
  return end.type === "aborted" ? { type: "stopped" } : failed(end.failure);
}

function failed(failure: AgentFailure): TurnOutcome {
  return { type: "failed", message: failureSentence(failure) };
}

function release(drafts: readonly PromptDraft[]): void {
  for (const draft of drafts) draft.release();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
