import { describe, expect, test } from "vitest";
import { shelf, start } from "./deck-rig.ts";
import { attachFrames, info, parked, QUESTION, scene, user } from "./scenes.ts";

describe("sessions", () => {
  test("are subscribed to when shown for the first time; switching back sends nothing and is one change", () => {
    const { deck, sent, greet, hear } = start();
    greet();
    deck.show("a");
    hear(...attachFrames(scene("a")));
    deck.show("b");
    hear(...attachFrames(scene("b")));
    expect(sent.splice(0)).toEqual([
      { type: "subscribe", sessionId: "a", shown: true },
      { type: "subscribe", sessionId: "b", shown: true },
    ]);
    let told = 0;
    deck.store.subscribe(() => (told += 1));
    deck.show("a");
    expect(sent).toEqual([]);
    expect(told).toBe(1);
  });

  test("that are still wanted are subscribed to again on a new connection, the one shown first, and no others", async () => {
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
    const [first, ...others] = sent;
    expect(first).toEqual({ type: "subscribe", sessionId: "i", shown: true });
    expect(others).toEqual("hgfedcb".split("").map((sessionId) => ({ type: "subscribe", sessionId })));
  });

  test("that wait behind others on a new connection come first when they are shown", async () => {
    const { deck, sent, greet, hear, reconnect } = start();
    greet();
    for (const id of ["a", "b", "c"]) deck.show(id);
    await reconnect();
    sent.length = 0;
    hear(...attachFrames(scene("c")), ...attachFrames(scene("b")));
    deck.show("b");
    expect(sent).toEqual([]);
    deck.show("a");
    expect(sent).toEqual([{ type: "subscribe", sessionId: "a", shown: true }]);
    hear(...attachFrames(scene("a")));
    deck.show("b");
    deck.show("a");
    expect(sent).toHaveLength(1);
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
      { type: "subscribe", sessionId: "x", shown: true },
      { type: "subscribe", sessionId: "x", shown: true },
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

describe("a message that was shortened", () => {
  const half = { ...user("u", "half"), shortened: true as const };

  test("is replaced by the whole one, wherever it stands", async () => {
    const { deck, greet, hear, setOlder, setWhole, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s", { snapshot: { messages: [half, user("v", "x")], before: "u" } })));
    setOlder(() => Promise.resolve({ messages: [{ ...half, key: "t" }] }));
    await deck.loadOlder("s");
    setWhole((key) => Promise.resolve(user(key, "whole")));
    await deck.loadWhole("s", "u");
    await deck.loadWhole("s", "t");
    const { older, transcript } = state().conversations["s"] ?? {};
    expect([...(older ?? []), ...(transcript?.messages ?? [])]).toEqual([
      user("t", "whole"),
      user("u", "whole"),
      user("v", "x"),
    ]);
  });

  test("stays, and it is said why, when the whole one cannot be fetched", async () => {
    const { deck, greet, hear, setWhole, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s", { snapshot: { messages: [half] } })));
    setWhole(() => Promise.reject(new Error("evie does not answer.")));
    await deck.loadWhole("s", "u");
    expect(state().toast?.text).toBe("evie does not answer.");
    expect(state().conversations["s"]?.transcript.messages).toEqual([half]);
  });
});

test("a frame that cannot be read is said, not swallowed", () => {
  const { hearText, state } = start();
  hearText("<html>");
  expect(state().toast?.text).toContain("cannot read");
});

describe("a deck that evie does not let in", () => {
  test("forgets what was said, keeps what was written, and shows it all again to who comes back with a key", async () => {
    const rig = start();
    rig.greet();
    rig.deck.show("s");
    rig.hear({ type: "sessions", sessions: [info("s")] }, ...attachFrames(scene("s")));
    rig.deck.write("s", { text: "half a thought" });
    expect(rig.state().conversations["s"]).toBeDefined();
    await rig.refuse();
    expect(rig.state()).toMatchObject({ locked: "refused", shown: "s" });
    expect(rig.state().conversations).toEqual({});
    expect(rig.state().sessions).toBeUndefined();

    rig.deck.offer("key-2");
    await rig.clock.advance(500);
    rig.greet();
    expect(rig.dialled).toEqual(["key-1", "key-2"]);
    expect(rig.state().locked).toBeUndefined();
    expect(rig.state().drafts["s"]?.text).toBe("half a thought");
    expect(rig.sent.at(-1)).toEqual({ type: "subscribe", sessionId: "s", shown: true });
    expect(rig.keyShelf.getItem("key")).toBe("key-2");
  });

  test("says so where it has no key at all, and asks nobody", async () => {
    const rig = start(shelf(), shelf(), "");
    await rig.clock.settle();
    expect([rig.state().locked, rig.dialled]).toEqual(["no key", []]);
  });

  test("keeps its connection when a link brings the key that it has", async () => {
    const rig = start();
    rig.greet();
    rig.deck.offer("key-1");
    await rig.clock.advance(500);
    expect([rig.dialled, rig.state().link]).toEqual([["key-1"], "open"]);
  });
});
