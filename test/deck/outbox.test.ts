import { describe, expect, test } from "vitest";
import type { ClientFrame } from "../../src/domain/wire.ts";
import type { Shelf } from "../../src/page-kit/keys.ts";
import { underWay } from "../../src/deck/outbox.ts";
import { begin, end, T0 } from "../domain/events.ts";
import { shelf, start } from "./deck-rig.ts";
import { attachFrames, scene, user } from "./scenes.ts";

describe("a prompt", () => {
  test("stays until evie has it, and is sent again with its id on every connection until then", async () => {
    const { deck, sent, greet, hear, reconnect, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s")));
    deck.write("s", { text: " \nHello \n" });
    deck.send("s");
    expect(state().drafts).toEqual({});
    const prompt: ClientFrame = { type: "prompt", sessionId: "s", text: "Hello", requestId: "r-1" };
    await reconnect();
    expect(sent.filter(({ type }) => type === "prompt")).toEqual([prompt, prompt]);
    hear({ type: "accepted", sessionId: "s", requestId: "r-1" });
    sent.length = 0;
    await reconnect();
    expect(sent).toEqual([{ type: "subscribe", sessionId: "s", shown: true }]);
  });

  test.each<[string, string]>([
    ["  if x:\n    y()\n", "  if x:\n    y()"],
    ["\n \n\tindented", "\tindented"],
    ["a\0b \ud83d c \ud83d\ude00", "ab \ufffd c 😀"],
  ])("of %j is %j: its first line is indented as it was, and each character is whole", (written, text) => {
    const { deck, sent, greet, hear, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s")));
    deck.write("s", { text: written });
    deck.send("s");
    expect(sent.at(-1)).toMatchObject({ type: "prompt", text });
    expect(underWay(state(), "s").map((prompt) => prompt.text)).toEqual([text]);
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

  test.each([
    ["failed", { type: "failed", message: "The agent was not found." }, "Hello"],
    ["stopped", { type: "stopped" }, "Hello"],
    ["replaced", { type: "replaced" }, undefined],
  ] as const)("whose turn is %s before the agent said it is not lost", (_name, outcome, draft) => {
    const { deck, greet, hear, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s")));
    deck.write("s", { text: "Hello" });
    deck.send("s");
    hear({ type: "accepted", sessionId: "s", requestId: "r-1" });
    hear({ type: "session_event", sessionId: "s", event: { ...begin, seq: 1, at: T0 } });
    hear({ type: "session_event", sessionId: "s", event: { ...end(outcome), seq: 2, at: T0 } });
    expect(state().drafts["s"]?.text).toBe(draft);
    expect(state().outbox).toEqual([]);
  });

  test("that was replaced before the agent had it goes back; the one that took its place does not", () => {
    const { deck, greet, hear, state } = start();
    greet();
    deck.show("s");
    hear(...attachFrames(scene("s")));
    for (const text of ["Hello", "Instead"]) {
      deck.write("s", { text });
      deck.send("s");
    }
    for (const requestId of ["r-1", "r-2"]) hear({ type: "accepted", sessionId: "s", requestId });
    const outcome = { type: "replaced", by: "deck", message: "It never reached the agent." } as const;
    hear({ type: "session_event", sessionId: "s", event: { ...begin, seq: 1, at: T0 } });
    hear({ type: "session_event", sessionId: "s", event: { ...end(outcome), seq: 2, at: T0 } });
    hear({ type: "error", code: "not_asked", message: "It is back.", sessionId: "s", requestId: "r-1" });
    expect(state().drafts["s"]?.text).toBe("Hello");
    expect(underWay(state(), "s").map(({ text }) => text)).toEqual(["Instead"]);
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
