import type { Agent, AgentRun } from "../domain/agent.ts";
import type { Face, TurnEvent } from "../domain/events.ts";
import type { AgentFailure } from "../domain/failure.ts";
import type { TurnId } from "../domain/ids.ts";
import { isEmptyPrompt, type PromptDraft } from "../domain/prompt.ts";
import type { Turn } from "../domain/sessions.ts";
import type { TurnOutcome } from "../domain/turn.ts";
import {
  failed,
  notAccepted,
  outcomeOf,
  readyPrompt,
  type RunningTurn,
  type TurnEnd,
  unlessInterrupted,
} from "./running-turn.ts";
import { drop, makeTurn, release, rowOf, type TurnRow, type WaitingTurn } from "./waiting-turn.ts";

/** What is written down of a session's turns, and outlives evie once a call returns. Each throws when it cannot be. */
export interface RunnerLedger {
  /** A turn is there, made of this. It takes the place of `instead`, whose prompt is in front of its own. */
  flushed(turn: TurnRow, instead?: TurnId): void;
  /** Its prompt is about to be handed to the agent. */
  handed(id: TurnId): void;
  accepted(id: TurnId): void;
  /** It is being ended, which may take a while. */
  ending(id: TurnId, reason: "replaced" | "stopped"): void;
  ended(id: TurnId, outcome: TurnOutcome): void;
}

export interface TurnRunnerPorts {
  readonly ledger?: RunnerLedger;
  /** The session's agent, ready for a prompt and started when it rests; or why there is none. Never rejects. */
  readonly agent: () => Promise<Agent | AgentFailure>;
  readonly emit: (event: TurnEvent) => void;
  /** A fault of evie's own, for the log. */
  readonly fault: (error: unknown) => void;
  /** The prompts that wait for their turn are others now. */
  readonly queueChanged?: () => void;
}

/** A prompt that waits for its turn. */
export interface Waiting {
  readonly id: TurnId;
  readonly face: Face;
}

export interface TurnRunner {
  /** Takes the running turn's place. Those that wait stay in order behind it. */
  run(draft: PromptDraft, face: Face, id?: TurnId): Turn;
  /** Begins when all turns before it have ended. Of several drafts where those were joined before evie was restarted. */
  enqueue(drafts: readonly PromptDraft[], face: Face, id?: TurnId): Turn;
  /** What waits for the running turn's end, the next one first. */
  readonly queue: readonly Waiting[];
  /** Lets one that waits take the running turn's place. False when none of that id waits. */
  promote(id: TurnId): boolean;
  /** Takes back one that waits. False when none of that id does. */
  withdraw(id: TurnId): boolean;
  /** The turn that runs, and the agent's side of it from the moment on that it accepted the prompt. */
  readonly running: { readonly id: TurnId; readonly face: Face; readonly run?: AgentRun } | undefined;
  /**
   * Ends the running turn and drops what waits. With `leaving` because evie ends: then none of that is written down, so
   * that the next start finds what is still to be answered.
   */
  stop(options?: { readonly leaving?: boolean }): boolean;
  /** True while a turn runs or waits. */
  readonly busy: boolean;
  /** Resolves when no turn runs or waits. */
  idle(): Promise<void>;
}

/**
 * Abort and replace: one turn at a time, last writer wins.
 *
 * A new prompt aborts the running turn and waits for its end. What the agent never accepted is not lost: its
 * drafts go in front of the successor's. Start and end always pair, and the end of one turn comes before the
 * start of the next.
 */
export function createTurnRunner(ports: TurnRunnerPorts): TurnRunner {
  const { agent: takeAgent, emit, fault, ledger, queueChanged = () => undefined } = ports;
  let running: RunningTurn | undefined;
  /** What replaces the running turn. */
  let waiting: WaitingTurn | undefined;
  /** What comes after that, in order. */
  let queue: readonly WaitingTurn[] = [];
  const whenIdle: (() => void)[] = [];

  /** Writes down what has happened anyway: that it cannot be written is no reason to stop. */
  function note(write: (ledger: RunnerLedger) => void): void {
    try {
      if (ledger !== undefined) write(ledger);
    } catch (error) {
      fault(error);
    }
  }

  function interrupt(turn: RunningTurn, reason: "replaced" | "stopped"): void {
    if (turn.left !== true) note((each) => each.ending(turn.id, reason));
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
      const heir = { ...waiting, drafts: [...turn.drafts, ...waiting.drafts] };
      waiting = heir;
      note((each) => each.flushed(rowOf(heir), turn.id));
    } else {
      release(turn.drafts);
      if (turn.left !== true || outcome.type !== "stopped") note((each) => each.ended(turn.id, outcome));
    }
    turn.accept(accepted);
    emit({ type: "agent_end", turnId: turn.id, outcome });
    turn.settle(outcome);
    running = undefined;
    const next = waiting ?? queue[0];
    if (next === undefined) return whenIdle.splice(0).forEach((resolve) => resolve());
    const isFromQueue = next !== waiting;
    if (isFromQueue) queue = queue.slice(1);
    begin(next);
    // Not before a turn runs again: whoever hears of it and prompts would begin a second one.
    if (isFromQueue) queueChanged();
  }

  function setQueue(next: readonly WaitingTurn[]): void {
    queue = next;
    queueChanged();
  }

  function takeFromQueue(id: TurnId): WaitingTurn | undefined {
    const found = queue.find((turn) => turn.id === id);
    if (found !== undefined) setQueue(queue.filter((turn) => turn !== found));
    return found;
  }

  /** Lets `turn` begin in place of the running one; what it supersedes goes in front of it. */
  function replace(turn: WaitingTurn): void {
    const superseded = waiting;
    const next = { ...turn, drafts: [...(superseded?.drafts ?? []), ...turn.drafts] };
    // First of all: when it cannot be written down, nothing has happened.
    ledger?.flushed(rowOf(next), superseded?.id);
    superseded?.accept(false);
    superseded?.settle({ type: "replaced" });
    if (running === undefined) return begin(next);
    waiting = next;
    interrupt(running, "replaced");
  }

  async function perform(turn: RunningTurn): Promise<TurnEnd> {
    const prompt = await unlessInterrupted(turn, readyPrompt(turn.drafts));
    if (prompt === undefined) return notAccepted(turn);
    if (isEmptyPrompt(prompt)) return { accepted: false, outcome: { type: "done" } };

    const agent = await unlessInterrupted(turn, takeAgent());
    if (agent === undefined) return notAccepted(turn);
    if ("type" in agent) return { accepted: false, outcome: failed(agent) };

    // Before the agent hears of it: after a crash it must be known that it may have.
    ledger?.handed(turn.id);
    const run = agent.run(prompt);
    turn.handed = { agent, run };
    const accepted = await run.accepted;
    turn.accepted = accepted;
    turn.accept(accepted);
    if (accepted) note((each) => each.accepted(turn.id));
    return { accepted, outcome: outcomeOf(await run.ended, turn) };
  }

  return {
    run(draft, face, id) {
      const { turn, accepted, ended } = makeTurn([draft], face, id);
      replace(turn);
      return { id: turn.id, accepted, ended };
    },

    enqueue(drafts, face, id) {
      const { turn, accepted, ended } = makeTurn(drafts, face, id);
      ledger?.flushed(rowOf(turn));
      if (running === undefined) begin(turn);
      else setQueue([...queue, turn]);
      return { id: turn.id, accepted, ended };
    },

    get queue() {
      return queue;
    },

    promote(id) {
      const turn = takeFromQueue(id);
      if (turn !== undefined) replace(turn);
      return turn !== undefined;
    },

    withdraw(id) {
      const turn = takeFromQueue(id);
      if (turn === undefined) return false;
      note((each) => each.ended(turn.id, { type: "stopped" }));
      drop(turn);
      return true;
    },

    get running() {
      if (running === undefined) return undefined;
      const { id, face, handed, accepted } = running;
      return { id, face, ...(accepted === true && handed !== undefined ? { run: handed.run } : {}) };
    },

    stop({ leaving = false } = {}) {
      const dropped = [...(waiting === undefined ? [] : [waiting]), ...queue];
      waiting = undefined;
      if (queue.length > 0) setQueue([]);
      for (const turn of dropped) {
        if (!leaving) note((each) => each.ended(turn.id, { type: "stopped" }));
        drop(turn);
      }
      if (leaving && running !== undefined) running.left = true;
      if (running === undefined) return dropped.length > 0;
      // One that is being stopped already may take seconds to end; a second stop finds nothing to do.
      const stops = running.interruption !== "stopped";
      if (stops) interrupt(running, "stopped");
      return stops || dropped.length > 0;
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
