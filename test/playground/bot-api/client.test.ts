import { describe, expect, test } from "vitest";
import { ADA, startRig } from "./rig.ts";

const bytes = Buffer.from("content");

describe("a person", () => {
  test("says a short text before `say` returns", async () => {
    const { api, ada } = await startRig();
    const said = ada.say(" hello ");
    expect(api.pendingUpdates).toMatchObject([
      { message: { message_id: 1, text: "hello", chat: { id: 7 }, from: { id: 7 } } },
    ]);
    expect(await said).toHaveLength(1);
  });

  test("pastes a long text in parts that follow each other closely", async () => {
    const { api, clock, ada } = await startRig({ spacing: 20 });
    const pasted = ada.say(`${"x".repeat(4090)}\n${"y".repeat(4096)}z`);
    expect(api.pendingUpdates).toHaveLength(1);
    await clock.advance(19);
    expect(api.pendingUpdates).toHaveLength(1);
    await clock.advance(21);
    expect((await pasted).map(({ text }) => text?.length)).toEqual([4090, 4096, 1]);
    expect((await pasted).map(({ message_id }) => message_id)).toEqual([1, 2, 3]);
  });

  test("has commands and links marked, in captions too", async () => {
    const { ada } = await startRig();
    expect((await ada.say("/start"))[0]?.entities).toEqual([{ type: "bot_command", offset: 0, length: 6 }]);
    expect((await ada.say("/home/me/x.ts"))[0]?.entities).toBeUndefined();
    const bold = { type: "bold", offset: 6, length: 2 };
    expect((await ada.say("/stop it", { entities: [bold] }))[0]?.entities).toEqual([
      { type: "bot_command", offset: 0, length: 5 },
      bold,
    ]);
    expect(ada.sendPhoto(bytes, { caption: "/start" }).caption_entities).toEqual([
      { type: "bot_command", offset: 0, length: 6 },
    ]);
  });

  test("replies, quotes and writes in a topic", async () => {
    const { ada, send } = await startRig();
    await send("one two");
    const [message] = await ada.say("why?", { reply_to: 1, quote: "two", threadId: 3 });
    expect(message).toMatchObject({
      reply_to_message: { message_id: 1, text: "one two" },
      quote: { text: "two", position: 4 },
      message_thread_id: 3,
      is_topic_message: true,
    });
    expect(() => ada.sendPhoto(bytes, { reply_to: 99 })).toThrow(RangeError);
  });

  test("sends a photo in ascending sizes, of which the last is the picture", async () => {
    const { api, ada } = await startRig();
    const { photo } = ada.sendPhoto(bytes, { width: 1000, height: 500 });
    expect(photo?.map(({ width, height }) => [width, height])).toEqual([
      [90, 45],
      [320, 160],
      [800, 400],
      [1000, 500],
    ]);
    expect(api.chat(7).messages[0]?.file).toEqual(bytes);
    expect(new Set(photo?.map(({ file_id }) => file_id)).size).toBe(4);
  });

  test("sends an album whose members share an id and come one after the other", async () => {
    const { api, clock, ada } = await startRig();
    const album = ada.sendAlbum(
      [
        { bytes, caption: "two" },
        { bytes, kind: "document", name: "a.txt" },
      ],
      { spacing: 300 },
    );
    expect(api.pendingUpdates).toHaveLength(1);
    await clock.advance(300);
    const [first, second] = await album;
    expect(first).toMatchObject({ caption: "two", photo: [{}, {}, {}, {}] });
    expect(second).toMatchObject({ document: { file_name: "a.txt" }, media_group_id: first?.media_group_id });
    expect(first?.media_group_id).toBeTypeOf("string");
  });

  test("sends every other kind of message", async () => {
    const { api, ada } = await startRig();
    ada.sendVoice(bytes);
    ada.sendAudio(bytes, { name: "a.mp3" });
    ada.sendVideo(bytes, { caption: "look" });
    ada.sendAnimation(bytes, { name: "a.gif", mime: "image/gif" });
    ada.sendSticker();
    ada.sendLocation();
    ada.sendContact();
    ada.sendPoll();
    ada.sendRich([{ type: "paragraph", text: "hi" }]);
    ada.sendService({ pinned_message: { message_id: 1 } });
    ada.forward("theirs", { name: "Somebody" });
    expect(api.pendingUpdates.map(({ message }) => message)).toMatchObject([
      { voice: { mime_type: "audio/ogg" } },
      { audio: { file_name: "a.mp3" } },
      { video: { mime_type: "video/mp4" }, caption: "look" },
      { animation: { file_name: "a.gif" }, document: { mime_type: "image/gif" } },
      { sticker: { emoji: "👍" } },
      { location: {} },
      { contact: {} },
      { poll: {} },
      { rich_message: { blocks: [{ type: "paragraph" }] } },
      { pinned_message: { message_id: 1 } },
      { text: "theirs", forward_origin: { type: "hidden_user", sender_user_name: "Somebody" } },
    ]);
    expect(api.chat(7).messages[8]?.message).not.toHaveProperty("text");
  });

  test("edits an own message, and deletes without telling the bot", async () => {
    const { api, ada, send } = await startRig();
    await ada.say("/start");
    await send("hi");
    expect(ada.edit(1, "now")).not.toHaveProperty("entities");
    ada.delete(1);
    expect(api.pendingUpdates).toMatchObject([
      { message: { text: "/start" } },
      { edited_message: { message_id: 1, text: "now", edit_date: Date.UTC(2026, 0, 1) / 1000 } },
    ]);
    expect(api.chat(7).messages.map(({ text }) => text)).toEqual(["hi"]);
    expect(() => ada.edit(2, "mine")).toThrow(RangeError);
  });
});

describe("groups and channels", () => {
  test("several persons share a group, whose numbering is its own", async () => {
    const { api, call } = await startRig();
    const group = api.group({ id: -100, title: "Team" });
    await api.person({ id: 8, first_name: "Bob" }).say("in private");
    await group.as(ADA).say("hello");
    await group.as({ id: 8, first_name: "Bob" }).say("hi");
    expect(api.pendingUpdates.slice(1)).toMatchObject([
      { message: { message_id: 1, from: { id: 7 }, chat: { id: -100, type: "supergroup" } } },
      { message: { message_id: 2, from: { id: 8 }, chat: { id: -100 } } },
    ]);
    group.kick();
    expect(await call("sendMessage", { chat_id: -100, text: "hi" })).toMatchObject({
      status: 403,
      description: "Forbidden: bot was kicked from the supergroup chat",
    });
    await group.as(ADA).say("is it gone?");
    expect(api.pendingUpdates.at(-1)).toMatchObject({
      my_chat_member: { new_chat_member: { status: "kicked" } },
    });
    group.invite();
    expect(await call("sendMessage", { chat_id: -100, text: "hi" })).toMatchObject({ ok: true });
  });

  test("a channel's post comes from no person", async () => {
    const { api } = await startRig();
    api.channel({ id: -200, title: "News" }).post("today");
    expect(api.pendingUpdates).toMatchObject([
      { channel_post: { text: "today", sender_chat: { id: -200 } } },
    ]);
    expect(api.pendingUpdates[0]?.["channel_post"]).not.toHaveProperty("from");
  });
});
