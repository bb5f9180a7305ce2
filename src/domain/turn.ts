import type { Cut } from "./cut.ts";
import type { Face } from "./events.ts";

/** Why a turn is ended before its agent has ended by itself. */
export type Interruption = "replaced" | "stopped";

/** How a turn ended. Exactly one outcome a turn, and after it the turn produces nothing new. */
export type TurnOutcome =
  /** The agent has said all that it would say; with `cut`, its last words are not whole. */
  | { readonly type: "done"; readonly cut?: OutcomeCut }
  /** Another prompt of the same session took its place. */
  | {
      readonly type: "replaced";
      /** The face of that prompt; absent for turns of an earlier evie. */
      readonly by?: Face;
      /** One sentence for whoever asked, where the agent never had the prompt: it was not sent, and nothing else carries it. */
      readonly message?: string;
    }
  /** A person stopped it, or evie is shutting down. */
  | { readonly type: "stopped" }
  /** One sentence for the person: what went wrong and what to do. */
  | { readonly type: "failed"; readonly message: string };

/** How a turn ends that is interrupted. */
export type InterruptedOutcome = Extract<TurnOutcome, { readonly type: Interruption }>;

/** Why the last words of a turn are not whole. */
export interface OutcomeCut {
  readonly reason: Cut["type"];
  /** One sentence or two for the person: why, and what to do. */
  readonly message: string;
}
