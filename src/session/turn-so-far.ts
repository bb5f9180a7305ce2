import type { Face, Message } from "../domain/events.ts";
import type { TurnSoFar } from "../domain/sessions.ts";
import { endOf, type Transcript } from "../domain/transcript.ts";

export interface SessionSoFar {
  /** Where the last turn was begun. */
  readonly face: Face | undefined;
  /** Everything that is held of the session in memory. */
  readonly live: Transcript;
  /** The keys of the last turn's messages. */
  readonly ofTurn: ReadonlySet<string>;
  /** The last messages of the session that are stored: so many, the oldest first. */
  readonly stored: (limit: number) => readonly Message[];
}

/** The turn that runs, without what the session holds of those before it; undefined when none runs, or it is final already. */
export function turnSoFar({ face, live, ofTurn, stored }: SessionSoFar): TurnSoFar | undefined {
  const { turn } = live;
  if (face === undefined || turn === undefined || endOf(turn) !== undefined) return undefined;
  const held = live.messages.filter(({ key }) => ofTurn.has(key));
  // A turn may be longer than what is held, and its prompt and its first words are the first to go.
  const earlier = held.length < ofTurn.size ? stored(ofTurn.size) : [];
  const keys = new Set(held.map(({ key }) => key));
  const missing = earlier.filter(({ key }) => ofTurn.has(key) && !keys.has(key));
  return { id: turn.id, face, transcript: { ...live, messages: [...missing, ...held] } };
}
