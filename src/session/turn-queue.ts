import type { TurnId } from "../domain/ids.ts";
import { makeTurn, type WaitingTurn } from "./waiting-turn.ts";

/**
 * The turns that wait for the running one's end. At most one of them is made of prompts that may be joined: they all
 * join it, wherever it waits. Requests are turns of their own.
 */
export interface TurnQueue {
  /** Takes the running turn's place, which is being ended for it. */
  readonly next?: WaitingTurn | undefined;
  /** Come after that, in order. */
  readonly behind: readonly WaitingTurn[];
}

export const emptyQueue: TurnQueue = { behind: [] };

/** Returns the waiting turn that a prompt joins which is no request; undefined when none waits. */
export function joinable({ next, behind }: TurnQueue): WaitingTurn | undefined {
  return [...(next === undefined ? [] : [next]), ...behind].find(({ alone }) => !alone);
}

/** Puts a turn in the place where the one of its id waits. */
export function exchange({ next, behind }: TurnQueue, turn: WaitingTurn): TurnQueue {
  return {
    next: next?.id === turn.id ? turn : next,
    behind: behind.map((other) => (other.id === turn.id ? turn : other)),
  };
}

/** Takes a turn out of those behind. */
export function without({ next, behind }: TurnQueue, id: TurnId): TurnQueue {
  return { next, behind: behind.filter((turn) => turn.id !== id) };
}

/**
 * Makes a turn the next one. One that was to be the next goes back to the front of those behind, where nobody else would
 * bring its words again; a request is given back as `displaced`, and is to be ended.
 */
export function letIn(
  queue: TurnQueue,
  turn: WaitingTurn,
): { readonly queue: TurnQueue; readonly displaced?: WaitingTurn } {
  const { next: former, behind } = without(queue, turn.id);
  if (former === undefined || former.id === turn.id) return { queue: { next: turn, behind } };
  if (former.alone) return { queue: { next: turn, behind }, displaced: former };
  return { queue: { next: turn, behind: [former, ...behind] } };
}

/**
 * Keeps the prompts of a turn that ends before the agent had them: in front of those that wait to be joined, or else as
 * a new turn in front of those behind. `heir` is the turn that holds them now.
 */
export function carryOn(
  queue: TurnQueue,
  { drafts, face }: WaitingTurn,
): { readonly queue: TurnQueue; readonly heir: WaitingTurn } {
  const waiting = joinable(queue);
  if (waiting === undefined) {
    const heir = makeTurn(drafts, face);
    return { queue: { ...queue, behind: [heir, ...queue.behind] }, heir };
  }
  const heir = { ...waiting, drafts: [...drafts, ...waiting.drafts] };
  if (queue.next?.id === heir.id) return { queue: exchange(queue, heir), heir };
  const { next, behind } = without(queue, heir.id);
  return { queue: { next, behind: [heir, ...behind] }, heir };
}
