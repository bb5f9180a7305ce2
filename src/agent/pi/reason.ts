import { oneLine } from "./one-line.ts";

/** Characters of a reason. */
const LONGEST_REASON = 300;

/** The agent's own commands, which it only knows in its own terminal. */
const TERMINAL_COMMAND = /(?:^|[\s'"`])\/(?:login|logout|model|scoped-models|settings|reload|trust)\b(?!\/)/;

/** A line that only names a file of the agent's own documentation. */
const ONLY_A_PATH = /^\/\S+$/;

const INSTEAD = "Run `pi` on evie's machine to set that up.";

/**
 * An error of the agent as one line for people. Advice that only helps in the agent's own terminal ("Use /login")
 * is replaced by advice that helps on evie's machine.
 */
export function foldReason(text: string): string {
  const pieces = text
    .split(/\s*\n\s*|(?<=[.!?])\s+(?=\S)/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
  const kept = pieces.filter((piece) => !TERMINAL_COMMAND.test(piece));
  if (kept.length === pieces.length) return oneLine(text, LONGEST_REASON);
  const words = kept.filter((piece) => !ONLY_A_PATH.test(piece) && piece !== "See:").join(" ");
  return oneLine(`${words} ${INSTEAD}`, LONGEST_REASON);
}
