import { oneLine } from "./one-line.ts";
import { explainError, type Explanation } from "./provider-error.ts";

/** Characters of a reason. */
const LONGEST_REASON = 300;

/** The agent's own commands, which it only knows in its own terminal. */
const TERMINAL_COMMAND = /(?:^|[\s'"`])\/(?:login|logout|model|scoped-models|settings|reload|trust)\b(?!\/)/;

/** A line that only names a file of the agent's own documentation. */
const ONLY_A_PATH = /^\/\S+$/;

const INSTEAD = "Run `pi` on evie's machine to set that up.";

/**
 * Says what an error of the agent means, and what to do. Advice that only helps in the agent's own terminal ("Use
 * /login") is replaced by advice that helps on evie's machine. `stop` is the provider's own word for why its model
 * stopped, where there is one.
 */
export function explainReason(text: string, stop?: string): Explanation {
  const pieces = text
    .split(/\s*\n\s*|(?<=[.!?])\s+(?=\S)/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
  const kept = pieces.filter((piece) => !TERMINAL_COMMAND.test(piece));
  if (kept.length === pieces.length) return explainError(text, stop);
  const words = kept.filter((piece) => !ONLY_A_PATH.test(piece) && piece !== "See:").join(" ");
  return { what: oneLine(words, LONGEST_REASON - INSTEAD.length - 2), advice: INSTEAD };
}

/** An error of the agent as one line for people: what it means and what to do. */
export function reasonOf(text: string, stop?: string): string {
  const { what, advice } = explainReason(text, stop);
  const end = advice === "" || what === "" || /[.!?…]$/.test(what) ? "" : ".";
  return oneLine(`${what}${end} ${advice}`, LONGEST_REASON);
}
