/** Holds one immutable state and tells of each change once, however much changed in it. */
export interface Store<State> {
  readonly state: State;
  /** Gives the way to stop listening. */
  subscribe(listener: () => void): () => void;
  /** One update: one notification, or none where the state stays the very same. */
  update(change: (state: State) => State): void;
}

export function createStore<State>(first: State): Store<State> {
  let state = first;
  const listeners = new Set<() => void>();
  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update(change) {
      const next = change(state);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener();
    },
  };
}
