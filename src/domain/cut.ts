/** Why an agent's last words are not whole, although nothing failed. */
export type Cut =
  /** The answer reached the greatest length that its model may give it. */
  | { readonly type: "length" }
  /** With the answer, the conversation filled all that its model can hold. */
  | { readonly type: "full" }
  /** The provider paused in the middle. */
  | { readonly type: "paused" }
  /** The model was about to use a tool and named none, so nothing followed. */
  | { readonly type: "no_tool" }
  /** For a reason that evie does not know, in the agent's word. */
  | { readonly type: "unknown"; readonly reason: string };

/** The sentence or two that a person reads below such an answer. */
export function cutSentence(cut: Cut): string {
  switch (cut.type) {
    case "length":
      return "Cut off here: the answer reached the greatest length that the model allows. Ask for the rest, or for less at a time.";
    case "full":
      return "Cut off here: this conversation fills all that the model can hold. Send /clear for a new session.";
    case "paused":
      return "Cut off here: the provider paused the answer. Ask for the rest.";
    case "no_tool":
      return "Cut off here: the model wanted to use a tool and named none. Ask it to go on.";
    case "unknown":
      return `Cut off here: the model stopped for a reason that evie does not know (${cut.reason}). Ask it to go on.`;
  }
}
