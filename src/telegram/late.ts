import type { Update } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import type { ChatKey } from "../domain/ids.ts";
import type { Turn } from "../domain/sessions.ts";
import { type Loose, loose, stringOf } from "./loose.ts";
import { LATE_PIECE } from "./timing.ts";

/** UTF-16 units from which on a text may be a piece of a longer one: Telegram's clients cut at 4,096. */
export const CUT_LENGTH = 4_000;

/** What tells which messages belong together, though nothing else does. */
export interface Kinship {
  /** The album that a message is of. */
  readonly album: string | undefined;
  readonly textLength: number;
}

/** The pieces of an album or a cut paste that come after their burst was flushed. */
export interface LatePieces {
  /** A burst of these was flushed, and became that turn. */
  flushed(key: ChatKey, kinships: readonly Kinship[], turn: Turn): void;
  /** The turn that a message which opens a burst belongs to, while it still runs. */
  turnOf(key: ChatKey, kinship: Kinship): Turn | undefined;
  /** A person ended that chat's turn: what comes next is not of it, however long it takes to end. */
  forget(key: ChatKey): void;
  /** Whether that turn is the chat's last one, and still runs. */
  runs(key: ChatKey, turn: Turn): boolean;
}

interface Flushed {
  readonly turn: Turn;
  readonly albums: ReadonlySet<string>;
  readonly endsCut: boolean;
  readonly until: number;
}

export function createLatePieces(clock: Clock): LatePieces {
  const last = new Map<ChatKey, Flushed>();

  return {
    flushed(key, kinships, turn) {
      const flush: Flushed = {
        turn,
        albums: new Set(kinships.flatMap(({ album }) => album ?? [])),
        endsCut: (kinships.at(-1)?.textLength ?? 0) >= CUT_LENGTH,
        until: clock.now() + LATE_PIECE,
      };
      last.set(key, flush);
      void turn.ended.then(() => {
        if (last.get(key) === flush) last.delete(key);
      });
    },
    turnOf(key, { album, textLength }) {
      const flush = last.get(key);
      if (flush === undefined || clock.now() > flush.until) return undefined;
      const isSibling = album !== undefined && flush.albums.has(album);
      const isRest = flush.endsCut && album === undefined && textLength > 0;
      return isSibling || isRest ? flush.turn : undefined;
    },
    forget: (key) => void last.delete(key),
    runs: (key, turn) => last.get(key)?.turn === turn,
  };
}

export function kinshipOf(update: Update): Kinship {
  const { media_group_id: album, text }: Loose<NonNullable<Update["message"]>> = loose(
    loose<Update>(update).message,
  );
  return { album: stringOf(album), textLength: stringOf(text)?.length ?? 0 };
}
