import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Clock } from "../domain/clock.ts";
import type { Deck } from "./deck.ts";
import type { Markdown } from "./markdown.ts";
import type { DeckState } from "./state.ts";

/** Where the reader is in a session. */
export interface Place {
  readonly top: number;
  /** Whether the end is being followed. */
  readonly follows: boolean;
}

/** What every component may ask for. */
export interface Page {
  readonly deck: Deck;
  /** Fetches a file of evie's, with the key. Its Error says why it did not come. */
  readonly fetchFile: (path: string) => Promise<Blob>;
  readonly clock: Clock;
  readonly markdown: Markdown;
  /** Where the reader was in each session. */
  readonly places: Map<string, Place>;
}

const PageContext = createContext<Page | undefined>(undefined);

export const PageProvider = PageContext.Provider;

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("A part of the deck stands outside of its page.");
  return page;
}

/** A piece of the state. The component is drawn anew when that piece is another one, and only then. */
export function useDeck<Piece>(select: (state: DeckState) => Piece): Piece {
  const { store } = usePage().deck;
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const piece = select(store.state);
  const latest = useRef({ select, piece });
  latest.current = { select, piece };
  useLayoutEffect(() => {
    const look = (): void => {
      if (!Object.is(latest.current.select(store.state), latest.current.piece)) redraw();
    };
    // Between drawing and listening, something may have changed.
    look();
    return store.subscribe(look);
  }, [store]);
  return piece;
}

/** Evie's time, looked at every `everyMs` while `active`. Milliseconds since 1970. */
export function useNow(active: boolean, everyMs: number): number {
  const { clock } = usePage();
  const ahead = useDeck((state) => state.ahead);
  const [now, setNow] = useState(clock.date());
  useEffect(() => {
    if (!active) return undefined;
    const stop = new AbortController();
    const tick = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        setNow(clock.date());
        await clock.sleep(everyMs, stop.signal);
      }
    };
    void tick();
    return () => stop.abort();
  }, [active, everyMs, clock]);
  return now + ahead;
}
