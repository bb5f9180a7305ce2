import { EventSource } from "eventsource";
import { useEffect, useState } from "preact/hooks";
import type { Keys } from "../../page-kit/keys.ts";
import { createStore, type Store } from "../../page-kit/store.ts";
import { watchKeys } from "../../page-kit/watch-keys.ts";
import type { Frame } from "../wire.ts";
import { emptyState, fold, type State } from "./state.ts";

/** The status that the server refuses a key with. */
const LOCKED = 403;

/**
 * A store that is kept in step with the server for as long as the page is open, with the key that is kept under `keyName`.
 * It reconnects by itself, and where the key is refused, as soon as there is another one.
 */
export function connect(keys: Keys, keyName: string): Store<State> {
  const store = createStore(emptyState);
  let events: EventSource | undefined;

  function open(): void {
    events?.close();
    const key = keys.current();
    if (key === undefined) return lock();
    const authorization = `Bearer ${key}`;
    // Not the browser's own, which can bring no header along.
    events = new EventSource("/events", {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization } }),
    });
    events.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as Frame;
      if (frame.type === "snapshot") keys.taken();
      store.update((state) => fold(state, frame, Date.now()));
    });
    events.addEventListener("error", ({ code }) => {
      store.update((state) => ({ ...state, connected: false }));
      if (code !== LOCKED) return;
      if (keys.refused()) open();
      else lock();
    });
  }

  function lock(): void {
    store.update(({ chat: _gone, ...state }) => ({ ...state, locked: true }));
  }

  open();
  watchKeys(keyName, (offered) => {
    if (offered !== undefined) keys.offer(offered);
    if (offered !== undefined || store.state.locked) open();
  });
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
