import { describe, expect, test } from "vitest";
import { startRig } from "./rig.ts";

const NOT_MODIFIED =
  "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
const keyboard = { inline_keyboard: [[{ text: "Yes", callback_data: "y" }]] };

describe("editMessageText", () => {
  test("replaces the text and keeps the history", async () => {
    const { api, clock, call, send } = await startRig();
    await send("one", { reply_markup: keyboard });
    await clock.advance(1_500);
    const answer = await call("editMessageText", { chat_id: 7, message_id: 1, text: "two" });
    expect(answer).toMatchObject({ ok: true, result: { message_id: 1, text: "two" } });
    const shown = api.chat(7).messages[0];
    expect(shown).toMatchObject({
      text: "two",
      buttons: [],
      edits: [{ at: 1_500, before: { text: "one" } }],
    });
    expect(shown?.message.edit_date).toBe(Date.UTC(2026, 0, 1) / 1000 + 1);
    expect(api.pendingUpdates).toEqual([]);
  });

  test.each([
    ["the same text", { text: "one" }, NOT_MODIFIED],
    ["the same text but for white space", { text: " one\n" }, NOT_MODIFIED],
    ["a message that is not there", { text: "two", message_id: 9 }, "Bad Request: message to edit not found"],
    ["a message of the person", { text: "two", message_id: 2 }, "Bad Request: message can't be edited"],
    ["an empty text", { text: "" }, "Bad Request: message text is empty"],
    ["a text that is too long", { text: "x".repeat(4097) }, "Bad Request: message is too long"],
  ])("refuses %s", async (_, change, description) => {
    const { ada, call, send } = await startRig();
    await send("one");
    await ada.say("mine");
    const answer = await call("editMessageText", { chat_id: 7, message_id: 1, ...change });
    expect(answer).toMatchObject({ status: 400, ok: false, error_code: 400, description });
  });

  test("other entities or another keyboard are a change", async () => {
    const { call, send } = await startRig();
    await send("one");
    const edit = { chat_id: 7, message_id: 1, text: "one" };
    const bold = { entities: [{ type: "bold", offset: 0, length: 3 }] };
    expect(await call("editMessageText", { ...edit, ...bold })).toMatchObject({ ok: true });
    expect(await call("editMessageText", { ...edit, ...bold })).toMatchObject({ description: NOT_MODIFIED });
    expect(await call("editMessageText", { ...edit, ...bold, reply_markup: keyboard })).toMatchObject({
      ok: true,
    });
  });

  test("editMessageReplyMarkup changes the keyboard alone", async () => {
    const { api, call, send } = await startRig();
    await send("one", { reply_markup: keyboard });
    expect(await call("editMessageReplyMarkup", { chat_id: 7, message_id: 1 })).toMatchObject({ ok: true });
    expect(api.chat(7).messages[0]).toMatchObject({ text: "one", buttons: [] });
    expect(await call("editMessageReplyMarkup", { chat_id: 7, message_id: 1 })).toMatchObject({
      description: NOT_MODIFIED,
    });
  });
});

describe("deleting", () => {
  test("takes the message away and remembers it", async () => {
    const { api, clock, call, send } = await startRig();
    await send("one");
    await clock.advance(10);
    expect(await call("deleteMessage", { chat_id: 7, message_id: 1 })).toMatchObject({
      ok: true,
      result: true,
    });
    expect(api.chat(7).messages).toEqual([]);
    expect(api.chat(7).deleted).toMatchObject([{ text: "one", deletedAt: 10 }]);
    expect(await call("deleteMessage", { chat_id: 7, message_id: 1 })).toMatchObject({
      status: 400,
      description: "Bad Request: message to delete not found",
    });
    expect(await call("editMessageText", { chat_id: 7, message_id: 1, text: "two" })).toMatchObject({
      description: "Bad Request: message to edit not found",
    });
  });

  test("a person's message can go in a private chat, not in a group, and none after two days", async () => {
    const { api, clock, ada, call } = await startRig();
    await ada.say("one");
    await ada.say("two");
    await api.group({ id: -5, title: "Team" }).as({ id: 7, first_name: "Ada" }).say("three");
    expect(await call("deleteMessage", { chat_id: 7, message_id: 1 })).toMatchObject({ ok: true });
    const refused = { description: "Bad Request: message can't be deleted" };
    expect(await call("deleteMessage", { chat_id: -5, message_id: 1 })).toMatchObject(refused);
    await clock.advance(48 * 3_600_000);
    expect(await call("deleteMessage", { chat_id: 7, message_id: 2 })).toMatchObject(refused);
  });

  test("deleteMessages passes over what is not there", async () => {
    const { api, call, send } = await startRig();
    await send("one");
    await send("two");
    expect(await call("deleteMessages", { chat_id: 7, message_ids: [2, 9, 1] })).toMatchObject({
      result: true,
    });
    expect(api.chat(7).deleted.map(({ text }) => text)).toEqual(["two", "one"]);
    expect(await call("deleteMessages", { chat_id: 7, message_ids: [] })).toMatchObject({ status: 400 });
  });
});

test("a reaction is shown, and only those that Telegram has", async () => {
  const { api, ada, call } = await startRig();
  await ada.say("one");
  const react = (emoji: string) =>
    call("setMessageReaction", { chat_id: 7, message_id: 1, reaction: [{ type: "emoji", emoji }] });
  expect(await react("👀")).toMatchObject({ result: true });
  expect(api.chat(7).messages[0]?.reaction).toBe("👀");
  expect(await react("✅")).toMatchObject({ description: "Bad Request: REACTION_INVALID" });
});
