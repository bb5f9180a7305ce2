/** How a turn ended. Exactly one outcome a turn, and after it the turn produces nothing new. */
export type TurnOutcome =
  | { readonly type: "done" }
  /** A later prompt of the same session took its place. */
  | { readonly type: "replaced" }
  /** A person stopped it, or evie is shutting down. */
  | { readonly type: "stopped" }
  /** One sentence for the person: what went wrong and what to do. */
  | { readonly type: "failed"; readonly message: string };
