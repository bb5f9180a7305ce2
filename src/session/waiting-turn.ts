import type { Face } from "../domain/events.ts";
import { makeTurnId, type TurnId } from "../domain/ids.ts";
import type { KeptDraft, PromptDraft } from "../domain/prompt.ts";
import type { TurnOutcome } from "../domain/turn.ts";

/** A turn that waits for its predecessor's end, with every draft that was superseded into it, oldest first. */
export interface WaitingTurn {
  readonly id: TurnId;
  readonly face: Face;
  readonly drafts: readonly PromptDraft[];
  readonly accept: (accepted: boolean) => void;
  readonly settle: (outcome: TurnOutcome) => void;
}

export function makeTurn(drafts: readonly PromptDraft[], face: Face, id: TurnId = makeTurnId()) {
  const { promise: ended, resolve: settle } = Promise.withResolvers<TurnOutcome>();
  const { promise: accepted, resolve: accept } = Promise.withResolvers<boolean>();
  const turn: WaitingTurn = { id, face, drafts, accept, settle };
  return { turn, accepted, ended };
}

/** A turn as it is written down. */
export interface TurnRow {
  readonly id: TurnId;
  readonly face: Face;
  /** The updates that it is made of, in order. */
  readonly sources: readonly number[];
  /** All that it is made of, in order; absent where that is updates alone. */
  readonly prompt?: readonly KeptDraft[];
}

export function rowOf({ id, face, drafts }: WaitingTurn): TurnRow {
  const sources = drafts.flatMap((draft) => draft.sources ?? []);
  if (drafts.every(({ whole }) => whole === undefined)) return { id, face, sources };
  const prompt = drafts.flatMap(
    ({ whole, sources: own }) => whole ?? (own === undefined ? [] : { sources: own }),
  );
  return { id, face, sources, prompt };
}

/** It will not run. */
export function drop(turn: WaitingTurn): void {
  release(turn.drafts);
  turn.accept(false);
  turn.settle({ type: "stopped" });
}

/** Nobody needs these prompts any more. */
export function release(drafts: readonly PromptDraft[]): void {
  for (const draft of drafts) draft.release();
}
