import type { Face } from "../domain/events.ts";
import type { TurnId } from "../domain/ids.ts";
import type { KeptDraft } from "../domain/prompt.ts";
import type { Interruption, TurnOutcome } from "../domain/turn.ts";
import { NEVER_REACHED, replacedBy } from "./running-turn.ts";

/** A turn that had no end when evie was last ended, as it was written down. */
export interface OpenTurn {
  readonly id: TurnId;
  readonly face: Face;
  /** The updates that it is made of. */
  readonly sources: readonly number[];
  /** All that it is made of, where that is not updates alone. With neither, its prompt is not known any more. */
  readonly prompt?: readonly KeptDraft[];
  readonly state: "flushed" | "handed" | "accepted";
  /** Why it was being ended. */
  readonly ending?: Interruption;
}

/** What is to become of such a turn. */
export type Verdict =
  /** No agent took it: it runs. */
  | { readonly type: "run" }
  /** An agent took it and may have done a part of it: a person decides. */
  | { readonly type: "report" }
  /** It was being ended anyway, or cannot be asked again. */
  | { readonly type: "close"; readonly outcome: TurnOutcome };

const NOT_ASKED = "evie was ended before the agent had this. Send it again.";

/**
 * Judges a turn that was left. `took` tells whether the agent has the prompt in its history; it is asked only where
 * nobody else knows, and no agent of before may live any more. Nothing that an agent took runs again by itself.
 */
export async function judge(turn: OpenTurn, took: () => Promise<boolean>): Promise<Verdict> {
  const { state, ending, sources, prompt } = turn;
  if (ending === "stopped") return { type: "close", outcome: { type: "stopped" } };
  if (state === "accepted" || (state === "handed" && (await took()))) {
    return ending === "replaced" ? { type: "close", outcome: { type: "replaced" } } : { type: "report" };
  }
  // Who replaced a request runs without it; what a chat wrote is asked by nobody else.
  if (ending === "replaced" && prompt !== undefined && prompt.every((draft) => !("sources" in draft)))
    return { type: "close", outcome: replacedBy(undefined, NEVER_REACHED) };
  if (sources.length === 0 && prompt === undefined)
    return { type: "close", outcome: { type: "failed", message: NOT_ASKED } };
  return { type: "run" };
}
