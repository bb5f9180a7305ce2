import type { ClientFrame, ServerFrame, WireMessage } from "../../src/domain/wire.ts";
import type { SocketEvents } from "../../src/deck/connection.ts";
import { createDeck } from "../../src/deck/deck.ts";
import { createKeeping } from "../../src/deck/keeping.ts";
import { createKeys, type Shelf } from "../../src/page-kit/keys.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { info } from "./scenes.ts";

/** Keeps texts as long as the test lives. */
export function shelf(): Shelf {
  const texts = new Map<string, string>();
  return { getItem: (name) => texts.get(name) ?? null, setItem: (name, text) => texts.set(name, text) };
}

/** A deck with a socket, a clock and shelves in the hands of the test. */
export function start(lasting = shelf(), tab = shelf(), linked = "key-1") {
  const clock = createFakeClock();
  const sent: ClientFrame[] = [];
  const sockets: SocketEvents[] = [];
  const keyShelf = shelf();
  const keys = createKeys(() => keyShelf, "key");
  if (linked !== "") keys.offer(linked);
  const dialled: string[] = [];
  let ids = 0;
  let older: () => Promise<{ messages: readonly WireMessage[]; before?: string }> = () =>
    Promise.reject(new Error("There is nothing older."));
  let whole: (key: string) => Promise<WireMessage> = () =>
    Promise.reject(new Error("There is no such message."));
  const deck = createDeck({
    clock,
    random: () => 0,
    newId: () => `r-${(ids += 1)}`,
    keys,
    dial: (key, events) => {
      dialled.push(key);
      sockets.push(events);
      return { send: (text) => sent.push(JSON.parse(text) as ClientFrame), close: () => {} };
    },
    api: {
      older: () => older(),
      message: (_, key) => whole(key),
      begin: () => Promise.resolve(info("new")),
      file: () => Promise.reject(new Error("There is no such file.")),
    },
    keeping: createKeeping(lasting, tab),
  });
  const hear = (...frames: readonly ServerFrame[]): void => {
    for (const frame of frames) sockets.at(-1)?.onText(JSON.stringify(frame));
  };
  const greet = (epoch = "1"): void => hear({ type: "hello", epoch, version: "" });
  return {
    deck,
    clock,
    sent,
    hear,
    greet,
    hearText: (text: string) => sockets.at(-1)?.onText(text),
    /** Loses the connection and gets another. */
    reconnect: async (epoch?: string) => {
      sockets.at(-1)?.onClose("gone");
      await clock.advance(500);
      greet(epoch);
    },
    /** The keys that evie was shown, one a connection. */
    dialled,
    keyShelf,
    /** Evie takes no key as that of this connection. */
    refuse: async () => {
      sockets.at(-1)?.onClose("refused");
      await clock.settle();
    },
    setOlder: (next: typeof older) => (older = next),
    setWhole: (next: typeof whole) => (whole = next),
    state: () => deck.store.state,
  };
}
