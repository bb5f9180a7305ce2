import { describe, expect, test } from "vitest";
import type { Update } from "grammy/types";
import { type DiskOutage, diskTroubleOf, type DiskWatch } from "../../src/domain/disk.ts";
import { createDiskNotice } from "../../src/telegram/disk-notice.ts";
import { makeTurnId } from "../../src/domain/ids.ts";
import type { Prompt } from "../../src/domain/prompt.ts";
import { TooManyPromptsError } from "../../src/domain/sessions.ts";
import { createAgain } from "../../src/telegram/again.ts";
import { createBackoff } from "../../src/telegram/backoff.ts";
import { createDrafts } from "../../src/telegram/drafts.ts";
import { createEdits } from "../../src/telegram/edits.ts";
import { createInbox } from "../../src/telegram/inbox.ts";
import { type Arrival, createIntake } from "../../src/telegram/intake.ts";
import { createParts } from "../../src/telegram/parts.ts";
import { DEBOUNCE_WINDOW } from "../../src/telegram/timing.ts";
import { labels, replies } from "../../src/telegram/words.ts";
import {
  CHAT,
  createConversationRig,
  createHandAttachment,
  createHandSession,
  type HandAttachment,
  type HandTurn,
} from "./chat-rig.ts";
import { createMemoryUpdates } from "./memory-turns.ts";
import { ada, commandMark, commandUpdate, messageUpdate, rawUpdate, strangerUpdate } from "./updates.ts";

/** `kept` is what an evie before this one stored. */
function setUp(
  options: Parameters<typeof createConversationRig>[0] = {},
  kept: ReturnType<typeof createMemoryUpdates> = createMemoryUpdates(),
) {
  const rig = createConversationRig(options);
  const attachments: HandAttachment[] = [];
  const recipient = { username: "evie_bot", isAllowed: (id: number) => id === ada.id };
  const { clock, log, outboxes, conversations } = rig;
  const inbox = createInbox({ store: kept.updates, clock, log, backoff: createBackoff(() => 0.5) });
  const parts = createParts({
    recipient,
    fetchAttachment(file) {
      const attachment = createHandAttachment(file);
      attachments.push(attachment);
      return attachment;
    },
    tell: (place, replyTo, text) =>
      outboxes(place.chatId).reply({ place, content: { text, entities: [] }, replyTo }),
  });
  const presses: string[] = [];
  const shared = {
    turns: rig.memory.turns,
    inbox,
    parts,
    drafts: createDrafts(),
    conversations,
    outboxes,
    clock,
    log,
  };
  const again = createAgain({
    ...shared,
    answerPress: (_id, said) => void presses.push(said),
  });
  /** One outage that goes on. */
  const outage: DiskOutage = { trouble: "full", sentence: "It is full. Make room." };
  const disk: DiskWatch = {
    notice: (error) => (diskTroubleOf(error) === undefined ? undefined : outage),
  };
  const diskNotice = createDiskNotice({
    disk,
    tell: (place, { sentence }) =>
      rig.outboxes(place.chatId).reply({
        place,
        content: { text: replies.diskOutage(sentence), entities: [] },
        unasked: true,
      }),
  });
  const edits = createEdits(shared);
  const intake = createIntake({ ...shared, recipient, again, edits, disk, diskNotice });
  /** Stores an update, with a number of its own, and takes it. */
  let number = 0;
  const numbered = (update: Update): Update => ({ ...update, update_id: (number += 1) });
  const keep = (update: Update, arrival: Arrival): void => {
    kept.bodies.set(update.update_id, JSON.stringify(update));
    intake.take(update, arrival);
  };
  const now = (mayBeOld: boolean): Arrival => ({ at: rig.clock.now(), mayBeOld });
  const take = (...updates: readonly Update[]) =>
    updates.map(numbered).forEach((update) => keep(update, now(false)));
  /** Takes what was written while evie was not running. */
  const takeBacklog = (...updates: readonly Update[]) =>
    updates.map(numbered).forEach((update) => keep(update, now(true)));
  /** Takes what the evie before left unspent, as at a start. */
  const takeLeft = () => inbox.unspent().forEach((update) => intake.take(update, now(false)));
  /** Takes one that came a while ago. */
  const takeLate = (update: Update, ms: number) =>
    intake.take(numbered(update), { at: rig.clock.now() - ms, mayBeOld: false });
  const flush = () => rig.clock.advance(DEBOUNCE_WINDOW);
  /** The prompts that the session at that place was given. */
  const prompts = (index = 0): Promise<readonly Prompt[]> =>
    Promise.all(rig.hand.created[index]?.drafts.map(({ ready }) => ready) ?? []);
  const texts = async (index = 0) => (await prompts(index)).map(({ text }) => text);
  return {
    ...rig,
    kept,
    presses,
    intake,
    attachments,
    take,
    takeBacklog,
    takeLeft,
    takeLate,
    flush,
    prompts,
    texts,
    outbox: rig.outboxes(7),
  };
}

const text = (said: string, fields: object = {}) => messageUpdate({ text: said, ...fields });
const commandOf = (said: string) => ({ text: said, entities: [commandMark(said)] });
const photo = (fields: object = {}) => messageUpdate({ photo: [{ file_id: "p" }], ...fields });
/** What a late piece says of the turn that it goes on with. */
const continuing = (turn: HandTurn | undefined) => ({ turn: turn?.id, label: labels.continues });
const missing = (reason: string) => ({ type: "missing", name: "photo.jpg", reason }) as const;

describe("content", () => {
  test("brings the file of a message replied to, also of one from before a new session", async () => {
    const { take, flush, attachments, prompts } = setUp();
    take(text("hello"));
    await flush();
    take(commandUpdate("/clear"), text("why?", { reply_to_message: { photo: [{ file_id: "old" }] } }));
    await flush();
    attachments[0]?.settle({ type: "image", image: { mimeType: "image/png", path: "/old" } });
    expect(await prompts(1)).toMatchObject([{ images: [{ path: "/old" }] }]);
  });

  test("says in the chat that the file of a message replied to cannot be had, and asks with what is left", async () => {
    const { take, flush, attachments, outbox, texts } = setUp();
    take(text("why?", { reply_to_message: { from: ada, photo: [{ file_id: "old" }] } }));
    await flush();
    attachments[0]?.settle(missing("it is larger than 20 MB"));
    expect(await texts()).toEqual([
      [
        "[In reply to their own message: a photo]",
        '[File "photo.jpg" of the message replied to is missing: it is larger than 20 MB]',
        "why?",
      ].join("\n"),
    ]);
    expect(outbox.said).toEqual([replies.repliedFileMissing("photo.jpg", "it is larger than 20 MB")]);
  });

  test("says nothing of the file of a message replied to that the same burst brings", async () => {
    const { take, flush, clock, attachments, outbox, prompts } = setUp();
    take(photo(), text("why?", { reply_to_message: { from: ada, photo: [{ file_id: "p" }] } }));
    await flush();
    attachments[0]?.settle({ type: "image", image: { mimeType: "image/png", path: "/1" } });
    expect(attachments[1]?.released).toBe(true);
    attachments[1]?.settle(missing("the download failed"));
    expect(await prompts()).toMatchObject([{ images: [{ path: "/1" }] }]);
    await clock.settle();
    expect(outbox.said).toEqual([]);
  });

  test("becomes one prompt a burst, in the order of its arrival", async () => {
    const { take, clock, flush, texts, session } = setUp();
    take(text("one"));
    await clock.advance(DEBOUNCE_WINDOW - 1);
    expect(session(0).drafts).toHaveLength(0);
    take(text("two"), text("three"));
    await flush();
    expect(await texts()).toEqual(["one\n\ntwo\n\nthree"]);
    take(text("four"));
    await flush();
    expect(await texts()).toEqual(["one\n\ntwo\n\nthree", "four"]);
  });

  test("waits for its window from when it came, not from when it is taken", async () => {
    const { takeLate, clock, session } = setUp();
    takeLate(text("hello"), 40);
    await clock.advance(DEBOUNCE_WINDOW - 41);
    expect(session(0).drafts).toHaveLength(0);
    await clock.advance(1);
    expect(session(0).drafts).toHaveLength(1);
  });

  test("is in its burst when it has been taken: a command that follows finds it there", () => {
    const { take, attachments, outbox } = setUp();
    take(photo(), commandUpdate("/stop"));
    expect(outbox.said).toEqual([replies.stopped]);
    expect(attachments[0]?.released).toBe(true);
  });

  test("wakes the agent when it opens a burst, and not again before the next one", async () => {
    const { take, session, flush } = setUp();
    take(text("one"));
    expect(session(0).wakes).toBe(1);
    take(text("two"));
    expect(session(0).wakes).toBe(1);
    await flush();
    take(text("three"));
    expect(session(0).wakes).toBe(2);
  });

  test("has its download begun at its arrival", () => {
    const { take, attachments } = setUp();
    take(photo({ caption: "a" }), photo());
    expect(attachments.map(({ file }) => file.name)).toEqual(["photo.jpg", "photo.jpg"]);
  });

  test("keeps its place whichever download ends first, and a slow one holds no deadline", async () => {
    const { take, flush, attachments, session, prompts } = setUp();
    take(photo({ caption: "first" }), photo({ caption: "second" }));
    await flush();
    expect(session(0).drafts).toHaveLength(1);
    attachments[1]?.settle({ type: "image", image: { mimeType: "image/png", path: "/2" } });
    attachments[0]?.settle({ type: "image", image: { mimeType: "image/png", path: "/1" } });
    expect(await prompts()).toEqual([
      {
        text: "first\n\nsecond",
        images: [
          { mimeType: "image/png", path: "/1" },
          { mimeType: "image/png", path: "/2" },
        ],
        files: [],
      },
    ]);
  });

  test("of two threads makes two bursts for two sessions", async () => {
    const { take, flush, texts } = setUp();
    take(text("here"), text("there", { message_thread_id: 5 }), text("here too"));
    await flush();
    expect([await texts(0), await texts(1)]).toEqual([["here\n\nhere too"], ["there"]]);
  });

  test("shows nothing while its burst waits", async () => {
    const { take, clock, outbox } = setUp();
    take(text("one"));
    await clock.advance(DEBOUNCE_WINDOW - 1);
    expect([outbox.replies, outbox.speakers]).toEqual([[], []]);
  });

  test("carries its context", async () => {
    const { take, flush, texts } = setUp();
    take(text("psst", { forward_origin: { type: "hidden_user", sender_user_name: "Bob" } }));
    await flush();
    expect(await texts()).toEqual(['[Forwarded from "Bob"]\npsst']);
  });

  test("says that a chat is alive again", () => {
    const { take, outbox } = setUp();
    take(text("one"));
    expect(outbox.revivals).toBe(1);
    take(commandUpdate("/help"));
    expect(outbox.revivals).toBe(2);
  });

  test("that cannot be handed on is kept, told once and handed on when it can be, in front of what came since", async () => {
    const { take, flush, hand, clock, outbox, log, texts, kept } = setUp();
    hand.state.full = true;
    take(text("one"));
    await flush();
    take(text("two"));
    await clock.advance(30_000);
    expect(outbox.said).toEqual([expect.stringMatching(/^⚠️ This cannot be handed on.* It is kept/)]);
    expect(new Set(log.messages("error"))).toEqual(new Set(["a burst could not be handed on"]));
    expect(kept.spent.size).toBe(0);
    hand.state.full = false;
    await clock.advance(5_000);
    expect(await texts()).toEqual(["one\n\ntwo"]);
  });

  test("that a full disk does not take is kept, told once with what to do, and handed on when there is room", async () => {
    const { take, flush, hand, clock, outbox, texts, kept } = setUp();
    hand.state.full = true;
    hand.state.refusal = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    take(text("one"));
    await flush();
    take(text("two"));
    await clock.advance(30_000);
    expect(outbox.said).toEqual([
      "⚠️ It is full. Make room. What you write is not lost: it is taken up when that is done.",
    ]);
    expect(kept.spent.has(1)).toBe(false);
    hand.state.full = false;
    await clock.advance(5_000);
    expect(await texts()).toEqual(["one\n\ntwo"]);
  });

  test("that is a command says on a full disk what to do, and to send it again", () => {
    const { take, hand, outbox } = setUp();
    hand.state.full = true;
    hand.state.refusal = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    expect(() => take(messageUpdate(commandOf("/clear")))).toThrow("ENOSPC");
    expect(outbox.said).toEqual(["⚠️ It is full. Make room. Then send /clear again."]);
  });

  test("for which there is no room is kept, told once with what to do, and handed on when there is", async () => {
    const { take, flush, hand, clock, outbox, log, texts, kept } = setUp();
    hand.state.full = true;
    hand.state.refusal = new TooManyPromptsError("session");
    take(text("one"));
    await flush();
    take(text("two"));
    await clock.advance(30_000);
    expect(outbox.said).toEqual([expect.stringMatching(/^Too many prompts wait .* It is kept, .*\/stop/)]);
    expect(log.messages("error")).toEqual([]);
    expect(kept.spent.size).toBe(0);
    hand.state.full = false;
    await clock.advance(5_000);
    expect(await texts()).toEqual(["one\n\ntwo"]);
  });

  test("is made of its updates, and of those that changed it", async () => {
    const { take, flush, session, kept } = setUp();
    take(text("one"), text("two", { message_id: 10 }), messageUpdate({ text: "one!" }, "edited_message"));
    await flush();
    expect(session(0).drafts[0]?.sources).toEqual([1, 3, 2]);
    // The ledger spends them, with the turn's row.
    expect(kept.spent.size).toBe(0);
    take(messageUpdate({ text: "one?" }, "edited_message"));
    expect([...kept.spent]).toEqual([4]);
  });

  test("is handed on all the same when its agent could not be woken", async () => {
    const { take, flush, hand, outbox, texts } = setUp();
    hand.state.full = true;
    take(text("one"));
    hand.state.full = false;
    await flush();
    expect(await texts()).toEqual(["one"]);
    expect(outbox.said).toEqual([]);
  });
});

describe("an edit", () => {
  const edit = (messageId: number, said: object) =>
    messageUpdate({ message_id: messageId, ...said }, "edited_message");

  test("inside the window takes the place of the words, and moves no deadline", async () => {
    const { take, clock, session, texts } = setUp();
    take(text("one", { message_id: 1 }), text("tow", { message_id: 2 }), text("three", { message_id: 3 }));
    await clock.advance(DEBOUNCE_WINDOW - 1);
    take(edit(2, { text: "two" }));
    await clock.advance(1);
    expect(session(0).drafts).toHaveLength(1);
    expect(await texts()).toEqual(["one\n\ntwo\n\nthree"]);
  });

  test("of a caption leaves the file where it was", async () => {
    const { take, flush, attachments, prompts } = setUp();
    take(photo({ message_id: 1, caption: "a cta" }));
    take(edit(1, { caption: "a cat", photo: [{ file_id: "p" }] }));
    await flush();
    attachments[0]?.settle({ type: "image", image: { mimeType: "image/png", path: "/1" } });
    expect(await prompts()).toMatchObject([{ text: "a cat", images: [{ path: "/1" }] }]);
    expect(attachments).toHaveLength(1);
  });

  test("that puts another picture in its place has that one fetched, and the first one goes", async () => {
    const { take, flush, attachments, prompts } = setUp();
    const shows = (id: string) => ({ photo: [{ file_id: `${id}-file`, file_unique_id: id }] });
    take(messageUpdate({ message_id: 1, caption: "this", ...shows("wrong") }));
    take(edit(1, { caption: "this", ...shows("right") }), edit(1, { caption: "that", ...shows("right") }));
    await flush();
    expect(attachments.map(({ file, released }) => [file.uniqueId, released])).toEqual([
      ["wrong", true],
      ["right", false],
    ]);
    attachments[1]?.settle({ type: "image", image: { mimeType: "image/png", path: "/right" } });
    expect(await prompts()).toMatchObject([{ text: "that", images: [{ path: "/right" }] }]);
  });

  test("that looks like a command runs none", async () => {
    const { take, flush, texts, outbox } = setUp();
    take(text("one", { message_id: 1 }));
    take(edit(1, { text: "/clear", entities: [commandMark("/clear")] }));
    await flush();
    expect(await texts()).toEqual(["/clear"]);
    expect(outbox.said).toEqual([]);
  });

  test("of a message that waits to be listed as old is listed, and asked when that is pressed", async () => {
    const { takeBacklog, take, flush, clock, outbox, texts, kept } = setUp();
    const old = { message_id: 1, date: Math.floor(clock.date() / 1_000) - 7 * 3_600 };
    takeBacklog(text("deploy", old), edit(1, { text: "do not deploy", date: old.date }));
    await flush();
    expect(outbox.said).toEqual([expect.stringContaining("• do not deploy\n")]);
    outbox.replies[0]?.told?.();
    const message = { message_id: 5, chat: { id: 7, type: "private" } };
    const data = outbox.replies[0]?.button?.data;
    take(rawUpdate({ callback_query: { id: "p", from: ada, data, message } }));
    expect([await texts(), kept.spent.has(3)]).toEqual([["do not deploy"], true]);
  });

  test("of a caption or a picture after the flush is handed to the session, and what it does not take is released", async () => {
    const { take, flush, session, attachments, outbox, kept, memory } = setUp();
    const shows = (id: string) => ({ photo: [{ file_id: id, file_unique_id: id }] });
    take(messageUpdate({ message_id: 1, caption: "this", ...shows("a") }), text("too", { message_id: 2 }));
    await flush();
    session(0).amended = { type: "waits" };
    take(edit(1, { caption: "that", ...shows("a") }), edit(1, { caption: "that", ...shows("b") }));
    expect(attachments.map(({ released }) => released)).toEqual([true, false]);
    const turnId = makeTurnId();
    session(0).amended = { type: "accepted", turnId };
    take(edit(1, { caption: "that", ...shows("c") }));
    expect(attachments.map(({ released }) => released)).toEqual([true, false, true]);
    attachments[1]?.settle(missing("no"));
    const drafts = session(0).amendments.map(([source, draft]) => [source, draft.sources]);
    expect(drafts).toEqual([
      [1, [1, 3, 2]],
      [1, [1, 3, 4, 2]],
      [1, [1, 3, 4, 5, 2]],
    ]);
    expect((await session(0).amendments[1]?.[1].ready)?.text).toMatch(/^that\n\n\[File .*\n\ntoo$/);
    expect(outbox.replies[0]).toMatchObject({
      content: { text: replies.oldWords },
      button: { data: `edited:${turnId}` },
      replyTo: 1,
    });
    // What waits names its updates itself.
    expect([kept.spent, memory.edits]).toEqual([new Set([5]), [[1, 5]]]);
  });

  test("that the store does not take changes nothing, and is left for the next start", async () => {
    const { take, flush, session, attachments, kept } = setUp();
    const shows = (id: string) => ({ photo: [{ file_id: id, file_unique_id: id }] });
    take(messageUpdate({ message_id: 1, caption: "this", ...shows("a") }));
    await flush();
    session(0).amend = () => {
      throw new Error("the disk is full");
    };
    expect(() => take(edit(1, { caption: "that", ...shows("b") }))).toThrow("the disk is full");
    expect(attachments.map(({ released }) => released)).toEqual([false, true]);
    expect(kept.spent.has(2)).toBe(false);
  });

  test("after the turn's end changes nothing, also in the next burst", async () => {
    const { take, flush, texts, hand } = setUp();
    take(text("one", { message_id: 1 }));
    await flush();
    take(edit(1, { text: "changed" }));
    await flush();
    take(text("two", { message_id: 2 }), edit(1, { text: "changed" }));
    await flush();
    expect(await texts()).toEqual(["one", "two"]);
    expect(hand.created).toHaveLength(1);
  });

  test("in another thread changes nothing", async () => {
    const { take, flush, texts } = setUp();
    take(text("one", { message_id: 1 }), edit(1, { text: "changed", message_thread_id: 5 }));
    await flush();
    expect(await texts()).toEqual(["one"]);
  });
});

describe("a command", () => {
  test.each<[string, string]>([
    ["/start", replies.start],
    ["/help", replies.help],
    ["/dance", replies.unknownCommand("dance")],
  ])("%s is answered at once while a burst waits, which is flushed as it was", async (command, reply) => {
    const { take, clock, outbox, texts } = setUp();
    take(text("one"));
    await clock.advance(DEBOUNCE_WINDOW - 1);
    take(commandUpdate(command));
    expect(outbox.said).toEqual([reply]);
    await clock.advance(1);
    expect(await texts()).toEqual(["one"]);
  });

  test.each<[string, string]>([
    ["/help", replies.help],
    ["/stop", replies.stopped],
    ["/clear", replies.cleared],
  ])("%s is answered at once while a turn runs", async (command, reply) => {
    const { take, flush, outbox, session } = setUp();
    take(text("one"));
    await flush();
    session(0).begin();
    session(0).runs = true;
    take(commandUpdate(command));
    expect(outbox.said).toEqual([reply]);
    expect(session(0).stops).toBe(command === "/stop" ? 1 : 0);
    expect(session(0).dismissals).toBe(command === "/clear" ? 1 : 0);
  });

  test("is answered in its thread", () => {
    const { take, outbox } = setUp();
    take(commandUpdate("/help", { message_thread_id: 5 }));
    expect(outbox.replies).toEqual([
      { place: { chatId: 7, threadId: 5 }, content: { text: replies.help, entities: [] } },
    ]);
  });

  test("never enters a prompt, and needs no session", async () => {
    const { take, flush, hand, outbox } = setUp();
    take(commandUpdate("/help"), commandUpdate("/stop"), commandUpdate("/dance now"));
    await flush();
    expect(hand.created).toHaveLength(0);
    expect(outbox.said).toEqual([replies.help, replies.nothingRuns, replies.unknownWithWords("dance")]);
  });

  test("for another bot is nobody's business", async () => {
    const { take, flush, hand, outbox, kept } = setUp();
    take(commandUpdate("/stop@other_bot now"));
    await flush();
    expect([hand.created, outbox.said, kept.spent]).toEqual([[], [], new Set([1])]);
  });

  test.each(["/clear", "/new"])(
    "%s discards what waits and begins a session, and no turn comes of it",
    async (command) => {
      const { take, flush, attachments, session, texts, hand, outbox } = setUp();
      take(text("one"), photo());
      take(commandUpdate(command));
      expect(outbox.said).toEqual([replies.cleared]);
      expect(attachments[0]?.released).toBe(true);
      await flush();
      expect(hand.created.map(({ drafts }) => drafts.length)).toEqual([0, 0]);
      take(text("two"));
      await flush();
      expect(session(0).drafts).toHaveLength(0);
      expect(await texts(1)).toEqual(["two"]);
    },
  );

  test("/clear in one thread leaves another thread's burst and session", async () => {
    const { take, flush, texts, session } = setUp();
    take(text("there", { message_thread_id: 5 }), commandUpdate("/clear"));
    await flush();
    expect(await texts(0)).toEqual(["there"]);
    expect(session(0).dismissals).toBe(0);
  });

  test("/stop gives up what waits, keeps the session, and the next message is an ordinary one", async () => {
    const { take, flush, attachments, texts, hand, outbox } = setUp();
    take(photo(), commandUpdate("/stop"), commandUpdate("/stop"));
    expect(outbox.said).toEqual([replies.stopped, replies.nothingRuns]);
    expect(attachments[0]?.released).toBe(true);
    take(text("two"));
    await flush();
    expect(await texts()).toEqual(["two"]);
    expect(hand.created).toHaveLength(1);
  });

  test("/start with a session's id lets what waits go there, and says so before that session speaks", async () => {
    const other = createHandSession();
    other.begin("http");
    const { take, flush, session, outbox, pointed, kept } = setUp({ stored: [other] });
    take(text("one"), commandUpdate(`/start ${other.id}`));
    expect(outbox.said).toEqual([replies.switched("")]);
    expect(outbox.order).toEqual(["reply", "speaker"]);
    expect([pointed.get(CHAT), kept.spent]).toEqual([other.id, new Set([2])]);
    await flush();
    const [prompt] = await Promise.all(other.drafts.map(({ ready }) => ready));
    expect([session(0).drafts, prompt?.text]).toEqual([[], "one"]);
  });

  test("/start with a session's id changes nothing where the store does not take it", () => {
    const other = createHandSession();
    const { take, conversations, hand, kept, pointed, outbox } = setUp({ stored: [other] });
    conversations(CHAT).wake();
    const [own] = hand.created;
    kept.state.commit = () => {
      if (own !== undefined) pointed.set(CHAT, own.id);
      throw new Error("the disk is full");
    };
    expect(() => take(commandUpdate(`/start ${other.id}`))).toThrow("the disk is full");
    expect([pointed.get(CHAT), own?.attached, other.attached]).toEqual([own?.id, 1, 0]);
    expect(outbox.said).toEqual([expect.stringContaining("the disk is full")]);
  });

  test("that cannot be done is told", () => {
    const { take, hand, outbox } = setUp();
    hand.state.full = true;
    expect(() => take(commandUpdate("/clear"))).toThrow("the disk is full");
    expect(outbox.said).toEqual([expect.stringMatching(/^⚠️ evie made a mistake \(the disk is full\)\./)]);
  });
});

describe("words behind a command", () => {
  test.each([
    ["/new fix the test", replies.cleared, 1],
    ["/clear@evie_bot\nfix the test", replies.cleared, 1],
    ["/stop  fix the test", replies.nothingRuns, 0],
  ])("%j: the command is answered at once, and the words are asked behind it", async (said, reply, index) => {
    const { take, flush, outbox, session, texts } = setUp();
    take(text("before"));
    await flush();
    take(commandUpdate(said));
    expect(outbox.said).toEqual([reply]);
    expect(session(index).drafts).toHaveLength(index === 0 ? 1 : 0);
    await flush();
    expect((await texts(index)).at(-1)).toBe("fix the test");
    expect(outbox.said).toEqual([reply]);
  });

  test("open a burst, which what comes behind them joins; what waited before the command is gone", async () => {
    const { take, flush, texts, session } = setUp();
    take(text("gone"), commandUpdate("/new one"), text("two"));
    await flush();
    expect([session(0).drafts, await texts(1)]).toEqual([[], ["one\n\ntwo"]]);
  });

  test("that Telegram cut are joined by the rest, in the window and later", async () => {
    const { take, flush, texts, session } = setUp();
    const words = "x".repeat(4_096 - "/stop ".length);
    take(commandUpdate(`/stop ${words}`), commandUpdate("/usr is the rest"));
    await flush();
    expect(await texts()).toEqual([`${words}\n\n/usr is the rest`]);
    take(commandUpdate(`/stop ${words}`));
    await flush();
    session(0).turns[1]?.accept(true);
    take(text("late rest"));
    await flush();
    expect((await texts())[2]).toBe("late rest");
    expect(session(0).drafts[2]?.continues).toEqual(continuing(session(0).turns[1]));
  });

  test("are no late piece of a turn that the command ended, and neither is what follows", async () => {
    const { take, flush, texts, session, clock } = setUp();
    take(text("x".repeat(4_000)));
    await flush();
    session(0).turns[0]?.accept(true);
    await clock.advance(3_000);
    take(commandUpdate("/stop do this"));
    await flush();
    take(text("y".repeat(4_000)));
    await flush();
    // The agent takes a while to stop.
    take(commandUpdate("/stop"), text("and that"));
    await flush();
    expect((await texts()).slice(1)).toEqual(["do this", "y".repeat(4_000), "and that"]);
    expect(session(0).drafts.map(({ continues }) => continues)).toEqual(Array(4).fill(undefined));
  });

  test("are kept until a turn names them, and the command is not done again after a restart", async () => {
    const { take, kept } = setUp();
    take(text("gone"), commandUpdate("/new /stop the music"));
    expect(kept.spent).toEqual(new Set([1]));
    const next = setUp({}, kept);
    next.takeLeft();
    await next.flush();
    expect([await next.texts(), next.outbox.said]).toEqual([["/stop the music"], []]);
    expect(next.session(0).drafts[0]?.sources).toEqual([2]);
  });

  test("are the words still when their author changes them", async () => {
    const { take, flush, texts } = setUp();
    take(commandUpdate("/stop fix the tset", { message_id: 4 }));
    take(messageUpdate({ ...commandOf("/stop fix the test"), message_id: 4 }, "edited_message"));
    await flush();
    take(commandUpdate("/stop one", { message_id: 5 }));
    take(messageUpdate({ text: "no command, all of it", message_id: 5 }, "edited_message"));
    await flush();
    expect(await texts()).toEqual(["fix the test", "no command, all of it"]);
  });

  test("are told to be unsent when the command cannot be done, and are not asked", async () => {
    const { take, flush, hand, outbox, texts } = setUp();
    take(text("one"));
    hand.state.full = true;
    expect(() => take(commandUpdate("/clear and two"))).toThrow("the disk is full");
    expect(outbox.said).toEqual([expect.stringContaining(replies.unsent("clear"))]);
    hand.state.full = false;
    await flush();
    expect(await texts()).toEqual([]);
  });

  test("that are older than six hours are listed, and the command acts", async () => {
    const { take, takeBacklog, flush, clock, outbox, texts } = setUp();
    takeBacklog(commandUpdate("/new old words", { date: Math.floor(clock.date() / 1_000) - 7 * 3_600 }));
    await flush();
    expect(outbox.said).toEqual([replies.cleared, expect.stringContaining("• old words")]);
    outbox.replies[1]?.told?.();
    const message = { message_id: 5, chat: { id: 7, type: "private" } };
    const data = outbox.replies[1]?.button?.data;
    take(rawUpdate({ callback_query: { id: "p", from: ada, data, message } }));
    expect(await texts()).toEqual(["old words"]);
  });

  test("that come while evie ends are kept, and asked at the next start", async () => {
    const { take, intake, kept, outbox } = setUp();
    intake.close();
    take(commandUpdate("/new later"));
    expect(outbox.said).toEqual([replies.cleared, replies.shuttingDown]);
    const next = setUp({}, kept);
    next.takeLeft();
    await next.flush();
    expect(await next.texts()).toEqual(["later"]);
  });
});

describe("a slash word in a paste", () => {
  const full = "x".repeat(4_000);

  test.each(["/usr is full", "/clear the cache", "/stop", "/new", "/help", "/usr@other_bot is full"])(
    "%j behind a full piece that waits is content",
    async (said) => {
      const { take, flush, outbox, hand, texts } = setUp();
      take(text(full), commandUpdate(said), text("end"));
      await flush();
      expect([await texts(), outbox.said, hand.created.length]).toEqual([
        [`${full}\n\n${said}\n\nend`],
        [],
        1,
      ]);
    },
  );

  test("is content after piece upon piece, and a command again behind a shorter one", async () => {
    const { take, flush, outbox, texts } = setUp();
    const second = `/usr ${full}`;
    take(text(full), commandUpdate(second), commandUpdate("/clear x"), commandUpdate("/help"));
    await flush();
    expect([await texts(), outbox.said]).toEqual([[`${full}\n\n${second}\n\n/clear x`], [replies.help]]);
  });

  test("that comes behind the flush is a late piece, and the session stays", async () => {
    const { take, flush, session, outbox, hand, texts } = setUp();
    take(text(full));
    await flush();
    session(0).turns[0]?.accept(true);
    take(commandUpdate("/clear the cache"));
    await flush();
    expect((await texts())[1]).toBe("/clear the cache");
    expect(session(0).drafts[1]?.continues).toEqual(continuing(session(0).turns[0]));
    expect([outbox.said, hand.created.length]).toEqual([[], 1]);
  });

  test("/stop alone stops the turn of a paste as soon as it has begun", async () => {
    const { take, flush, session, outbox } = setUp();
    take(text(full));
    await flush();
    session(0).runs = true;
    take(commandUpdate("/stop"));
    expect([outbox.said, session(0).stops]).toEqual([[replies.stopped], 1]);
  });

  test("/stop that waited for evie with a paste, and was written later, is a command", async () => {
    const { take, flush, outbox, clock, hand } = setUp();
    const at = Math.floor(clock.date() / 1_000);
    take(text(full, { date: at - 60 }), commandUpdate("/stop", { date: at - 30 }));
    await flush();
    expect([outbox.said, hand.created[0]?.drafts]).toEqual([[replies.stopped], []]);
  });

  test("is content again after a restart that took the paste before it away", async () => {
    const { take, clock, kept, flush } = setUp();
    take(text(full));
    await flush();
    await clock.advance(8_000);
    take(commandUpdate("/usr is full"));
    kept.spent.add(1);
    const next = setUp({}, kept);
    next.takeLeft();
    await next.flush();
    expect([await next.texts(), next.outbox.said]).toEqual([["/usr is full"], []]);
  });

  test("in what is listed as old is listed with it", async () => {
    const { takeBacklog, flush, clock, outbox } = setUp();
    const old = { date: Math.floor(clock.date() / 1_000) - 7 * 3_600 };
    takeBacklog(text(full, old), commandUpdate("/usr is full", { date: old.date + 5 }));
    await flush();
    expect(outbox.said).toEqual([expect.stringMatching(/• x+…\n• \/usr is full\n/)]);
  });
});

describe("what reaches no agent", () => {
  test("nothing is said to somebody who is not allowed any more, and no agent hears of it", async () => {
    const { take, flush, hand, outboxes, attachments } = setUp();
    take(strangerUpdate(), strangerUpdate({ text: "/start", entities: [commandMark("/start")] }));
    take(strangerUpdate({ text: undefined, document: { file_id: "d" } }));
    await flush();
    expect(outboxes.all().flatMap(({ replies: said }) => said)).toEqual([]);
    expect([hand.created, attachments]).toEqual([[], []]);
  });

  test("nothing is said in groups, to strangers or friends", async () => {
    const { take, flush, hand, outboxes } = setUp();
    const group = { chat: { id: -4, type: "supergroup" } };
    take(strangerUpdate(group), text("hi", group), commandUpdate("/clear", group));
    await flush();
    expect(outboxes.all().flatMap(({ said }) => said)).toEqual([]);
    expect(hand.created).toHaveLength(0);
  });

  test("what no agent can use is told as a reply to it", () => {
    const { take, outbox } = setUp();
    take(messageUpdate({ message_id: 3, sticker: {} }));
    expect(outbox.replies).toEqual([
      { place: { chatId: 7 }, content: { text: replies.unusable("a sticker"), entities: [] }, replyTo: 3 },
    ]);
  });

  test("the rest is for the log", () => {
    const { take, outboxes, log } = setUp();
    take(rawUpdate({ callback_query: { id: "1" } }), messageUpdate({ pinned_message: {} }));
    expect(outboxes(7).said).toEqual([]);
    expect(log.messages("info")).toEqual([
      "ignored a press of a button without a person or a place",
      "ignored a service message",
    ]);
  });
});

describe("a file that cannot be had", () => {
  test("is told as a reply to its message, and the turn goes on with the rest", async () => {
    const { take, flush, clock, attachments, outbox, texts } = setUp();
    take(photo({ message_id: 3, caption: "look" }), text("please"));
    await flush();
    attachments[0]?.settle(missing("the download failed"));
    await clock.settle();
    expect(outbox.replies).toEqual([
      {
        place: { chatId: 7 },
        content: { text: replies.fileMissing("photo.jpg", "the download failed"), entities: [] },
        replyTo: 3,
      },
    ]);
    expect(await texts()).toEqual(['look\n\n[File "photo.jpg" is missing: the download failed]\n\nplease']);
  });

  test("is told while its burst waits, when it is known already", async () => {
    const { take, clock, attachments, outbox } = setUp();
    take(photo());
    attachments[0]?.settle(missing("it is larger than 20 MB"));
    await clock.settle();
    expect(outbox.said).toEqual([replies.fileMissing("photo.jpg", "it is larger than 20 MB")]);
  });

  test("is not told when nobody wants it any more", async () => {
    const { take, clock, attachments, outbox } = setUp();
    take(photo(), commandUpdate("/clear"));
    attachments[0]?.settle(missing("the download failed"));
    await clock.settle();
    expect(outbox.said).toEqual([replies.cleared]);
  });

  test("that was had is not told of", async () => {
    const { take, clock, attachments, outbox } = setUp();
    take(photo());
    attachments[0]?.settle({ type: "image", image: { mimeType: "image/png", path: "/1" } });
    await clock.settle();
    expect(outbox.said).toEqual([]);
  });
});

describe("at evie's end", () => {
  test("each burst that waits is given up and its chat told, and no turn comes of it", async () => {
    const { take, intake, flush, attachments, outbox, hand } = setUp();
    take(text("one"), photo(), text("there", { message_thread_id: 5 }));
    intake.close();
    expect(attachments[0]?.released).toBe(true);
    expect(outbox.replies).toEqual([
      { place: { chatId: 7 }, content: { text: replies.shuttingDown, entities: [] } },
      { place: { chatId: 7, threadId: 5 }, content: { text: replies.shuttingDown, entities: [] } },
    ]);
    await flush();
    expect(hand.created.map(({ drafts }) => drafts.length)).toEqual([0, 0]);
  });

  test("a chat without a burst is told nothing", () => {
    const { intake, outbox } = setUp();
    intake.close();
    expect(outbox.said).toEqual([]);
  });

  test("what still comes is given up too, and told once a chat", async () => {
    const { take, intake, flush, attachments, outbox, hand } = setUp();
    intake.close();
    take(text("late"), photo());
    expect(outbox.said).toEqual([replies.shuttingDown]);
    expect(attachments).toHaveLength(0);
    await flush();
    expect(hand.created).toHaveLength(0);
  });
});

const HOUR = 3_600_000;

describe("what is done", () => {
  test("is spent at once: commands with what they discard, what nobody can use, strangers", () => {
    const { take, kept } = setUp();
    take(text("discarded"), commandUpdate("/stop"));
    expect(kept.spent).toEqual(new Set([1, 2]));
    take(messageUpdate({ sticker: {} }), strangerUpdate(), rawUpdate({ poll: {} }));
    expect(kept.spent).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  test("by a command that fails is told, and the command does not come back after a restart", () => {
    const { take, hand, kept, outbox } = setUp();
    take(text("one"));
    hand.state.full = true;
    expect(() => take(commandUpdate("/clear"))).toThrow("the disk is full");
    expect(outbox.said).toHaveLength(1);
    expect(kept.spent.has(2)).toBe(true);
  });
});

test("a press that comes while evie ends is left to the next start", () => {
  const { intake, take, kept, presses } = setUp();
  intake.close();
  const message = { message_id: 5, chat: { id: 7, type: "private" } };
  take(rawUpdate({ callback_query: { id: "p", from: ada, data: "again:t-1", message } }));
  expect([presses, kept.spent.size]).toEqual([[], 0]);
});

describe("a piece that comes late", () => {
  const album = (fields: object = {}) => photo({ media_group_id: "album", ...fields });

  test("of an album, while the turn runs, is prompted with a label, and the bubble above goes", async () => {
    const { take, flush, session, outbox, attachments, prompts } = setUp();
    take(album({ caption: "look" }));
    await flush();
    session(0).turns[0]?.accept(true);
    const id = session(0).turns[0]?.id;
    if (id === undefined) throw new Error("no turn");
    session(0).emit({ type: "agent_start", turnId: id, face: "telegram" });
    const begun = { key: "k", role: "assistant", at: 1, content: [{ type: "text", text: "I see" }] } as const;
    session(0).emit({ type: "message_end", key: "k", message: begun });
    take(album());
    await flush();
    session(0).emit({ type: "agent_end", turnId: id, outcome: { type: "replaced" } });
    for (const attachment of attachments) attachment.settle(missing("no"));
    expect((await prompts())[1]?.text).toMatch(/^\[File/);
    expect(session(0).drafts[1]?.continues).toEqual(continuing(session(0).turns[0]));
    const [first] = outbox.speakers;
    expect(first?.speak("message", 0)).toBeUndefined();
    expect(first?.finished).toBe(true);
  });

  test("joins its turn while that waits for one from elsewhere, and waits for nothing of it", async () => {
    const { take, flush, hand, texts, conversations, outbox } = setUp();
    conversations(CHAT).wake();
    const [session] = hand.created;
    if (session !== undefined) session.upcomingFace = "http";
    take(text("x".repeat(4_095), { message_id: 1 }));
    await flush();
    take(text("rest", { message_id: 2 }));
    await flush();
    expect(session?.queued).toHaveLength(1);
    expect((await texts())[1]).toBe("rest");
    expect(outbox.replies.filter(({ isWanted }) => isWanted?.() === true)).toMatchObject([{ replyTo: 2 }]);
  });

  test.each<[string, string, object, (turn: HandTurn | undefined) => void, number]>([
    ["after its turn has ended", "x".repeat(4_000), {}, (turn) => turn?.end({ type: "done" }), 0],
    ["after ten seconds", "x".repeat(4_000), {}, () => undefined, 10_001],
    ["after a text that was not cut", "x".repeat(3_999), {}, () => undefined, 0],
    ["of another album", "x".repeat(4_000), { media_group_id: "b" }, () => undefined, 0],
  ])("%s is an ordinary message", async (_, first, fields, before, wait) => {
    const { take, flush, session, clock, texts } = setUp();
    take(text(first));
    await flush();
    session(0).turns[0]?.accept(true);
    before(session(0).turns[0]);
    await clock.advance(wait);
    take(text("rest", fields));
    await flush();
    expect((await texts())[1]).toBe("rest");
    expect(session(0).drafts[1]?.continues).toBeUndefined();
  });
});

describe("what is older than six hours", () => {
  const at = (ms: number) => ({ date: Math.floor(ms / 1_000) });

  test("is listed with a button instead of being asked, and asked when that is pressed", async () => {
    const { take, takeBacklog, flush, clock, kept, outbox, hand, texts, presses } = setUp();
    takeBacklog(text("first", at(clock.date() - 7 * HOUR)), text("second", at(clock.date() - 7 * HOUR)));
    await flush();
    expect(hand.created).toHaveLength(0);
    const [listed] = outbox.replies;
    expect(listed?.content.text).toContain("• first\n• second");
    expect(kept.spent.size).toBe(0);
    listed?.told?.();
    const press = {
      id: "p",
      from: ada,
      data: listed?.button?.data,
      message: { message_id: 5, chat: { id: 7, type: "private" } },
    };
    take(rawUpdate({ callback_query: press }), rawUpdate({ callback_query: press }));
    expect(await texts()).toEqual(["first\n\nsecond"]);
    expect(hand.created[0]?.drafts[0]?.sources).toEqual([3, 1, 2]);
    expect(presses).toEqual([replies.doneAgain, replies.doneAgainAlready]);
    expect(kept.spent.has(3)).toBe(true);
  });

  test("by its date alone is asked at once: Telegram was late, or a clock is wrong", async () => {
    const { take, flush, clock, texts, outbox } = setUp();
    take(text("late", at(clock.date() - 24 * HOUR)));
    await flush();
    expect([await texts(), outbox.said]).toEqual([["late"], []]);
  });

  test("is asked at once while it is younger than that", async () => {
    const { takeBacklog, flush, clock, texts } = setUp();
    takeBacklog(text("fresh", at(clock.date() - 6 * HOUR + 1_000)));
    await flush();
    expect(await texts()).toEqual(["fresh"]);
  });

  test("that waits for a turn from elsewhere is let in by its button, once", async () => {
    const { take, flush, outbox, hand, presses, conversations } = setUp();
    conversations(CHAT).wake();
    const [session] = hand.created;
    if (session !== undefined) session.upcomingFace = "deck";
    take(text("let me in"));
    await flush();
    const data = outbox.replies.at(-1)?.button?.data;
    const message = { message_id: 5, chat: { id: 7, type: "private" } };
    const press = rawUpdate({ callback_query: { id: "p", from: ada, data, message } });
    take(press, press);
    expect(presses).toEqual([replies.hurried, replies.waitsNoMore]);
    expect(session?.queued).toEqual([]);
  });

  test("is nothing to press for once it is not kept any more", () => {
    const { take, presses } = setUp();
    const message = { message_id: 5, chat: { id: 7, type: "private" } };
    take(rawUpdate({ callback_query: { id: "p", from: ada, data: "again:t-1", message } }));
    expect(presses).toEqual([replies.nothingToRepeat]);
  });
});
