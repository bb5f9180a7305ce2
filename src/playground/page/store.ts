import { useEffect, useState } from "preact/hooks";
import type { Frame } from "../wire.ts";
import { emptyState, fold, type State } from "./state.ts";

/** Holds the state and tells once for each change. */
export interface Store {
  readonly state: State;
  subscribe(listener: () => void): () => void;
  change(change: (state: State) => State): void;
}

function createStore(): Store {
  let state = emptyState;
  const listeners = new Set<() => void>();
  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(change) {
      state = change(state);
      for (const listener of listeners) listener();
    },
  };
}

/** A store that is kept in step with the server for as long as the page is open. The browser reconnects by itself. */
export function connect(): Store {
  const store = createStore();
  const events = new EventSource("/events");
  events.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(String(data)) as Frame;
    store.change((state) => fold(state, frame, Date.now()));
  });
  events.addEventListener("error", () => store.change((state) => ({ ...state, connected: false })));
  return store;
}

export function useStore(store: Store): State {
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
