import type { Face } from "../domain/events.ts";
import { makeTurnId, type TurnId } from "../domain/ids.ts";
import type { PromptDraft } from "../domain/prompt.ts";
import type { TurnOutcome } from "../domain/turn.ts";

/** A turn that waits for its predecessor's end, with every draft that was superseded into it, oldest first. */
export interface WaitingTurn {
  readonly id: TurnId;
  readonly face: Face;
  readonly drafts: readonly PromptDraft[];
  readonly accept: (accepted: boolean) => void;
  readonly settle: (outcome: TurnOutcome) => void;
}

export function makeTurn(draft: PromptDraft, face: Face, id: TurnId = makeTurnId()) {
  const { promise: ended, resolve: settle } = Promise.withResolvers<TurnOutcome>();
  const { promise: accepted, resolve: accept } = Promise.withResolvers<boolean>();
  const turn: WaitingTurn = { id, face, drafts: [draft], accept, settle };
  return { turn, accepted, ended };
}

/** What is written down of it: the updates that it is made of. */
export function rowOf({ id, face, drafts }: WaitingTurn) {
  return { id, face, sources: drafts.flatMap((draft) => draft.sources ?? []) };
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
