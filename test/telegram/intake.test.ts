import { describe, expect, test } from "vitest";
import type { Update } from "grammy/types";
import type { Prompt } from "../../src/domain/prompt.ts";
import { createIntake } from "../../src/telegram/intake.ts";
import { DEBOUNCE_WINDOW } from "../../src/telegram/timing.ts";
import { replies } from "../../src/telegram/words.ts";
import { createConversationRig, createHandAttachment, type HandAttachment } from "./chat-rig.ts";
import {
  ada,
  commandMark,
  commandUpdate,
  messageUpdate,
  rawUpdate,
  stranger,
  strangerUpdate,
} from "./updates.ts";

function setUp() {
  const rig = createConversationRig();
  const attachments: HandAttachment[] = [];
  const intake = createIntake({
    recipient: { username: "evie_bot", isAllowed: (id) => id === ada.id },
    conversations: rig.conversations,
    outboxes: rig.outboxes,
    fetchAttachment(file) {
      const attachment = createHandAttachment(file);
      attachments.push(attachment);
      return attachment;
    },
    clock: rig.clock,
    log: rig.log,
  });
  const take = (...updates: readonly Update[]) => updates.forEach((update) => intake.take(update));
  const flush = () => rig.clock.advance(DEBOUNCE_WINDOW);
  /** The prompts that the session at that place was given. */
  const prompts = (index = 0): Promise<readonly Prompt[]> =>
    Promise.all(rig.hand.created[index]?.drafts.map(({ ready }) => ready) ?? []);
  const texts = async (index = 0) => (await prompts(index)).map(({ text }) => text);
  return { ...rig, intake, attachments, take, flush, prompts, texts, outbox: rig.outboxes(7) };
}

const text = (said: string, fields: object = {}) => messageUpdate({ text: said, ...fields });
const photo = (fields: object = {}) => messageUpdate({ photo: [{ file_id: "p" }], ...fields });
const missing = (reason: string) => ({ type: "missing", name: "photo.jpg", reason }) as const;

describe("content", () => {
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

  test("that cannot be handed on is told, and lets go of its files", async () => {
    const { take, flush, hand, outbox, attachments, log } = setUp();
    hand.state.full = true;
    take(photo());
    await flush();
    expect(outbox.said).toEqual([expect.stringMatching(/^⚠️ evie made a mistake \(the disk is full\)\./)]);
    expect(attachments[0]?.released).toBe(true);
    expect(log.messages("error")).toEqual(["a burst could not be handed on"]);
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

  test("that looks like a command runs none", async () => {
    const { take, flush, texts, outbox } = setUp();
    take(text("one", { message_id: 1 }));
    take(edit(1, { text: "/clear", entities: [commandMark("/clear")] }));
    await flush();
    expect(await texts()).toEqual(["/clear"]);
    expect(outbox.said).toEqual([]);
  });

  test("after the flush changes nothing, also in the next burst", async () => {
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
    expect(outbox.said).toEqual([replies.help, replies.nothingRuns, replies.unknownCommand("dance")]);
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

  test("that cannot be done is told", () => {
    const { take, hand, outbox } = setUp();
    hand.state.full = true;
    expect(() => take(commandUpdate("/clear"))).toThrow("the disk is full");
    expect(outbox.said).toEqual([expect.stringMatching(/^⚠️ evie made a mistake \(the disk is full\)\./)]);
  });
});

describe("what reaches no agent", () => {
  test("a stranger is told once a start that the bot is private, whatever they send", async () => {
    const { take, flush, hand, outboxes, attachments } = setUp();
    take(strangerUpdate(), strangerUpdate({ text: "/start", entities: [commandMark("/start")] }));
    take(strangerUpdate({ text: undefined, document: { file_id: "d" } }));
    await flush();
    expect(outboxes(66).replies).toEqual([
      { place: { chatId: 66 }, content: { text: replies.stranger(66), entities: [] } },
    ]);
    expect([hand.created, attachments]).toEqual([[], []]);
  });

  test("each stranger is told", () => {
    const { take, outboxes } = setUp();
    const other = { from: { ...stranger, id: 67 }, chat: { id: 67, type: "private" } };
    take(strangerUpdate(), strangerUpdate(other));
    expect([outboxes(66).said, outboxes(67).said]).toEqual([[replies.stranger(66)], [replies.stranger(67)]]);
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
      "ignored an update of kind callback_query",
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
