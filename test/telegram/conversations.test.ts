import { describe, expect, test } from "vitest";
import { makeChatKey, makeSessionId, makeTurnId, type TurnId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import type { Speaker } from "../../src/telegram/speakers.ts";
import { PLACEHOLDER, replies } from "../../src/telegram/words.ts";
import { asked, opens, says, toolStarts } from "../domain/events.ts";
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
    session(0).upcomingFace = face;
    chat.run(draft, 5);
    expect([session(0).turns.length, session(0).queued.length]).toEqual([2, 0]);
    expect(outbox.replies).toEqual([]);
  });

  test.each(["deck", "http"] as const)(
    "waits for a turn that was begun on %s, which one line says, until its button lets it in",
    (face) => {
      const { chat, session, outbox } = setUp();
      chat.wake();
      session(0).upcomingFace = face;
      const turn = chat.run(draft, 5);
      expect(session(0).queued.map(({ id }) => id)).toEqual([turn.id]);
      expect(outbox.replies).toMatchObject([
        {
          content: { text: replies.waits },
          replyTo: 5,
          button: { text: "Now", data: `now:${turn.id}` },
        },
      ]);
      expect(chat.hurry()).toBe(true);
      expect(chat.hurry()).toBe(false);
      expect(session(0).queued).toEqual([]);
    },
  );
});

const begins = (turnId: TurnId = makeTurnId()) =>
  ({ type: "agent_start", turnId, face: "telegram" }) as const;

describe("the line that a message waits", () => {
  /** A chat whose session works on something from elsewhere, and a way to have Telegram take what was said there. */
  function setUpWaiting() {
    const rig = setUp();
    rig.chat.wake();
    rig.session(0).upcomingFace = "http";
    const take = (messageId: number) => {
      const line = rig.outbox.replies.at(-1);
      if (line?.isWanted?.() === true) line.told?.(messageId);
    };
    return { ...rig, take, bubbles: (turn: TurnId) => rig.memory.turns.of(turn) };
  }

  test("moves below the newest one, and is one line at a time", () => {
    const { chat, outbox, take, bubbles } = setUpWaiting();
    const turn = chat.run(draft, 5);
    take(100);
    expect(bubbles(turn.id)).toMatchObject([{ messageId: 100 }]);
    expect(chat.run(draft, 6)).toBe(turn);
    expect([outbox.removed, outbox.replies.map(({ replyTo }) => replyTo)]).toEqual([[100], [5, 6]]);
    take(101);
    expect(bubbles(turn.id)).toMatchObject([{ messageId: 101 }]);
  });

  test("is not sent where nothing waits any more, or something newer does, by the time it could be", () => {
    const { chat, session, outbox } = setUpWaiting();
    chat.run(draft, 5);
    chat.run(draft, 6);
    expect(outbox.replies.map(({ isWanted }) => isWanted?.())).toEqual([false, true]);
    session(0).requeue();
    expect(outbox.replies.slice(0, 2).map(({ isWanted }) => isWanted?.())).toEqual([false, false]);
  });

  test("goes when the message waits no longer, and also when Telegram takes it only then", () => {
    const { chat, session, outbox, take, bubbles } = setUpWaiting();
    const turn = chat.run(draft, 5);
    take(100);
    session(0).requeue();
    expect(outbox.removed).toEqual([100]);
    expect(bubbles(turn.id)).toEqual([]);
    chat.run(draft, 6);
    const late = outbox.replies.at(-1);
    session(0).requeue();
    late?.told?.(101);
    expect(outbox.removed).toEqual([100, 101]);
  });

  test("says it of what was put back into the queue, under the id that it has there", () => {
    const { chat, session, outbox } = setUpWaiting();
    session(0).upcomingFace = undefined;
    chat.run(draft, 5);
    const id = makeTurnId();
    session(0).requeue(id);
    expect(outbox.replies).toMatchObject([{ replyTo: 5, button: { data: `now:${id}` } }]);
    expect(chat.hurry()).toBe(true);
  });

  test("is followed by a word where somebody drops the message elsewhere", () => {
    const { chat, session, outbox } = setUpWaiting();
    chat.run(draft, 5);
    session(0).requeue();
    expect(outbox.said.at(-1)).toBe(replies.takenBack);
  });

  test.each<[string, (rig: ReturnType<typeof setUpWaiting>) => void]>([
    ["the chat lets it in", ({ chat }) => void chat.hurry()],
    ["the chat stops everything", ({ chat }) => void chat.stop()],
    ["it begins", ({ session }) => session(0).emit(begins(session(0).queued[0]?.id))],
    ["the chat has a new session", ({ chat }) => chat.clear()],
  ])("is followed by none when %s", (_, happens) => {
    const rig = setUpWaiting();
    const { chat, session, outbox } = rig;
    const [own] = [session(0)];
    chat.run(draft, 5);
    own.stop = () => {
      own.requeue();
      return true;
    };
    happens(rig);
    own.requeue();
    expect(outbox.said).toEqual([replies.waits]);
  });

  test("goes with a clear", () => {
    const { chat, outbox, take } = setUpWaiting();
    chat.run(draft, 5);
    take(100);
    chat.clear();
    expect(outbox.removed).toEqual([100]);
  });

  test("leaves alone what the turn shows once it runs", () => {
    const { chat, session, memory, take, bubbles } = setUpWaiting();
    const turn = chat.run(draft, 5);
    take(100);
    memory.turns.keep(turn.id, CHAT, [{ messageId: 102, content: "{}" }]);
    session(0).requeue();
    expect(bubbles(turn.id)).toMatchObject([{ messageId: 102 }]);
  });
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

describe("a chat that is switched", () => {
  /** A chat with a session of its own, and another session that somebody began by HTTP. */
  function setUpTwo() {
    const other = createHandSession(makeSessionId(), "The plan");
    const rig = setUp({ stored: [other] });
    rig.chat.run(draft);
    const own = rig.session(0);
    /** As a command does it: pointed in a transaction, shown behind it. */
    const go = (id = other.id) => {
      const switched = rig.chat.switchTo(id);
      rig.chat.watch();
      return switched;
    };
    return { ...rig, own, other, go };
  }

  test("speaks with that session from now on, and the old one is left as it is", () => {
    const { chat, own, other, pointed, outbox, go } = setUpTwo();
    expect(go()).toEqual({ type: "switched", name: "The plan" });
    expect(pointed.get(CHAT)).toBe(other.id);
    expect([own.attached, other.attached, other.chatChanges]).toEqual([0, 1, 1]);
    expect(own).toMatchObject({ dismissals: 0, stops: 0, replacements: [other.id] });
    chat.run(draft);
    expect([own.drafts.length, other.drafts.length]).toEqual([1, 1]);
    own.begin();
    expect([outbox.speakers, outbox.said]).toEqual([[], []]);
    other.begin();
    expect(outbox.speakers).toHaveLength(1);
  });

  test("shows what runs there: what was asked, and all of its answer that there is", () => {
    const { other, outbox, go } = setUpTwo();
    const turn = other.begin("http");
    for (const event of [asked("count"), opens("a"), says("a", "one ")]) other.emit(event);
    go();
    const [speaker] = outbox.speakers;
    expect(speaker?.speak("message", 0)).toMatchObject({ type: "send", content: { text: "By HTTP: count" } });
    expect(listen(speaker)).toBe("one");
    other.emit(says("a", "two"));
    expect(listen(speaker)).toBe("one two");
    turn.finish({ type: "done" });
    expect(listen(speaker)).toBeUndefined();
    expect([speaker?.finished, outbox.speakers.length]).toEqual([true, 1]);
  });

  test.each([
    ["has just begun", [], undefined],
    ["has only been asked", [asked("count")], PLACEHOLDER],
    ["is at a tool", [asked("count"), toolStarts("1", "bash", "ls")], "🔧 bash: ls"],
  ])("shows a turn that %s", (_, events, shown) => {
    const { other, outbox, go } = setUpTwo();
    other.begin("deck");
    events.forEach((event) => other.emit(event));
    go();
    expect(outbox.speakers).toHaveLength(1);
    const urgencies = outbox.speakers[0]?.wishes(0).map(({ urgency }) => urgency);
    expect(urgencies).toEqual([shown === undefined ? "typing" : "message"]);
    if (shown !== undefined) expect(listen(outbox.speakers[0])).toContain(shown);
  });

  test("shows nothing of a turn that has ended just before", () => {
    const { other, outbox, go } = setUpTwo();
    const turn = other.begin();
    other.emit(opens("a"));
    turn.finish({ type: "done" });
    go();
    expect(outbox.speakers).toEqual([]);
  });

  test("shows the end of a turn that ends before a word of it was said", () => {
    const { other, outbox, go } = setUpTwo();
    const turn = other.begin();
    other.emit(opens("a"));
    other.emit(says("a", "All of it."));
    go();
    turn.finish({ type: "done" });
    expect(listen(outbox.speakers[0])).toBe("All of it.");
    expect(outbox.speakers[0]?.finished).toBe(true);
  });

  test("is not while an answer is being written in it, which goes on", () => {
    const { chat, own, other, pointed, outbox, go } = setUpTwo();
    const turn = own.begin();
    own.emit(opens("a"));
    own.emit(says("a", "So far"));
    expect(go()).toEqual({ type: "busy" });
    expect([pointed.get(CHAT), own.attached, other.attached]).toEqual([own.id, 1, 0]);
    own.emit(says("a", " and on"));
    turn.finish({ type: "done" });
    expect(listen(outbox.speakers[0])).toBe("So far and on");
    expect(go()).toMatchObject({ type: "switched" });
    chat.run(draft);
    expect(other.drafts).toHaveLength(1);
  });

  test("is where it was: the session is unknown, damaged, its own, or another chat's", () => {
    const { conversations, own, other, hand, pointed, outbox, go } = setUpTwo();
    expect(go(makeSessionId())).toEqual({ type: "unknown" });
    expect(go(own.id)).toEqual({ type: "here" });
    const thread = conversations(makeChatKey({ chatId: 7, threadId: 5 }));
    expect(thread.switchTo(own.id)).toEqual({ type: "taken" });
    thread.switchTo(other.id);
    expect(go()).toEqual({ type: "taken" });
    hand.state.damaged = true;
    expect(go()).toEqual({ type: "unknown" });
    expect([pointed.get(CHAT), own.attached, own.replacements]).toEqual([own.id, 1, []]);
    expect(outbox.said).toEqual([]);
  });

  test("has its old session again where the store forgot the switch, and nobody was told otherwise", () => {
    const { chat, own, other, pointed, go } = setUpTwo();
    chat.switchTo(other.id);
    pointed.set(CHAT, own.id);
    chat.watch();
    expect([own.attached, other.attached, own.replacements]).toEqual([1, 0, []]);
    expect(go()).toMatchObject({ type: "switched" });
  });

  test("may go back, and begins with a session that is there", () => {
    const { conversations, own, other, go, pointed } = setUpTwo();
    go();
    expect(go(own.id)).toMatchObject({ type: "switched", name: "" });
    expect([own.attached, other.attached]).toEqual([1, 0]);
    const thread = makeChatKey({ chatId: 7, threadId: 5 });
    expect(conversations(thread).switchTo(other.id)).toMatchObject({ type: "switched" });
    expect(pointed.get(thread)).toBe(other.id);
  });

  test("hears no more of a session that was gone", () => {
    const other = createHandSession();
    const { chat, outbox } = setUp({ stored: [other], pointer: makeSessionId() });
    chat.wake();
    chat.switchTo(other.id);
    chat.watch();
    chat.run(draft);
    expect(outbox.said).toEqual([]);
  });
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
      { place: { chatId: 7 }, content: { text: replies.sessionGone, entities: [] }, unasked: true },
    ]);
    expect(session(0).drafts).toHaveLength(2);
    expect(pointed.get(CHAT)).toBe(session(0).id);
  });

  test("begin anew, as after a clear, when the session in hand was removed since nobody used it", () => {
    const { chat, session, outbox, pointed } = setUp();
    chat.run(draft);
    const before = session(0);
    before.isRemoved = true;
    pointed.delete(CHAT);
    expect([chat.waiting, chat.stop(), chat.hurry()]).toEqual([0, false, false]);
    expect(before.attached).toBe(0);
    chat.run(draft);
    expect(session(1).drafts).toEqual([draft]);
    expect(before.drafts).toHaveLength(1);
    expect(pointed.get(CHAT)).toBe(session(1).id);
    expect(outbox.said).toEqual([]);
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
