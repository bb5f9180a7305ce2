import { useEffect, useState } from "preact/hooks";
import { createStore, type Store } from "../../page-kit/store.ts";
import type { Frame } from "../wire.ts";
import { emptyState, fold, type State } from "./state.ts";

/** A store that is kept in step with the server for as long as the page is open. The browser reconnects by itself. */
export function connect(): Store<State> {
  const store = createStore(emptyState);
  const events = new EventSource("/events");
  events.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(String(data)) as Frame;
    store.update((state) => fold(state, frame, Date.now()));
  });
  events.addEventListener("error", () => store.update((state) => ({ ...state, connected: false })));
  return store;
}

export function useStore(store: Store<State>): State {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    setState(store.state);
    return store.subscribe(() => setState(store.state));
  }, [store]);
  return state;
}

/** The time, looked at every `everyMs` while `active`. */
export function useNow(active: boolean, everyMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!active) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [active, everyMs]);
  return now;
}
