import { describe, expect, test } from "vitest";
import { makeTurnId } from "../../src/domain/ids.ts";
import type { FormattedText } from "../../src/telegram/entities.ts";
import type { ShownMessage } from "../../src/telegram/reconcile.ts";
import { createShownPages } from "../../src/telegram/shown-pages.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";

const page = (text: string): FormattedText => ({ text, entities: [] });
const message = (messageId: number, text: string): ShownMessage => ({
  messageId,
  ...page(text),
  plain: false,
});

/** Pages of which the chat shows these for certain, as the messages 1, 2 and so on. */
function show(...texts: readonly string[]) {
  const pages = createShownPages({ turn: makeTurnId(), log: createMemoryLog() });
  const wanted = texts.map(page);
  for (const [at] of texts.entries()) {
    pages.calls(wanted, { final: false });
    pages.heard({ type: "done", messageId: at + 1 });
  }
  const next = (...wanted: readonly string[]) =>
    pages
      .calls(wanted.map(page), { final: true })
      .map((call) => `${call.type}${"messageId" in call ? ` ${call.messageId}` : ""}`);
  return { pages, next };
}

describe("an edit whose answer nobody heard", () => {
  test("is made anew, also when the page is to read as it did before", () => {
    const { pages, next } = show("a", "b");
    expect(next("a", "b too")).toEqual(["edit 2"]);
    expect(next("a", "b")).toEqual(["edit 2"]);
    pages.heard({ type: "done" });
    expect(next("a", "b")).toEqual([]);
  });

  test("may be the last that was made before a restart", () => {
    const before = [message(1, "a"), message(2, "b")];
    const pages = createShownPages({ turn: makeTurnId(), log: createMemoryLog(), before });
    expect(pages.calls([page("a"), page("b")], { final: true })).toEqual([
      { type: "edit", messageId: 2, content: page("b") },
    ]);
    expect(pages.messages).toEqual(before);
  });
});

describe("a page whose message is gone", () => {
  test("takes the next message, and so on, so that only the last is sent anew", () => {
    const { pages, next } = show("a", "b", "c");
    expect(next("A", "b", "c")).toEqual(["edit 1"]);
    expect(pages.heard({ type: "target_gone" })).toBe("edit");
    expect(pages.messages.map(({ messageId, text }) => [messageId, text])).toEqual([
      [2, "b"],
      [3, "c"],
    ]);
    expect(next("A", "b", "c")).toEqual(["edit 2", "edit 3", "send"]);
  });

  test("comes back, and those behind it, also when they went with it", () => {
    const { pages, next } = show("a", "b", "c");
    for (const gone of ["edit 1", "edit 2", "edit 3"]) {
      expect(next("A", "b", "c")[0]).toBe(gone);
      pages.heard({ type: "target_gone" });
    }
    expect(next("A", "b", "c")).toEqual(["send", "send", "send"]);
  });

  test("is left out when it was sent anew and goes again, and the others stay", () => {
    const { pages, next } = show("a");
    next("A");
    expect(pages.heard({ type: "target_gone" })).toBe("message");
    for (const [at, call] of ["send", "send"].entries()) {
      expect(next("A", "b")[0]).toBe(call);
      pages.heard({ type: "done", messageId: 10 + at });
    }
    expect(next("A too", "b")).toEqual(["edit 10"]);
    pages.heard({ type: "target_gone" });
    expect(next("A too", "b")).toEqual([]);
    expect(next("A too", "b too")).toEqual(["edit 11"]);
  });
});
