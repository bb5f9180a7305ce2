import { describe, expect, test } from "vitest";
import type { ClientFrame, ServerFrame, WireMessage } from "../../src/domain/wire.ts";
import { createDeck } from "../../src/deck/deck.ts";
import type { SocketEvents } from "../../src/deck/connection.ts";
import { createKeeping, type Shelf } from "../../src/deck/keeping.ts";
import { underWay } from "../../src/deck/outbox.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { begin, end, T0 } from "../domain/events.ts";
import { attachFrames, info, parked, QUESTION, scene, user } from "./scenes.ts";

function shelf(): Shelf {
  const texts = new Map<string, string>();
  return { getItem: (name) => texts.get(name) ?? null, setItem: (name, text) => texts.set(name, text) };
}

function start(lasting = shelf(), tab = shelf()) {
  const clock = createFakeClock();
  const sent: ClientFrame[] = [];
  const sockets: SocketEvents[] = [];
  let ids = 0;
  let older: () => Promise<{ messages: readonly WireMessage[]; before?: string }> = () =>
    Promise.reject(new Error("There is nothing older."));
  const deck = createDeck({
    clock,
    random: () => 0,
    newId: () => `r-${(ids += 1)}`,
    dial: (events) => {
      sockets.push(events);
      return { send: (text) => sent.push(JSON.parse(text) as ClientFrame), close: () => {} };
    },
    api: { older: () => older(), begin: () => Promise.resolve(info("new")) },
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
      sockets.at(-1)?.onClose();
      await clock.advance(500);
      greet(epoch);
    },
    setOlder: (next: typeof older) => (older = next),
    state: () => deck.store.state,
  };
}

describe("sessions", () => {
  test("are subscribed to when shown for the first time; switching back sends nothing and is one change", () => {
    const { deck, sent, greet, hear } = start();
    greet();
    deck.show("a");
    hear(...attachFrames(scene("a")));
    deck.show("b");
    hear(...attachFrames(scene("b")));
    expect(sent.splice(0)).toEqual([
      { type: "subscribe", sessionId: "a" },
      { type: "subscribe", sessionId: "b" },
    ]);
    let told = 0;
    deck.store.subscribe(() => (told += 1));
    deck.show("a");
    expect(sent).toEqual([]);
    expect(told).toBe(1);
  });

  test("that are still wanted are subscribed to again on a new connection, and no others", async () => {
    const { deck, sent, greet, reconnect } = start();
    deck.show("a");
    expect(sent).toEqual([]);
    greet();
    for (const id of ["b", "c", "d", "e", "f", "g", "h", "i"]) deck.show(id);
    expect(sent.filter(({ type }) => type === "unsubscribe")).toEqual([
      { type: "unsubscribe", sessionId: "a" },
    ]);
    sent.length = 0;
    await reconnect();
    expect(sent.map((frame) => frame.type === "subscribe" && frame.sessionId)).toEqual("bcdefghi".split(""));
  });

  test("that were refused are asked for again when shown again", () => {
    const { deck, sent, greet, hear, state } = start();
    greet();
    deck.show("x");
    hear({ type: "error", code: "unknown_session", message: "There is none.", sessionId: "x" });
    expect(state().refused).toEqual({ x: "There is none." });
    deck.show("x");
    expect(state().refused).toEqual({});
    expect(sent).toEqual([
      { type: "subscribe", sessionId: "x" },
      { type: "subscribe", sessionId: "x" },
    ]);
  });

  test("that are new are shown at once", async () => {
    const { deck, state } = start();
    await deck.begin();
    expect(state().shown).toBe("new");
  });

  test("show a whole turn in one change when a connection comes back in the middle of it", async () => {
    const { deck, greet, hear, reconnect, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(parked("s", "Half")));
    await reconnect("1");
    const before = state().conversations["s"];
    const seen = new Set([before]);
    deck.store.subscribe(() => seen.add(state().conversations["s"]));
    hear(...attachFrames(parked("s", "Half and whole")));
    expect(seen.size).toBe(2);
    expect(state().conversations["s"]?.questions).toEqual([QUESTION]);
  });
});

describe("a prompt", () => {
  test("stays until evie has it, and is sent again with its id on every connection until then", async () => {
    const { deck, sent, greet, hear, reconnect, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s")));
    deck.write("s", { text: " Hello \n" });
    deck.send("s");
    expect(state().drafts).toEqual({});
    const prompt: ClientFrame = { type: "prompt", sessionId: "s", text: "Hello", requestId: "r-1" };
    await reconnect();
    expect(sent.filter(({ type }) => type === "prompt")).toEqual([prompt, prompt]);
    hear({ type: "accepted", sessionId: "s", requestId: "r-1" });
    sent.length = 0;
    await reconnect();
    expect(sent).toEqual([{ type: "subscribe", sessionId: "s" }]);
  });

  test("is shown until its message is there, and not beside it", () => {
    const { deck, greet, hear, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s")));
    deck.write("s", { text: "Hello" });
    deck.send("s");
    hear({ type: "accepted", sessionId: "s", requestId: "r-1" });
    expect(underWay(state(), "s")).toHaveLength(1);
    const event = { seq: 2, at: T0, type: "message_start" as const, key: "u", message: user("u", "Hello") };
    hear({ type: "session_event", sessionId: "s", event: { ...begin, seq: 1, at: T0 } });
    hear({ type: "session_event", sessionId: "s", event });
    expect(underWay(state(), "s")).toEqual([]);
  });

  test("that waits its turn is listed there only, also while another turn ends", () => {
    const { deck, sent, greet, hear, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s", { snapshot: { turn: { id: "t", startedAt: T0 } } })));
    deck.write("s", { text: "Later" });
    deck.send("s");
    hear({ type: "accepted", sessionId: "s", requestId: "r-1" });
    const queue = [{ requestId: "r-1", text: "Later" }];
    hear({ type: "session_changed", sessionId: "s", change: { queue } });
    expect(underWay(state(), "s")).toEqual([]);
    hear({ type: "session_event", sessionId: "s", event: { ...end({ type: "done" }), seq: 1, at: T0 } });
    hear({ type: "session_changed", sessionId: "s", change: { queue: [] } });
    expect(underWay(state(), "s").map(({ text }) => text)).toEqual(["Later"]);
    deck.withdraw("s", "r-1");
    expect(sent.at(-1)).toEqual({ type: "withdraw", sessionId: "s", requestId: "r-1" });
    expect(underWay(state(), "s")).toEqual([]);
  });

  test("that is refused goes back to where it was written, before what was written since", () => {
    const { deck, greet, hear, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s")));
    deck.write("s", { text: "First" });
    deck.send("s");
    deck.write("s", { text: "Second" });
    hear({ type: "error", code: "too_large", message: "It is too long.", sessionId: "s", requestId: "r-1" });
    expect(state().drafts["s"]?.text).toBe("First\n\nSecond");
    expect(state().outbox).toEqual([]);
    expect(state().toast?.text).toBe("It is too long.");
  });

  test("that is more than evie takes stays where it was written, with a sentence that says why", () => {
    const { deck, sent, greet, state } = start();
    greet();
    const picture = { id: "p", name: "a.png", mimeType: "image/png", data: "A".repeat(9_500_000) };
    deck.write("s", { text: "Look", images: [picture, { ...picture, id: "q" }] });
    deck.send("s");
    expect(state().toast?.text).toContain("too large together");
    deck.write("s", { images: Array.from({ length: 11 }, () => ({ ...picture, data: "" })) });
    deck.send("s");
    expect(state().toast?.text).toContain("more than 10 pictures");
    deck.write("s", { text: "x".repeat(1_000_001), images: [] });
    deck.send("s");
    expect(state().toast?.text).toContain("a million characters");
    expect(sent).toEqual([]);
    expect(state().drafts["s"]?.text).toHaveLength(1_000_001);
  });

  test("of nothing is not sent", () => {
    const { deck, sent, greet } = start();
    greet();
    deck.write("s", { text: " \n" });
    deck.send("s");
    expect(sent).toEqual([]);
  });
});

test("drafts and prompts that evie does not have survive a reload; two tabs do not send each other's", () => {
  const [lasting, tab] = [shelf(), shelf()];
  const first = start(lasting, tab);
  first.deck.write("a", { text: "Unfinished" });
  first.deck.write("b", { text: "Sent" });
  first.deck.send("b");
  const again = start(lasting, tab);
  expect(again.state().drafts).toEqual({ a: { text: "Unfinished", images: [] } });
  again.greet();
  expect(again.sent).toEqual([{ type: "prompt", sessionId: "b", text: "Sent", requestId: "r-1" }]);
  const other = start(lasting, shelf());
  other.greet();
  expect(other.sent).toEqual([]);
});

test("shelves that are full, forbidden or full of rubbish are no reason to fail", () => {
  const broken: Shelf = {
    getItem: () => "{rubbish",
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  const { deck, state } = start(broken, broken);
  deck.write("a", { text: "Hello" });
  expect(state().drafts["a"]?.text).toBe("Hello");
});

test("an answer is given once, while evie is there, and again only when it was refused", () => {
  const { deck, sent, greet, hear } = start();
  deck.answer("s", "q-1", "x");
  greet();
  deck.show("s");
  hear(...attachFrames(parked("s", "x")));
  sent.length = 0;
  deck.answer("s", "q-1", "The long way");
  deck.answer("s", "q-1", "The short way");
  expect(sent).toEqual([{ type: "answer", sessionId: "s", questionId: "q-1", value: "The long way" }]);
  hear({ type: "error", code: "bad_answer", message: "Choose one of them.", sessionId: "s" });
  deck.answer("s", "q-1", null);
  expect(sent).toHaveLength(2);
});

describe("older messages", () => {
  test("go in front, until there are none", async () => {
    const { deck, greet, hear, setOlder, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s", { snapshot: { messages: [user("m-2", "two")], before: "m-2" } })));
    setOlder(() => Promise.resolve({ messages: [user("m-1", "one")] }));
    await deck.loadOlder("s");
    const known = state().conversations["s"];
    expect(known?.older.map(({ key }) => key)).toEqual(["m-1"]);
    expect(known?.before).toBeUndefined();
    expect(known?.loadingOlder).toBe(false);
  });

  test("that cannot be fetched say why", async () => {
    const { deck, greet, hear, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s", { snapshot: { messages: [user("m-2", "two")], before: "m-2" } })));
    await deck.loadOlder("s");
    expect(state().toast?.text).toBe("There is nothing older.");
    expect(state().conversations["s"]).toMatchObject({ before: "m-2", loadingOlder: false });
  });
});

test("a frame that cannot be read is said, not swallowed", () => {
  const { hearText, state } = start();
  hearText("<html>");
  expect(state().toast?.text).toContain("cannot read");
});
