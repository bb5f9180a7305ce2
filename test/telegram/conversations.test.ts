import { describe, expect, test } from "vitest";
import { makeChatKey, makeSessionId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import type { Speaker } from "../../src/telegram/speakers.ts";
import { PLACEHOLDER, replies } from "../../src/telegram/words.ts";
import { opens, says } from "../domain/events.ts";
import { CHAT, createConversationRig, createHandSession } from "./chat-rig.ts";

const draft: PromptDraft = {
  ready: Promise.resolve({ text: "hello", images: [], files: [] }),
  release: () => undefined,
};

/** Lets a speaker say all that it has to say at the moment; gives what the chat shows then. */
function listen(speaker: Speaker | undefined, now = 0): string | undefined {
  let shown: string | undefined;
  for (let call = speaker?.speak("message", now); call !== undefined; call = speaker?.speak("message", now)) {
    if (call.type === "send" || call.type === "edit") shown = call.content.text;
    if (call.type === "delete") shown = "";
    speaker?.heard(call, { type: "done", messageId: 1 });
  }
  return shown;
}

function setUp(options: Parameters<typeof createConversationRig>[0] = {}) {
  const rig = createConversationRig(options);
  return { ...rig, chat: rig.conversations(CHAT), outbox: rig.outboxes(7) };
}

describe("a prompt from the chat", () => {
  test.each([undefined, "telegram"] as const)("takes the place of a turn that was begun on %s", (face) => {
    const { chat, session, outbox } = setUp();
    chat.run(draft);
    session(0).runningFace = face;
    chat.run(draft, 5);
    expect([session(0).turns.length, session(0).queued.length]).toEqual([2, 0]);
    expect(outbox.replies).toEqual([]);
  });

  test.each(["deck", "http", "schedule"] as const)(
    "waits for a turn that was begun on %s, which one line says, until its button lets it in",
    (face) => {
      const { chat, session, outbox } = setUp();
      chat.wake();
      session(0).runningFace = face;
      const turn = chat.run(draft, 5);
      expect(session(0).queued.map(({ id }) => id)).toEqual([turn.id]);
      expect(outbox.replies).toMatchObject([
        {
          content: { text: replies.waits },
          replyTo: 5,
          button: { text: "Now", data: `now:${turn.id}` },
        },
      ]);
      expect(chat.hurry(turn.id)).toBe(true);
      expect(chat.hurry(turn.id)).toBe(false);
      expect(session(0).queued).toEqual([]);
    },
  );
});

test("a chat that watches shows what is begun elsewhere in the session that the store names, and begins none", () => {
  const stored = createHandSession();
  const { chat, outbox, hand } = setUp({ stored: [stored], pointer: stored.id });
  chat.watch();
  chat.watch();
  stored.begin();
  expect([stored.attached, stored.wakes, outbox.speakers.length]).toEqual([1, 0, 1]);
  const nobody = setUp();
  nobody.chat.watch();
  expect([hand.created, nobody.hand.created]).toEqual([[], []]);
});

test("a chat that is cleared tells those who watch its old session which one it speaks with now", () => {
  const { chat, session } = setUp();
  chat.run(draft);
  chat.clear();
  expect(session(0).replacements).toEqual([session(1).id]);
});

describe("a chat and its session", () => {
  test("have nothing to do with each other before anything is wanted", () => {
    const { hand, pointed, chat } = setUp();
    expect(chat.stop()).toBe(false);
    expect(hand.created).toHaveLength(0);
    expect(pointed.size).toBe(0);
  });

  test("are joined by the first prompt, which is remembered, attached once and run", () => {
    const { chat, session, hand, pointed } = setUp();
    chat.wake();
    chat.run(draft);
    chat.run(draft);
    expect(hand.created).toHaveLength(1);
    expect(session(0)).toMatchObject({ attached: 1, wakes: 1, drafts: [draft, draft] });
    expect(pointed.get(CHAT)).toBe(session(0).id);
  });

  test("are one for one chat, and others for another chat or thread", () => {
    const { conversations, session, hand } = setUp();
    expect(conversations(CHAT)).toBe(conversations(CHAT));
    for (const place of [{ chatId: 7 }, { chatId: 7, threadId: 5 }, { chatId: 8 }]) {
      conversations(makeChatKey(place)).run(draft);
    }
    expect(hand.created).toHaveLength(3);
    expect(session(1).drafts).toHaveLength(1);
  });

  test("go on after a restart", () => {
    const stored = createHandSession();
    const { chat, hand, outbox, pointed } = setUp({ stored: [stored], pointer: stored.id });
    chat.run(draft);
    expect(stored).toMatchObject({ attached: 1, drafts: [draft] });
    expect(hand.created).toHaveLength(0);
    expect(pointed.get(CHAT)).toBe(stored.id);
    expect(outbox.said).toEqual([]);
  });

  test("begin anew when the stored session is gone, and the chat is told once, with its first turn", () => {
    const { chat, session, outbox, pointed } = setUp({ pointer: makeSessionId() });
    chat.wake();
    expect(outbox.said).toEqual([]);
    chat.run(draft);
    chat.run(draft);
    expect(outbox.replies).toEqual([
      { place: { chatId: 7 }, content: { text: replies.sessionGone, entities: [] } },
    ]);
    expect(session(0).drafts).toHaveLength(2);
    expect(pointed.get(CHAT)).toBe(session(0).id);
  });

  test("begin anew when the stored session cannot be opened", () => {
    const stored = createHandSession();
    const { chat, session, hand, outbox, log } = setUp({ stored: [stored], pointer: stored.id });
    hand.state.damaged = true;
    chat.run(draft);
    expect(outbox.said).toEqual([replies.sessionGone]);
    expect(session(0).drafts).toEqual([draft]);
    expect(log.messages("error")).toEqual(["a stored session cannot be opened"]);
  });

  test("a new chat is told of no lost session", () => {
    const { chat, outbox } = setUp();
    chat.run(draft);
    expect(outbox.said).toEqual([]);
  });

  test("a stop reaches the session, which says whether anything ran", () => {
    const { chat, session } = setUp();
    chat.run(draft);
    session(0).runs = true;
    expect(chat.stop()).toBe(true);
    session(0).runs = false;
    expect(chat.stop()).toBe(false);
    expect(session(0).stops).toBe(2);
  });
});

describe("a turn", () => {
  test("is shown by a speaker of its own, in its chat's thread", () => {
    const { conversations, session, outboxes } = setUp();
    conversations(makeChatKey({ chatId: 7, threadId: 5 })).run(draft);
    session(0).begin();
    const { speakers } = outboxes(7);
    expect(speakers.map(({ place }) => place)).toEqual([{ chatId: 7, threadId: 5 }]);
    expect(listen(speakers[0])).toBe(PLACEHOLDER);
  });

  test("that another face began is shown too", () => {
    const { chat, session, outbox } = setUp();
    chat.wake();
    session(0).begin();
    expect(outbox.speakers).toHaveLength(1);
  });

  test("shows its events and its end, and those that change what it wants to say wake the outbox", () => {
    const { chat, session, outbox } = setUp();
    chat.run(draft);
    const turn = session(0).begin();
    const before = outbox.wakes;
    session(0).emit(opens("a"));
    session(0).emit(says("a", "Hel"));
    expect(listen(outbox.speakers[0])).toBe("Hel");
    session(0).emit(says("a", "lo"));
    turn.finish({ type: "done" });
    // It opens, it has words, and it ends; the words in between only change what is said when its turn comes.
    expect(outbox.wakes).toBe(before + 3);
    expect(listen(outbox.speakers[0])).toBe("Hello");
    expect(outbox.speakers[0]?.finished).toBe(true);
  });

  test("after another has a speaker of its own, and what comes between reaches neither", () => {
    const { chat, session, outbox } = setUp();
    chat.run(draft);
    const first = session(0).begin();
    session(0).emit(opens("a"));
    session(0).emit(says("a", "one"));
    first.finish({ type: "done" });
    session(0).emit(says("a", "late"));
    session(0).begin();
    session(0).emit(opens("b"));
    session(0).emit(says("b", "two"));
    expect(outbox.speakers.map((speaker) => listen(speaker))).toEqual(["one", "two"]);
  });
});

describe("a clear", () => {
  test("points the chat to a new session at once, and dismisses the old one in the background", () => {
    const { chat, session, pointed } = setUp();
    chat.run(draft);
    chat.clear();
    expect(session(0)).toMatchObject({ dismissals: 1, attached: 0 });
    expect(session(1)).toMatchObject({ dismissals: 0, attached: 1 });
    expect(pointed.get(CHAT)).toBe(session(1).id);
    chat.run(draft);
    expect([session(0).drafts, session(1).drafts]).toEqual([[draft], [draft]]);
  });

  test("closes what the old turn has shown as stopped, and nothing that it still does is shown", () => {
    const { chat, session, outbox } = setUp();
    chat.run(draft);
    const turn = session(0).begin();
    session(0).emit(opens("a"));
    session(0).emit(says("a", "So far"));
    const [speaker] = outbox.speakers;
    expect(listen(speaker)).toBe("So far");
    chat.clear();
    session(0).emit(says("a", " and more"));
    expect(listen(speaker)).toBe("So far\n\n(stopped)");
    expect(speaker?.finished).toBe(true);
    turn.finish({ type: "failed", message: "Too late." });
    session(0).begin();
    expect(listen(speaker)).toBeUndefined();
    expect(outbox.speakers).toHaveLength(1);
  });

  test("wakes the outbox, so that the old answer is closed now", () => {
    const { chat, session, outbox } = setUp();
    chat.run(draft);
    session(0).begin();
    const before = outbox.wakes;
    chat.clear();
    expect(outbox.wakes).toBeGreaterThan(before);
  });

  test("removes a placeholder that never got a text", () => {
    const { chat, session, outbox } = setUp();
    chat.run(draft);
    session(0).begin();
    expect(listen(outbox.speakers[0])).toBe(PLACEHOLDER);
    chat.clear();
    expect(listen(outbox.speakers[0])).toBe("");
  });

  test("shows the new session's turns", () => {
    const { chat, session, outbox } = setUp();
    chat.run(draft);
    session(0).begin();
    chat.clear();
    session(1).begin();
    session(1).emit(opens("a"));
    session(1).emit(says("a", "New"));
    expect(outbox.speakers).toHaveLength(2);
    expect(listen(outbox.speakers[1])).toBe("New");
  });

  test("in a chat that has no session yet begins one, and no more", () => {
    const { chat, hand, pointed, session } = setUp();
    chat.clear();
    expect(hand.created).toHaveLength(1);
    expect(pointed.get(CHAT)).toBe(session(0).id);
    chat.run(draft);
    expect(session(0).drafts).toEqual([draft]);
  });

  test("right after a restart leaves the stored session", () => {
    const stored = createHandSession();
    const { chat, session, pointed } = setUp({ stored: [stored], pointer: stored.id });
    chat.clear();
    chat.run(draft);
    expect(stored).toMatchObject({ dismissals: 1, drafts: [], attached: 0 });
    expect(session(0).drafts).toEqual([draft]);
    expect(pointed.get(CHAT)).toBe(session(0).id);
  });

  test("makes it needless to say that the old session is gone", () => {
    const { chat, outbox } = setUp({ pointer: makeSessionId() });
    chat.wake();
    chat.clear();
    chat.run(draft);
    expect(outbox.said).toEqual([]);
  });

  test("that cannot begin a session leaves the chat with the one that it has", () => {
    const { chat, session, hand, outbox, pointed } = setUp();
    chat.run(draft);
    session(0).begin();
    hand.state.full = true;
    expect(() => chat.clear()).toThrow("the disk is full");
    session(0).emit(opens("a"));
    session(0).emit(says("a", "Still here"));
    expect(listen(outbox.speakers[0])).toBe("Still here");
    expect(session(0)).toMatchObject({ dismissals: 0, attached: 1 });
    expect(pointed.get(CHAT)).toBe(session(0).id);
  });

  test("tells the log when the old session was not dismissed", async () => {
    const { chat, session, clock, log } = setUp();
    chat.run(draft);
    session(0).dismiss = () => Promise.reject(new Error("stuck"));
    chat.clear();
    await clock.settle();
    expect(log.messages("error")).toEqual(["an old session was not dismissed"]);
  });
});
