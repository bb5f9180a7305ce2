import type { Agent, AgentRun } from "../domain/agent.ts";
import type { Face, TurnEvent } from "../domain/events.ts";
import type { AgentFailure } from "../domain/failure.ts";
import type { TurnId } from "../domain/ids.ts";
import { isEmptyPrompt, type PromptDraft } from "../domain/prompt.ts";
import type { Amended, Turn } from "../domain/sessions.ts";
import type { Interruption, TurnOutcome } from "../domain/turn.ts";
import {
  failed,
  NEVER_REACHED,
  notAccepted,
  outcomeOf,
  readyPrompt,
  replacedBy,
  type RunningTurn,
  type TurnEnd,
  unlessInterrupted,
} from "./running-turn.ts";
import { carryOn, emptyQueue, exchange, joinable, letIn, type TurnQueue, without } from "./turn-queue.ts";
import {
  amendedTurn,
  drop,
  isMadeOf,
  makeTurn,
  release,
  rowOf,
  type TurnDraft,
  type TurnOptions,
  type TurnRow,
  type WaitingTurn,
} from "./waiting-turn.ts";

/** What is written down of a session's turns, and outlives evie once a call returns. Each throws when it cannot be. */
export interface RunnerLedger {
  /** A turn is there, made of this; told again when another prompt joins it. It holds all that `instead` was made of. */
  flushed(turn: TurnRow, instead?: TurnId): void;
  /** Its prompt is about to be handed to the agent. */
  handed(id: TurnId): void;
  accepted(id: TurnId): void;
  /** It is being ended, which may take a while. */
  ending(id: TurnId, reason: Interruption): void;
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

/** A turn that waits. */
export interface Waiting {
  readonly id: TurnId;
  readonly face: Face;
  /** All that it is made of, oldest first. */
  readonly drafts: readonly PromptDraft[];
}

export interface TurnRunner {
  /**
   * Takes the running turn's place. Those that wait stay in order behind it. A prompt that is not `alone` joins the one
   * that waits already, and what it replaces before the agent had it.
   */
  run(draft: PromptDraft, face: Face, options?: TurnOptions): Turn;
  /** Begins when all turns before it have ended. A prompt that is not `alone` joins the one that waits already. */
  enqueue(drafts: readonly PromptDraft[], face: Face, options?: TurnOptions): Turn;
  /** What waits for the running turn's end, the next one first. */
  readonly queue: readonly Waiting[];
  /** All that no agent has yet: what waits, and what runs until it was accepted. */
  readonly unsaid: readonly PromptDraft[];
  /** Of those the one that a prompt joins which is not `alone`; undefined when none waits there. */
  readonly waitingTurn: TurnId | undefined;
  /**
   * On which face the turn was begun that a prompt meets which comes now: the one that is about to run, or else the
   * running one, unless it is being ended. Undefined when there is none.
   */
  readonly upcomingFace: Face | undefined;
  /** Puts a draft in the place of the one that is made of that source; see `Session`. */
  amend(source: number, draft: PromptDraft): Amended;
  /** Lets one that waits take the running turn's place. False when none of that id waits. */
  promote(id: TurnId): boolean;
  /** Takes back one that waits. False when none of that id does. */
  withdraw(id: TurnId): boolean;
  /** The turn that runs, and the agent's side of it from the moment on that it accepted the prompt. */
  readonly running:
    | {
        readonly id: TurnId;
        readonly face: Face;
        readonly run?: AgentRun;
        /** Why it is being ended, once it is. */
        readonly interruption?: Interruption;
      }
    | undefined;
  /**
   * Ends the running turn and drops what waits. With `leaving` because evie ends: then none of that is written down, so
   * that the next start finds what is still to be answered. What comes after that is only written down, for the same start.
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
 * A new prompt aborts the running turn and waits for its end. What a chat wrote and the agent never accepted is not lost:
 * its drafts go in front of the next prompt of the chat, or back to the front of the queue. A request is never joined with
 * another prompt: one that is replaced before the agent had it ends, and says so. Start and end always pair, and the end
 * of one turn comes before the start of the next. No turn waits for anything of another turn but its end.
 */
export function createTurnRunner(ports: TurnRunnerPorts): TurnRunner {
  const { agent: takeAgent, emit, fault, ledger, queueChanged = () => undefined } = ports;
  let running: RunningTurn | undefined;
  let queue: TurnQueue = emptyQueue;
  let isLeft = false;
  const whenIdle: (() => void)[] = [];

  /** Writes down what has happened anyway: that it cannot be written is no reason to stop. */
  function note(write: (ledger: RunnerLedger) => void): void {
    try {
      if (ledger !== undefined) write(ledger);
    } catch (error) {
      fault(error);
    }
  }

  /** Ends the turn. What faces show of it is final from here on, also where its agent goes on for seconds. */
  function interrupt(turn: RunningTurn, reason: Interruption): void {
    if (turn.over === true) return;
    if (turn.left !== true) note((each) => each.ending(turn.id, reason));
    const isFirst = turn.interruption === undefined;
    // A stop outlives a replacement: what was stopped must not be carried into a prompt that comes later.
    if (turn.interruption !== "stopped") turn.interruption = reason;
    if (isFirst) {
      const outcome = reason === "replaced" ? replacedBy(queue.next) : ({ type: reason } as const);
      emit({ type: "agent_interrupted", turnId: turn.id, outcome });
    }
    turn.interrupted.resolve();
    turn.handed?.agent.abort();
  }

  function begin(next: WaitingTurn): void {
    const turn: RunningTurn = { ...next, interrupted: Promise.withResolvers<void>() };
    running = turn;
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
  function finish(turn: RunningTurn, end: TurnEnd): void {
    const before = queue.behind;
    // Everybody was told so then. An agent that finishes just as it is told to stop, or fails, changes nothing of that.
    const ended = turn.interruption === undefined ? end : { ...end, outcome: { type: turn.interruption } };
    const outcome = conclude(turn, ended);
    turn.accept(end.accepted);
    turn.over = true;
    emit({ type: "agent_end", turnId: turn.id, outcome });
    turn.settle(outcome);
    running = undefined;
    const next = queue.next ?? queue.behind[0];
    if (next === undefined) return whenIdle.splice(0).forEach((resolve) => resolve());
    queue = next === queue.next ? { behind: queue.behind } : without(queue, next.id);
    begin(next);
    // Not before a turn runs again: whoever hears of it and prompts would begin a second one.
    if (queue.behind !== before) queueChanged();
  }

  /** Sees to what a turn was made of as it ends. Returns how it ended. */
  function conclude(turn: RunningTurn, { accepted, outcome }: TurnEnd): TurnOutcome {
    const isReplaced = outcome.type === "replaced";
    if (isReplaced && !accepted && !turn.alone) {
      const carried = carryOn(queue, turn);
      ({ queue } = carried);
      note((each) => each.flushed(rowOf(carried.heir), turn.id));
      return replacedBy(queue.next);
    }
    release(turn.drafts);
    const end = isReplaced ? replacedBy(queue.next, accepted ? undefined : NEVER_REACHED) : outcome;
    if (turn.left !== true || end.type !== "stopped") note((each) => each.ended(turn.id, end));
    return end;
  }

  function setQueue(next: TurnQueue): void {
    queue = next;
    queueChanged();
  }

  /** Gives drafts what tells whether the turn that they continue was accepted. */
  function bind(drafts: readonly PromptDraft[]): readonly TurnDraft[] {
    return drafts.map((draft) => {
      if (draft.continues === undefined) return draft;
      const { turn } = draft.continues;
      const known = [running, queue.next, ...queue.behind].find((each) => each?.id === turn);
      return known === undefined ? draft : { ...draft, continued: known.acceptance };
    });
  }

  /** Joins prompts to the turn that waits for them; undefined when none does. Throws when it cannot be written down. */
  function join(drafts: readonly PromptDraft[], instead?: TurnId): WaitingTurn | undefined {
    const waiting = joinable(queue);
    if (waiting === undefined) return undefined;
    const joined = { ...waiting, drafts: [...waiting.drafts, ...bind(drafts)] };
    // First of all: when it cannot be written down, nothing has happened.
    ledger?.flushed(rowOf(joined), instead);
    setQueue(exchange(queue, joined));
    return joined;
  }

  function make(drafts: readonly PromptDraft[], face: Face, options?: TurnOptions): WaitingTurn {
    const turn = makeTurn(bind(drafts), face, options);
    ledger?.flushed(rowOf(turn));
    return turn;
  }

  /** Writes down what comes while evie ends. An agent that was started for it now would outlive evie, or hold up its end. */
  function keep(drafts: readonly PromptDraft[], face: Face, options?: TurnOptions): Turn {
    const turn = make(drafts, face, options);
    drop(turn);
    return turn.handle;
  }

  /** Lets `turn` begin in place of the running one. */
  function replace(turn: WaitingTurn): void {
    const { queue: after, displaced } = letIn(queue, turn);
    if (running === undefined) return begin(turn);
    setQueue(after);
    interrupt(running, "replaced");
    if (displaced === undefined) return;
    const outcome = replacedBy(turn, NEVER_REACHED);
    note((each) => each.ended(displaced.id, outcome));
    drop(displaced, outcome);
  }

  function amend(source: number, draft: PromptDraft): Amended {
    const turn = [running, queue.next, ...queue.behind].find((each) => each?.drafts.some(isMadeOf(source)));
    if (turn === undefined) return { type: "over" };
    const amended = amendedTurn(turn, source, draft);
    if (running === undefined || turn.id !== running.id) {
      ledger?.flushed(rowOf(amended));
      setQueue(exchange(queue, amended));
      return { type: "waits" };
    }
    const { id, handle, interruption, handed, accepted } = running;
    if (interruption === "stopped" || (accepted === true && interruption !== undefined))
      return { type: "over" };
    if (accepted === true) return { type: "accepted", turnId: id };
    // What is written down of a turn that was handed over says that an agent may have it.
    if (handed === undefined) ledger?.flushed(rowOf(amended));
    running.drafts = amended.drafts;
    return handed === undefined
      ? { type: "waits" }
      : { type: "handed", turnId: id, accepted: handle.accepted };
  }

  async function perform(turn: RunningTurn): Promise<TurnEnd> {
    const { drafts } = turn;
    const prompt = await unlessInterrupted(turn, readyPrompt(drafts));
    if (prompt === undefined) return notAccepted(turn);
    if (isEmptyPrompt(prompt) && drafts === turn.drafts)
      return { accepted: false, outcome: { type: "done" } };

    const agent = await unlessInterrupted(turn, takeAgent());
    if (agent === undefined) return notAccepted(turn);
    if ("type" in agent) return { accepted: false, outcome: failed(agent) };
    // The agent may have taken long to start, and the author may have changed the words meanwhile.
    if (drafts !== turn.drafts) return await perform(turn);

    // Before the agent hears of it: after a crash it must be known that it may have.
    ledger?.handed(turn.id);
    const run = agent.run(prompt);
    turn.handed = { agent, run };
    const accepted = await run.accepted;
    turn.accepted = accepted;
    turn.accept(accepted);
    // A prompt is kept whole for the next start, and may be 20 MB. From here on the agent has it.
    if (accepted) turn.drafts = turn.drafts.map(({ whole: _whole, ...draft }) => draft);
    if (accepted) note((each) => each.accepted(turn.id));
    return { accepted, outcome: outcomeOf(await run.ended) };
  }

  return {
    run(draft, face, options) {
      if (isLeft) return keep([draft], face, options);
      const joined = options?.alone === true ? undefined : join([draft], options?.id);
      const turn = joined ?? make([draft], face, options);
      replace(turn);
      return turn.handle;
    },

    enqueue(drafts, face, options) {
      if (isLeft) return keep(drafts, face, options);
      const joined = options?.alone === true ? undefined : join(drafts, options?.id);
      if (joined !== undefined) return joined.handle;
      const turn = make(drafts, face, options);
      if (running === undefined) begin(turn);
      else setQueue({ ...queue, behind: [...queue.behind, turn] });
      return turn.handle;
    },

    get queue() {
      return queue.behind;
    },

    get unsaid() {
      const turns = [running?.accepted === true ? undefined : running, queue.next, ...queue.behind];
      return turns.flatMap((turn) => turn?.drafts ?? []);
    },

    get waitingTurn() {
      return queue.behind.find(({ alone }) => !alone)?.id;
    },

    get upcomingFace() {
      if (queue.next !== undefined) return queue.next.face;
      return running?.interruption === undefined ? running?.face : queue.behind[0]?.face;
    },

    amend,

    promote(id) {
      const turn = queue.behind.find((each) => each.id === id);
      if (turn !== undefined) replace(turn);
      return turn !== undefined;
    },

    withdraw(id) {
      const turn = queue.behind.find((each) => each.id === id);
      if (turn === undefined) return false;
      setQueue(without(queue, id));
      note((each) => each.ended(turn.id, { type: "stopped" }));
      drop(turn);
      return true;
    },

    get running() {
      if (running === undefined) return undefined;
      const { id, face, handed, accepted, interruption } = running;
      return {
        id,
        face,
        ...(accepted === true && handed !== undefined ? { run: handed.run } : {}),
        ...(interruption === undefined ? {} : { interruption }),
      };
    },

    stop({ leaving = false } = {}) {
      isLeft ||= leaving;
      const dropped = [...(queue.next === undefined ? [] : [queue.next]), ...queue.behind];
      // Where evie ends, what waits is kept, and nobody is told that it is gone.
      if (leaving || queue.behind.length === 0) queue = emptyQueue;
      else setQueue(emptyQueue);
      for (const turn of dropped) {
        if (!leaving) note((each) => each.ended(turn.id, { type: "stopped" }));
        drop(turn);
      }
      if (leaving && running !== undefined) running.left = true;
      if (running === undefined || running.over === true) return dropped.length > 0;
      // One that is being stopped already may take seconds to end; a second stop finds nothing to do.
      const stops = running.interruption !== "stopped";
      // A request that was replaced is over, also at the next start.
      const isOver = leaving && running.alone && running.interruption === "replaced";
      if (stops && !isOver) interrupt(running, "stopped");
      return stops || dropped.length > 0;
    },

    get busy() {
      return running !== undefined;
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
