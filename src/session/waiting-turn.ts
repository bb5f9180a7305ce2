import type { Face } from "../domain/events.ts";
import { makeTurnId, type TurnId } from "../domain/ids.ts";
import type { KeptDraft, PromptDraft } from "../domain/prompt.ts";
import type { Turn } from "../domain/sessions.ts";
import type { TurnOutcome } from "../domain/turn.ts";

/** Says whether the agent took a turn's prompt into its history, as far as that is known by now. */
export interface Acceptance {
  taken: boolean;
}

/** A draft as a turn holds it, with the acceptance of the turn that it continues, where that is in the same session. */
export interface TurnDraft extends PromptDraft {
  readonly continued?: Acceptance;
}

/** A turn that waits for its predecessor's end. */
export interface WaitingTurn {
  readonly id: TurnId;
  readonly face: Face;
  /** True for a prompt that somebody gave a name: it is never joined with another. */
  readonly alone: boolean;
  /** Its own prompt and those that joined it, oldest first. */
  readonly drafts: readonly TurnDraft[];
  readonly acceptance: Acceptance;
  /** What whoever asked for it was given. */
  readonly handle: Turn;
  readonly accept: (accepted: boolean) => void;
  readonly settle: (outcome: TurnOutcome) => void;
}

/** What a turn may be given besides its prompt. */
export interface TurnOptions {
  /** The id that it had before a restart. */
  readonly id?: TurnId | undefined;
  /** True for a prompt that is never joined with another. */
  readonly alone?: boolean;
}

export function makeTurn(
  drafts: readonly TurnDraft[],
  face: Face,
  { id = makeTurnId(), alone = false }: TurnOptions = {},
): WaitingTurn {
  const { promise: ended, resolve: settle } = Promise.withResolvers<TurnOutcome>();
  const accepted = Promise.withResolvers<boolean>();
  const acceptance: Acceptance = { taken: false };
  return {
    id,
    face,
    alone,
    drafts,
    acceptance,
    handle: { id, accepted: accepted.promise, ended },
    accept(taken) {
      acceptance.taken ||= taken;
      accepted.resolve(taken);
    },
    settle,
  };
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

/** Returns what tells the draft that is made of a source. */
export function isMadeOf(source: number): (draft: PromptDraft) => boolean {
  return ({ sources }) => sources?.includes(source) === true;
}

/** Returns the turn with `draft` in the place of the one that is made of `source`. It continues what that one did. */
export function amendedTurn(turn: WaitingTurn, source: number, draft: PromptDraft): WaitingTurn {
  const drafts = turn.drafts.map((each) => {
    if (!isMadeOf(source)(each)) return each;
    return each.continued === undefined ? draft : { ...draft, continued: each.continued };
  });
  return { ...turn, drafts };
}

/** Ends a turn that will not run. */
export function drop(turn: WaitingTurn, outcome: TurnOutcome = { type: "stopped" }): void {
  release(turn.drafts);
  turn.accept(false);
  turn.settle(outcome);
}

/** Releases drafts that nobody needs any more. */
export function release(drafts: readonly PromptDraft[]): void {
  for (const draft of drafts) draft.release();
}
