import type { Face } from "../domain/events.ts";
import { endOf, type Transcript } from "../domain/transcript.ts";
import type { Call } from "./calls.ts";
import { RING_AFTER } from "./timing.ts";
import { ringLine } from "./words.ts";

export interface Closing {
  readonly transcript: Transcript;
  /** The whole answer, as markdown. */
  readonly answer: string;
  /** The pages do not hold the whole answer: it did not fit into them, or Telegram refused one. */
  readonly isIncomplete: boolean;
  /** Where the turn was begun. */
  readonly face: Face | undefined;
  /** The message that the turn answers, where it is in this chat. */
  readonly replyTo: number | undefined;
}

/**
 * What follows the last page of a turn that has ended: the whole answer as a file, where the pages do not
 * hold it; and one short message that rings, where the person has waited so long that they may be elsewhere.
 */
export function closingCalls({ transcript, answer, isIncomplete, face, replyTo }: Closing): readonly Call[] {
  const calls: Call[] = [];
  if (isIncomplete && answer !== "") calls.push({ type: "document", name: "answer.md", text: answer });
  const { turn, tools } = transcript;
  const elapsed = (turn?.endedAt ?? 0) - (turn?.startedAt ?? 0);
  const outcome = endOf(turn);
  const line = outcome === undefined ? undefined : ringLine(outcome, elapsed, tools.length);
  // Whoever began the turn elsewhere is not at this chat, and whoever stopped it knows.
  if (face === "telegram" && elapsed > RING_AFTER && line !== undefined) {
    calls.push({
      type: "send",
      content: { text: line, entities: [] },
      silent: false,
      ...(replyTo === undefined ? {} : { replyTo }),
    });
  }
  return calls;
}
