import type { Clock } from "../domain/clock.ts";
import type { AnswerValue } from "../domain/question.ts";
import type { PromptMode, ServerFrame, WireMessage } from "../domain/wire.ts";
import type { Keys } from "../page-kit/keys.ts";
import { createStore, type Store } from "../page-kit/store.ts";
import type { Api } from "./api.ts";
import { createConnection, type Socket, type SocketEvents } from "./connection.ts";
import { write } from "./draft.ts";
import type { Keeping } from "./keeping.ts";
import { promptFrame, promptOf, tooMuch } from "./outbox.ts";
import { receive } from "./receive.ts";
import { emptyState, type DeckState, type Draft } from "./state.ts";
import { look } from "./unread.ts";

export interface DeckOptions {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** An id that nobody else makes. */
  readonly newId: () => string;
  /** What lets the page in. */
  readonly keys: Keys;
  readonly dial: (key: string, events: SocketEvents) => Socket;
  readonly api: Api;
  readonly keeping: Keeping;
}

/** The state of the deck, kept in step with evie, and everything that a person can do. */
export interface Deck {
  readonly store: Store<DeckState>;
  show(sessionId: string | undefined): void;
  /** Makes a new session and shows it. */
  begin(): Promise<void>;
  change(change: (state: DeckState) => DeckState): void;
  write(sessionId: string, draft: Partial<Draft>): void;
  /** Sends what is written; without a `mode` it waits its turn. */
  send(sessionId: string, mode?: PromptMode): void;
  withdraw(sessionId: string, requestId: string): void;
  stop(sessionId: string): void;
  answer(sessionId: string, questionId: string, value: AnswerValue): void;
  loadOlder(sessionId: string): Promise<void>;
  /** Puts a message whole in the place of the one that was shortened. */
  loadWhole(sessionId: string, key: string): Promise<void>;
  /** A link was opened that brought a key. */
  offer(key: string): void;
  /** The network came or went, the person came back, or another tab got a key. */
  nudge(online: boolean): void;
  say(text: string): void;
  close(): void;
}

/** Sessions that stay watched after another one is shown: switching back to them costs nothing. */
const MOST_WATCHED = 8;

/** Connects at once. */
export function createDeck({ clock, random, newId, keys, dial, api, keeping }: DeckOptions): Deck {
  const store = createStore<DeckState>({ ...emptyState, ...keeping.load() });
  /** Sessions to be subscribed to on every connection, the one shown last at the end. */
  let watched: readonly string[] = [];
  /** Those of them that this connection has not been attached to yet. */
  let awaited: ReadonlySet<string> = new Set();

  const subscribe = (sessionId: string): void => {
    awaited = new Set([...awaited, sessionId]);
    const isShown = sessionId === store.state.shown;
    connection.send({ type: "subscribe", sessionId, ...(isShown ? { shown: true } : {}) });
  };
  const onText = (text: string): void => {
    const frame = parse(text);
    if (frame === undefined) return say("evie sent something that this page cannot read. Please reload it.");
    if (frame.type === "hello") {
      keys.taken();
      store.update((state) => receive(state, frame, clock.date()));
      connection.greeted();
      return;
    }
    store.update((state) => receive(state, frame, clock.date()));
    if (frame.type === "subscribed" || frame.type === "error")
      awaited = new Set([...awaited].filter((id) => id !== frame.sessionId));
    if (frame.type === "error") watched = watched.filter((id) => !(id in store.state.refused));
  };
  const onLink = (link: DeckState["link"]): void => {
    store.update((state) =>
      link === "no key" || link === "refused" ? lock(state, link) : { ...state, link },
    );
    if (link !== "open") return;
    awaited = new Set();
    // The one that is shown first: on a slow line the others come while it is read.
    for (const sessionId of watched.toReversed()) subscribe(sessionId);
    for (const prompt of store.state.outbox) if (!prompt.accepted) connection.send(promptFrame(prompt));
  };
  const connection = createConnection({
    clock,
    random,
    dial: (events) => {
      const key = keys.current();
      return key === undefined ? undefined : dial(key, events);
    },
    onText,
    onLink,
    onRefused: () => keys.refused(),
  });
  const stopKeeping = store.subscribe(() => keeping.save(store.state));
  const say = (text: string): void => store.update((state) => ({ ...state, toast: { text } }));

  const show = (sessionId: string | undefined): void => {
    const isNew = sessionId !== undefined && !watched.includes(sessionId);
    const others = watched.filter((id) => id !== sessionId);
    const kept = sessionId === undefined ? others : [...others, sessionId].slice(-MOST_WATCHED);
    const left = watched.filter((id) => !kept.includes(id));
    watched = kept;
    store.update((state) => look(forget({ ...state, shown: sessionId }, left, sessionId)));
    for (const id of left) connection.send({ type: "unsubscribe", sessionId: id });
    // One that waits behind others on this connection is asked for again, to come before them.
    if (sessionId !== undefined && (isNew || awaited.has(sessionId))) subscribe(sessionId);
  };

  return {
    store,
    show,
    change: store.update,
    say,
    begin: async () => {
      try {
        show((await api.begin()).id);
      } catch (error) {
        say(sentence(error));
      }
    },
    write: (sessionId, draft) => store.update((state) => write(state, sessionId, draft)),
    send: (sessionId, mode) => {
      const made = promptOf(store.state, sessionId, newId());
      if (made === undefined) return;
      const refusal = tooMuch(made);
      if (refusal !== undefined) return say(refusal);
      const prompt = mode === undefined ? made : { ...made, mode };
      store.update((state) => ({
        ...write(state, sessionId, { text: "", images: [] }),
        outbox: [...state.outbox, prompt],
      }));
      connection.send(promptFrame(prompt));
    },
    withdraw: (sessionId, requestId) => {
      store.update((state) => ({
        ...state,
        outbox: state.outbox.filter((prompt) => prompt.requestId !== requestId),
      }));
      connection.send({ type: "withdraw", sessionId, requestId });
    },
    stop: (sessionId) => connection.send({ type: "abort", sessionId }),
    answer: (sessionId, questionId, value) => {
      if (store.state.link !== "open" || store.state.answering.includes(questionId)) return;
      store.update((state) => ({ ...state, answering: [...state.answering, questionId] }));
      connection.send({ type: "answer", sessionId, questionId, value });
    },
    loadOlder: async (sessionId) => {
      const known = store.state.conversations[sessionId];
      if (known?.before === undefined || known.loadingOlder) return;
      const { before } = known;
      store.update((state) => patch(state, sessionId, { loadingOlder: true }));
      try {
        const { messages, before: next } = await api.older(sessionId, before);
        store.update((state) => {
          const now = state.conversations[sessionId];
          // Another attach has changed what these would stand in front of.
          if (now?.before !== before) return patch(state, sessionId, { loadingOlder: false });
          const { before: _done, ...rest } = now;
          const grown = {
            ...rest,
            loadingOlder: false,
            older: [...messages, ...now.older],
            ...(next === undefined ? {} : { before: next }),
          };
          return { ...state, conversations: { ...state.conversations, [sessionId]: grown } };
        });
      } catch (error) {
        store.update((state) => patch(state, sessionId, { loadingOlder: false }));
        say(sentence(error));
      }
    },
    loadWhole: async (sessionId, key) => {
      try {
        const whole = await api.message(sessionId, key);
        store.update((state) => withMessage(state, sessionId, whole));
      } catch (error) {
        say(sentence(error));
      }
    },
    offer: (key) => {
      if (key === keys.current()) return connection.nudge();
      keys.offer(key);
      connection.renew();
    },
    nudge: (online) => {
      store.update((state) => (state.online === online ? state : { ...state, online }));
      if (online) connection.nudge();
    },
    close: () => {
      stopKeeping();
      connection.close();
    },
  };
}

/** Whoever is not let in any more sees nothing of what was said; what was written here stays for who comes back. */
function lock(state: DeckState, why: "no key" | "refused"): DeckState {
  const { sessions: _gone, ...rest } = state;
  return { ...rest, link: why, locked: why, conversations: {}, attaching: {}, refused: {} };
}

function parse(text: string): ServerFrame | undefined {
  try {
    return JSON.parse(text) as ServerFrame;
  } catch {
    return undefined;
  }
}

/** Drops what is known of sessions that are no longer watched, and why the one shown could not be shown before. */
function forget(state: DeckState, left: readonly string[], shown: string | undefined): DeckState {
  if (left.length === 0 && (shown === undefined || !(shown in state.refused))) return state;
  const without = <Value>(of: Readonly<Record<string, Value>>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name)));
  return {
    ...state,
    conversations: without(state.conversations, left),
    attaching: without(state.attaching, left),
    refused: without(state.refused, shown === undefined ? [] : [shown]),
  };
}

/** Puts a message in the place of the one with its key, where there is one. */
function withMessage(state: DeckState, sessionId: string, message: WireMessage): DeckState {
  const known = state.conversations[sessionId];
  if (known === undefined) return state;
  const put = (messages: readonly WireMessage[]) =>
    messages.map((other) => (other.key === message.key ? message : other));
  const { transcript } = known;
  const changed = {
    ...known,
    older: put(known.older),
    transcript: { ...transcript, messages: put(transcript.messages) },
  };
  return { ...state, conversations: { ...state.conversations, [sessionId]: changed } };
}

function patch(state: DeckState, sessionId: string, change: { readonly loadingOlder: boolean }): DeckState {
  const known = state.conversations[sessionId];
  if (known === undefined) return state;
  return { ...state, conversations: { ...state.conversations, [sessionId]: { ...known, ...change } } };
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
