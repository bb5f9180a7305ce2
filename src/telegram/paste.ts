import type { Update } from "grammy/types";
import { writtenAt } from "./about-update.ts";
import { isKnownCommand } from "./commands.ts";
import { CUT_LENGTH, kinshipOf } from "./late.ts";
import type { IncomingCommand } from "./receive.ts";
import { LATE_PIECE } from "./timing.ts";

/** When a message came, and how much of a text it was. */
export interface Piece {
  /** Milliseconds since 1970, in whole seconds, as far as Telegram says. */
  readonly writtenAt: number | undefined;
  /** On the clock. */
  readonly arrivedAt: number;
  /** Whether it is long enough for a client to have cut it there. */
  readonly isFull: boolean;
}

export function pieceOf(update: Update, arrivedAt: number): Piece {
  return {
    writtenAt: writtenAt(update),
    arrivedAt,
    isFull: kinshipOf(update).textLength >= CUT_LENGTH,
  };
}

/** What has become of the piece before. */
export interface PieceBefore extends Piece {
  /** Its burst waits, and nothing came behind it. */
  readonly waits: boolean;
  /** Its turn has not ended. */
  readonly runs: boolean;
}

/** Milliseconds in which the next piece of a paste comes, where Telegram's dates are whole seconds. */
const AT_ONCE = 1_000;

/** Milliseconds in which nobody writes a command with words behind it. Pieces take so long on a slow line. */
const FASTER_THAN_A_PERSON = 2_000;

/**
 * Tells whether a message that begins with a slash word is a piece of the paste before it, and no command. Only what
 * follows a full piece can be. To take a piece for a command loses it, with `/clear` the whole paste and the session; to take a
 * command for a piece costs an answer that can be stopped. So whatever comes while the full piece's burst waits is a
 * piece. Behind the flush a command alone is a command, since a person who has seen the placeholder may stop it; one
 * with words is a piece when nobody can have written it so fast; a word that is no command of evie's is one as long as
 * late pieces are. Telegram's dates are compared where there are any: messages that waited for evie come all at once.
 */
export function continuesPaste(
  { name, argument, forAnother }: Pick<IncomingCommand, "name" | "argument" | "forAnother">,
  before: PieceBefore | undefined,
  piece: Piece,
): boolean {
  if (before?.isFull !== true) return false;
  const apart =
    before.writtenAt === undefined || piece.writtenAt === undefined
      ? piece.arrivedAt - before.arrivedAt
      : piece.writtenAt - before.writtenAt;
  const isKnown = forAnother === undefined && isKnownCommand(name);
  if (isKnown && argument === undefined) return before.waits && apart <= AT_ONCE;
  if (apart <= FASTER_THAN_A_PERSON) return true;
  return !isKnown && apart <= LATE_PIECE && (before.waits || before.runs);
}
