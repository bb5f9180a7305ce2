import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Update } from "grammy/types";
import { receive, type Received } from "../../src/telegram/receive.ts";
import {
  ada,
  commandMark,
  commandUpdate,
  evie,
  messageOf,
  messageUpdate,
  rawUpdate,
  stranger,
  strangerUpdate,
} from "./updates.ts";

const recipient = { username: "Evie_Bot", isAllowed: (id: number) => id === ada.id };
const read = (update: Update): Received => receive(update, recipient);

const origin = { key: "7", place: { chatId: 7 }, messageId: 9, userId: 7 };
const content = (fields: object) => ({ type: "content", ...origin, text: "", ...fields });
const forwarded = {
  forward_origin: { type: "user", sender_user: { id: 8, is_bot: false, first_name: "Bob" }, date: 0 },
};

describe("a content message", () => {
  test("is its text, to the character", () => {
    expect(read(messageUpdate({ text: "  hello\n\n👋 " }))).toEqual(content({ text: "  hello\n\n👋 " }));
  });

  test("is its caption and its file", () => {
    const update = messageUpdate({ caption: "look", document: { file_id: "d", file_name: "a.pdf" } });
    expect(read(update)).toEqual(content({ text: "look", file: { fileId: "d", name: "a.pdf" } }));
  });

  test.each<[string, object[]]>([
    [
      "in Telegram's order",
      [
        { file_id: "s", width: 90, height: 60, file_size: 1 },
        { file_id: "l", width: 900, height: 600, file_size: 2 },
      ],
    ],
    [
      "in another order",
      [
        { file_id: "l", width: 900, height: 600, file_size: 2 },
        { file_id: "s", width: 90, height: 60, file_size: 1 },
      ],
    ],
  ])("is the largest size of a photo, %s", (_, photo) => {
    expect(read(messageUpdate({ photo }))).toEqual(
      content({ file: { fileId: "l", name: "photo.jpg", size: 2 } }),
    );
  });

  test("takes the last of sizes that say nothing of themselves", () => {
    expect(read(messageUpdate({ photo: [{ file_id: "s" }, { file_id: "l" }] }))).toEqual(
      content({ file: { fileId: "l", name: "photo.jpg" } }),
    );
  });

  test.each<[string, string]>([
    ["animation", "animation.mp4"],
    ["document", "document"],
    ["audio", "audio.mp3"],
    ["video", "video.mp4"],
    ["video_note", "video-note.mp4"],
    ["voice", "voice.ogg"],
  ])("of kind %s gives its file, named by its sender or else by its kind", (kind, fallback) => {
    const file = { file_id: "f", file_size: 3 };
    expect(read(messageUpdate({ [kind]: { ...file, file_name: " mine.bin " } }))).toEqual(
      content({ file: { fileId: "f", name: "mine.bin", size: 3 } }),
    );
    expect(read(messageUpdate({ [kind]: file }))).toEqual(
      content({ file: { fileId: "f", name: fallback, size: 3 } }),
    );
    expect(read(messageUpdate({ [kind]: { ...file, file_name: " " } }))).toEqual(
      content({ file: { fileId: "f", name: fallback, size: 3 } }),
    );
  });

  test("is the animation where a document stands beside it", () => {
    const update = messageUpdate({ document: { file_id: "d" }, animation: { file_id: "a" } });
    expect(read(update)).toEqual(content({ file: { fileId: "a", name: "animation.mp4" } }));
  });

  test("is the photo of a live photo", () => {
    const update = messageUpdate({ live_photo: { file_id: "v" }, photo: [{ file_id: "p" }] });
    expect(read(update)).toEqual(content({ file: { fileId: "p", name: "photo.jpg" } }));
  });

  test("is each message of an album on its own", () => {
    const update = messageUpdate({ media_group_id: "g", photo: [{ file_id: "p" }] });
    expect(read(update)).toEqual(content({ file: { fileId: "p", name: "photo.jpg" } }));
  });

  test("says where a forward comes from", () => {
    expect(read(messageUpdate({ text: "psst", ...forwarded }))).toEqual(
      content({ text: "psst", context: '[Forwarded from "Bob"]' }),
    );
  });

  test("says what a reply answers", () => {
    const update = messageUpdate({ text: "why?", reply_to_message: { from: evie, text: "Done." } });
    expect(read(update)).toEqual(content({ text: "why?", context: '[In reply to your message: "Done."]' }));
  });

  describe("brings the file of the message that it replies to", () => {
    const own = { message_id: 5, from: ada };
    test.each<[string, object, object]>([
      [
        "a photo",
        { reply_to_message: { ...own, photo: [{ file_id: "s" }, { file_id: "p" }] } },
        { fileId: "p", name: "photo.jpg" },
      ],
      [
        "a document of the bot's own",
        { reply_to_message: { from: evie, document: { file_id: "d", file_name: "answer.md" } } },
        { fileId: "d", name: "answer.md" },
      ],
      [
        "a voice message",
        { reply_to_message: { ...own, voice: { file_id: "v" } } },
        { fileId: "v", name: "voice.ogg" },
      ],
      [
        "a video",
        { reply_to_message: { ...own, video: { file_id: "v", file_size: 9 } } },
        { fileId: "v", name: "video.mp4", size: 9 },
      ],
      [
        "a photo of an album, that one",
        { reply_to_message: { ...own, media_group_id: "g", photo: [{ file_id: "p", file_unique_id: "u" }] } },
        { fileId: "p", uniqueId: "u", name: "photo.jpg" },
      ],
      [
        "a photo in another chat",
        { external_reply: { origin: { type: "user", sender_user: evie }, photo: [{ file_id: "p" }] } },
        { fileId: "p", name: "photo.jpg" },
      ],
      [
        "the picture of a live photo in another chat",
        { external_reply: { live_photo: { file_id: "v", photo: [{ file_id: "p" }] } } },
        { fileId: "p", name: "photo.jpg" },
      ],
      [
        "a photo of which a part of the caption was quoted",
        { reply_to_message: { ...own, photo: [{ file_id: "p" }], caption: "a b" }, quote: { text: "b" } },
        { fileId: "p", name: "photo.jpg" },
      ],
    ])("%s", (_, fields, replied) => {
      expect(read(messageUpdate({ text: "why?", ...fields }))).toMatchObject({ text: "why?", replied });
    });

    test("beside a file of its own", () => {
      const update = messageUpdate({
        photo: [{ file_id: "new" }],
        reply_to_message: { ...own, photo: [{ file_id: "old" }] },
      });
      expect(read(update)).toMatchObject({ file: { fileId: "new" }, replied: { fileId: "old" } });
    });

    test("behind a command", () => {
      const update = commandUpdate("/new why?", { reply_to_message: { ...own, photo: [{ file_id: "p" }] } });
      expect(read(update)).toMatchObject({ words: { text: "why?", replied: { fileId: "p" } } });
    });

    test("and nothing of a message without one", () => {
      expect(
        read(messageUpdate({ text: "why?", reply_to_message: { ...own, text: "so" } })),
      ).not.toHaveProperty("replied");
    });
  });

  test("is the markdown of a rich message", () => {
    const blocks = [
      { type: "heading", size: 2, text: "Plan" },
      { type: "paragraph", text: ["a ", { type: "bold", text: "b" }] },
    ];
    expect(read(messageUpdate({ rich_message: { blocks } }))).toEqual(
      content({ text: "## Plan\n\na **b**" }),
    );
  });

  describe("has formatting that carries meaning as markdown", () => {
    const url = "https://a.example/x";
    const link = [{ type: "text_link", offset: 5, length: 11, url }];
    const expected = `read [the article](${url})`;

    test.each<[string, object]>([
      ["in its text", { text: "read the article", entities: link }],
      ["in its caption", { caption: "read the article", caption_entities: link, voice: { file_id: "v" } }],
      ["in a forward", { text: "read the article", entities: link, ...forwarded }],
    ])("%s", (_, fields) => {
      expect(read(messageUpdate(fields))).toMatchObject({ type: "content", text: expected });
    });

    test("behind a command", () => {
      const moved = link.map((entity) => ({ ...entity, offset: entity.offset + "/new ".length }));
      const entities = [commandMark("/new read the article"), ...moved];
      expect(read(messageUpdate({ text: "/new read the article", entities }))).toMatchObject({
        type: "command",
        words: { text: expected },
      });
    });

    test("in an edit", () => {
      const update = messageUpdate({ text: "read the article", entities: link }, "edited_message");
      expect(read(update)).toMatchObject({ type: "edit", text: expected });
    });

    test("in each piece of a paste that Telegram cut, so that code goes on as code", () => {
      const pieces = ["f()\n", "g()"].map((text) => {
        const pre = { type: "pre", offset: 0, length: text.length, language: "js" };
        return read(messageUpdate({ text, entities: [pre] }));
      });
      expect(pieces).toEqual([content({ text: "```js\nf()\n```" }), content({ text: "```js\ng()\n```" })]);
    });
  });

  test("belongs to its thread", () => {
    expect(read(messageUpdate({ text: "a", message_thread_id: 5 }))).toEqual(
      content({ text: "a", key: "7:5", place: { chatId: 7, threadId: 5 } }),
    );
  });

  test("may come through another bot that its sender chose", () => {
    expect(read(messageUpdate({ text: "a", via_bot: evie }))).toEqual(content({ text: "a" }));
  });
});

describe("no half of a character and no NUL comes from Telegram", () => {
  const broken = "a\0b \ud83d";
  const whole = "ab \ufffd";

  test.each<[string, object, object]>([
    ["in a text", { text: broken }, { text: whole }],
    ["in a caption", { caption: broken, voice: { file_id: "v" } }, { text: whole }],
    ["in a file's name", { document: { file_id: "d", file_name: broken } }, { file: { name: whole } }],
    [
      "in the name of who wrote a forward",
      { text: "x", forward_origin: { type: "hidden_user", sender_user_name: broken } },
      { context: '[Forwarded from "a b \ufffd"]' },
    ],
  ])("%s", (_, fields, expected) => {
    expect(read(messageUpdate(fields))).toMatchObject(expected);
  });

  test("behind a command, or with a press", () => {
    expect(read(commandUpdate(`/new ${broken}`))).toMatchObject({ argument: whole, words: { text: whole } });
    expect(read(press({ data: broken }))).toMatchObject({ data: whole });
  });

  test("and entities stay where they were", () => {
    const entities = [{ type: "text_link", offset: 4, length: 4, url: "https://a.example" }];
    expect(read(messageUpdate({ text: "a\0b link \ud83d", entities }))).toMatchObject({
      text: "ab [link](https://a.example) \ufffd",
    });
  });

  test("whatever the message", () => {
    const nasty = fc.string({ unit: fc.constantFrom("a", "😀", "\0", "\ud83d", "\ude00", " ", "/") });
    const fields = fc.record(
      {
        text: nasty,
        caption: nasty,
        document: fc.record({ file_id: nasty, file_name: nasty }),
        entities: fc.array(fc.record({ type: nasty, offset: fc.nat(9), length: fc.nat(9), url: nasty })),
        reply_to_message: fc.record({
          text: nasty,
          document: fc.record({ file_id: nasty, file_name: nasty }),
        }),
        forward_origin: fc.record({ type: fc.constant("hidden_user"), sender_user_name: nasty }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (given) => {
        expect(JSON.stringify(read(messageUpdate(given)))).not.toMatch(/(?<!\\)\\u(?:d[89a-f]|0000)/);
      }),
    );
  });
});

describe("a command", () => {
  test.each<[string, string, string?]>([
    ["/start", "start"],
    ["/start s-0A", "start", "s-0A"],
    ["/start@Evie_Bot   s-0A\n", "start", "s-0A"],
    ["/start  ", "start"],
    ["/help@evie_bot", "help"],
    ["/help@EVIE_BOT now", "help", "now"],
    ["/CLEAR", "clear"],
    ["/new\n\n fix it", "new", "fix it"],
    ["/what_is_this", "what_is_this"],
  ])("%j is read as %s, and as it was written what stands behind it: %s", (text, name, argument) => {
    const behind = argument === undefined ? {} : { argument, words: expect.anything() as unknown };
    const whole = { type: "content", ...origin, text };
    expect(read(commandUpdate(text))).toEqual({ type: "command", ...origin, name, ...behind, whole });
  });

  test("is one in a reply too, and the words behind it carry what they answer", () => {
    const reply = { reply_to_message: { from: evie, text: "…" } };
    const context = '[In reply to your message: "…"]';
    expect(read(commandUpdate("/stop", reply))).toEqual({
      type: "command",
      ...origin,
      name: "stop",
      whole: content({ text: "/stop", context }),
    });
    expect(read(commandUpdate("/stop and look here", reply))).toMatchObject({
      words: content({ text: "and look here", context, behindCommand: true }),
    });
  });

  test("that was done is the words behind it, and one that goes on with a paste is all of it", () => {
    const taken = (as: string): Update =>
      rawUpdate({ ...commandUpdate("/new /stop the music"), taken_as: as });
    expect(read(taken("words"))).toEqual(content({ text: "/stop the music", behindCommand: true }));
    expect(read(taken("whole"))).toEqual(content({ text: "/new /stop the music" }));
    expect(read(taken("poison"))).toMatchObject({ type: "command", name: "new" });
  });

  test("in a thread keeps the thread", () => {
    expect(read(commandUpdate("/stop", { message_thread_id: 5 }))).toMatchObject({ key: "7:5" });
  });

  test("for another bot says so", () => {
    expect(read(commandUpdate("/help@other_bot"))).toMatchObject({ type: "command", forAnother: true });
    expect(read(commandUpdate("/help@evie_bot"))).not.toHaveProperty("forAnother");
  });

  test.each<[string, object, string]>([
    ["in a caption", { caption: "/clear", caption_entities: [commandMark("/clear")] }, "/clear"],
    ["in a forward", { text: "/clear", entities: [commandMark("/clear")], ...forwarded }, "/clear"],
    [
      "behind other words",
      { text: "say /clear", entities: [{ type: "bot_command", offset: 4, length: 6 }] },
      "say /clear",
    ],
    ["that Telegram does not mark", { text: "/home/me/x.ts is broken" }, "/home/me/x.ts is broken"],
    [
      "that is something else at its start",
      { text: "/home/me", entities: [{ type: "code", offset: 0, length: 8 }] },
      "`/home/me`",
    ],
  ])("%s is content", (_, fields, text) => {
    const update = messageUpdate({ ...fields, ...("caption" in fields ? { voice: { file_id: "v" } } : {}) });
    expect(read(update)).toMatchObject({ type: "content", text });
  });

  test("in an edit is an edit", () => {
    const fields = { text: "/clear", entities: [commandMark("/clear")] };
    expect(read(messageUpdate(fields, "edited_message"))).toEqual({
      type: "edit",
      ...origin,
      text: "/clear",
      behindCommand: "",
    });
  });
});

test.each<[string, object, string]>([
  ["of a text", { text: "new" }, "new"],
  ["of a caption", { caption: "new", photo: [{ file_id: "p" }] }, "new"],
  ["that takes a caption away", { photo: [{ file_id: "p" }] }, ""],
  ["of a rich message", { rich_message: { blocks: [{ type: "paragraph", text: "new" }] } }, "new"],
])("an edit %s says what is there now", (_, fields, text) => {
  const file = "photo" in fields ? { file: { fileId: "p", name: "photo.jpg" } } : {};
  expect(read(messageUpdate(fields, "edited_message"))).toEqual({ type: "edit", ...origin, text, ...file });
});

test.each<[string, object, string]>([
  ["sticker", { sticker: {} }, "a sticker"],
  ["place, which is also a location", { location: {}, venue: {} }, "a place"],
  ["location", { location: {} }, "a location"],
  ["poll", { poll: {} }, "a poll"],
  ["contact", { contact: {} }, "a contact"],
  ["dice", { dice: {} }, "a dice"],
  ["game", { game: {} }, "a game"],
  ["story", { story: {} }, "a story"],
  ["checklist", { checklist: {} }, "a checklist"],
  ["invoice", { invoice: {} }, "an invoice"],
  ["paid media", { paid_media: {} }, "paid media"],
  ["giveaway", { giveaway: {} }, "a giveaway"],
  ["giveaway's end", { giveaway_winners: {} }, "a giveaway"],
  ["rich message without a word", { rich_message: { blocks: [] } }, "an empty message"],
])("a %s is named as what cannot be used", (_, fields, what) => {
  expect(read(messageUpdate(fields))).toEqual({ type: "unusable", ...origin, what });
});

test("a file without an id is none, and the caption still counts", () => {
  for (const kind of ["document", "voice"]) {
    expect(read(messageUpdate({ [kind]: { file_size: 3 }, caption: "see" }))).toEqual(
      content({ text: "see" }),
    );
  }
  expect(read(messageUpdate({ photo: [{ width: 1 }], caption: "see" }))).toEqual(content({ text: "see" }));
});

test("the caption of paid media still counts", () => {
  expect(read(messageUpdate({ paid_media: {}, caption: "see" }))).toEqual(content({ text: "see" }));
});

describe("nobody who is not allowed reaches an agent", () => {
  test.each<[string, Update]>([
    ["a message", strangerUpdate()],
    ["a command", strangerUpdate({ text: "/clear", entities: [commandMark("/clear")] })],
    ["a file", strangerUpdate({ text: undefined, document: { file_id: "d" } })],
    [
      "an edit",
      rawUpdate({ edited_message: messageOf({ from: stranger, chat: { id: 66, type: "private" } }) }),
    ],
  ])("%s of a stranger", (_, update) => {
    expect(read(update)).toMatchObject({ type: "stranger", place: { chatId: 66 }, userId: 66 });
  });

  test("the message of a stranger in an allowed person's thread is a stranger's", () => {
    expect(read(messageUpdate({ text: "a", from: stranger, message_thread_id: 5 }))).toMatchObject({
      type: "stranger",
      place: { chatId: 7, threadId: 5 },
      userId: 66,
    });
  });

  test.each<[string, object, string]>([
    ["a bot", { from: { ...ada, is_bot: true } }, "a message without a person behind it"],
    ["nobody", { from: undefined }, "a message without a person behind it"],
    [
      "a channel behind a person",
      { sender_chat: { id: -3, type: "channel" } },
      "a message without a person behind it",
    ],
    ["an allowed person in a group", { chat: { id: -4, type: "group" } }, "a message in a group"],
    [
      "an allowed person in a supergroup",
      { chat: { id: -4, type: "supergroup" } },
      "a message in a supergroup",
    ],
    ["a stranger in a group", { from: stranger, chat: { id: -4, type: "group" } }, "a message in a group"],
    ["a channel", { chat: { id: -3, type: "channel" } }, "a message in a channel"],
  ])("%s", (_, fields, reason) => {
    const command = { text: "/clear", entities: [commandMark("/clear")] };
    for (const kind of ["message", "edited_message"] as const) {
      for (const said of [{ text: "hi" }, command]) {
        expect(read(messageUpdate({ ...said, ...fields }, kind))).toEqual({ type: "ignored", reason });
      }
    }
  });
});

test.each<[string, object]>([
  ["a pinned message", { pinned_message: {} }],
  ["a changed timer", { message_auto_delete_timer_changed: {} }],
  ["a topic that was opened", { forum_topic_created: {} }],
  ["a gift", { gift: {} }],
  ["something newer than the types", { hologram: {} }],
  ["nothing at all", {}],
])("a service message is for the log only: %s", (_, fields) => {
  expect(read(messageUpdate(fields))).toEqual({ type: "ignored", reason: "a service message" });
});

const press = (fields: object = {}) =>
  rawUpdate({ callback_query: { id: "p1", from: ada, data: "again:x", message: messageOf({}), ...fields } });

test("a stranger's press of a button is a stranger's", () => {
  expect(read(press({ from: stranger }))).toMatchObject({ type: "stranger", userId: stranger.id });
});

test("a press of a button is of its chat, and says what the button says", () => {
  expect(read(press())).toEqual({
    type: "press",
    key: "7",
    place: { chatId: 7 },
    messageId: 9,
    userId: 7,
    pressId: "p1",
    data: "again:x",
  });
  expect(read(press({ message: messageOf({ message_thread_id: 5 }) }))).toMatchObject({ key: "7:5" });
});

test.each<[string, object, string]>([
  ["one in a group", { message: messageOf({ chat: { id: -4, type: "group" } }) }, "a press in a group"],
  ["one without a message", { message: undefined }, "a press of a button without a person or a place"],
  ["one without words", { data: undefined }, "a press of a button without words"],
  ["nobody's", { from: undefined }, "a press of a button without a person or a place"],
])("a press that is %s is for the log only", (_, fields, reason) => {
  expect(read(press(fields))).toEqual({ type: "ignored", reason });
});

test.each<[string, object]>([
  ["channel_post", { channel_post: messageOf({ text: "hi" }) }],
  ["edited_channel_post", { edited_channel_post: messageOf({ text: "hi" }) }],
  ["business_message", { business_message: messageOf({ text: "hi" }) }],
  ["my_chat_member", { my_chat_member: {} }],
  ["telepathy", { telepathy: {} }],
  ["none", {}],
])("an update of kind %s is for the log only", (kind, fields) => {
  expect(read(rawUpdate(fields))).toEqual({ type: "ignored", reason: `an update of kind ${kind}` });
});

describe("whatever comes", () => {
  const junk = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
  const file = fc.oneof(
    fc.record({ file_id: junk, file_size: junk, file_name: junk, width: junk }, { requiredKeys: [] }),
    junk,
  );
  const mark = fc.oneof(
    fc.record({ type: fc.constant("bot_command"), offset: fc.constant(0), length: junk }),
    junk,
  );
  const message = fc.record(
    {
      message_id: fc.oneof(fc.constant(9), junk),
      message_thread_id: fc.oneof(fc.constant(5), junk),
      from: fc.oneof(fc.constant(ada), fc.constant(stranger), junk),
      chat: fc.oneof(fc.constant({ id: 7, type: "private" }), fc.record({ id: junk, type: junk }), junk),
      sender_chat: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, junk),
      text: fc.oneof(fc.constant("/clear"), junk),
      entities: fc.oneof(fc.array(mark), junk),
      caption: junk,
      photo: fc.oneof(fc.array(file), junk),
      document: file,
      animation: file,
      voice: file,
      sticker: junk,
      rich_message: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, junk),
      forward_origin: junk,
      reply_to_message: junk,
    },
    { requiredKeys: ["from", "chat", "message_id"] },
  );
  const update = fc.record(
    {
      update_id: fc.integer(),
      message: fc.oneof({ weight: 5, arbitrary: message }, junk),
      edited_message: fc.oneof(message, junk),
      telepathy: junk,
    },
    { requiredKeys: ["update_id"] },
  );

  test("is read without a throw, and nobody but an allowed person gets through", () => {
    fc.assert(
      fc.property(update, (value: unknown) => {
        const received = read(value as Update);
        if (received.type === "ignored") {
          expect(received.reason).not.toBe("");
          return;
        }
        expect(received.place.chatId).toEqual(expect.any(Number));
        if (received.type === "stranger") {
          expect(received.userId).not.toBe(ada.id);
          return;
        }
        expect(received.userId).toBe(ada.id);
        expect(received.messageId).toEqual(expect.any(Number));
        if (received.type === "content") {
          expect(received.text).toEqual(expect.any(String));
          expect(received.file?.fileId ?? "").toEqual(expect.any(String));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
