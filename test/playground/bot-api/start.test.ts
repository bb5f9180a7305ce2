import { Bot, InputFile } from "grammy";
import { describe, expect, test } from "vitest";
import { UntilError } from "../../../src/playground/bot-api/bot-api.ts";
import type { Change } from "../../../src/playground/bot-api/bot-api.ts";
import { startRig } from "./rig.ts";

describe("a grammY bot", () => {
  test("polls, answers, sends files and edits as it does at Telegram", async () => {
    const { api, clock, ada } = await startRig();
    const bot = new Bot(api.token, { client: { apiRoot: api.root } });
    bot.command("start", async (context) => {
      await context.reply("Welcome", { entities: [{ type: "bold", offset: 0, length: 7 }] });
    });
    bot.on("message:text", async (context) => {
      await context.replyWithChatAction("typing");
      const { message_id } = await context.reply("…", {
        reply_parameters: { message_id: context.msgId },
        reply_markup: { inline_keyboard: [[{ text: "More", callback_data: "more" }]] },
      });
      await context.api.editMessageText(context.chatId, message_id, `You said: ${context.msg.text}`, {
        reply_markup: { inline_keyboard: [[{ text: "More", callback_data: "more" }]] },
      });
      await context.replyWithDocument(new InputFile(Buffer.from("große Datei"), 'my "größte" file.md'));
    });
    bot.on("callback_query:data", async (context) => {
      await context.answerCallbackQuery(context.callbackQuery.data);
    });
    const running = bot.start({ timeout: 30, allowed_updates: ["message", "callback_query"] });

    await ada.say("/start");
    await ada.say("hello");
    const file = await api.until(() =>
      api.chat(7).botMessages.find(({ message }) => message.document !== undefined),
    );
    expect(api.chat(7).botMessages.map(({ text }) => text)).toEqual(["Welcome", "You said: hello", ""]);
    expect(file.message.document?.file_name).toContain("größte");
    expect(Buffer.from(file.file ?? []).toString()).toBe("große Datei");

    const press = ada.press(api.chat(7).botMessages[1]?.id ?? 0, "More");
    await api.until(() => press.answer);
    expect(press.answer).toMatchObject({ text: "more" });
    await api.until(() => api.polling);
    const stopped = bot.stop();
    // The last poll of grammY repeats its offset, which Telegram answers only after three seconds.
    const last = api.callsOf("getUpdates").length;
    await api.until(() => api.callsOf("getUpdates").length > last && api.polling);
    await clock.advance(3_000);
    await Promise.all([stopped, running]);
    expect(api.pendingUpdates).toEqual([]);
  });

  test("understands refusals", async () => {
    const { api } = await startRig();
    const bot = new Bot(api.token, { client: { apiRoot: api.root } });
    api.faults.calls({ kind: "flood", retryAfter: 7, times: 1 });
    await expect(bot.api.sendMessage(7, "hi")).rejects.toMatchObject({
      error_code: 429,
      parameters: { retry_after: 7 },
    });
    await expect(bot.api.sendMessage(9, "hi")).rejects.toMatchObject({
      description: "Bad Request: chat not found",
    });
  });
});

describe("looking on", () => {
  test("`until` resolves with the first true look, at once or after a change", async () => {
    const { api, ada } = await startRig();
    expect(await api.until(() => "now")).toBe("now");
    const later = api.until(() => api.chat(7).messages[0]?.text);
    await ada.say("hello");
    expect(await later).toBe("hello");
  });

  test("`until` gives up with the name of what it waited for, and passes on what its look throws", async () => {
    const { api } = await startRig();
    const vain = api.until(() => false, { timeoutMs: 10, what: "snow" });
    await expect(vain).rejects.toThrow(UntilError);
    await expect(vain).rejects.toThrow("Waited 10 ms in vain for snow.");
    await expect(api.until(() => api.chat(99))).rejects.toThrow("There is no chat 99.");
  });

  test("a listener hears each change until it leaves", async () => {
    const { api, ada, call } = await startRig();
    const heard: Change[] = [];
    const leave = api.onChange((change) => heard.push(change));
    await ada.say("hello");
    await call("sendChatAction", { chat_id: 7, action: "typing" });
    leave();
    await ada.say("again");
    expect(heard).toEqual([
      { kind: "message", chatId: 7 },
      { kind: "update" },
      { kind: "call", chatId: 7 },
      { kind: "action", chatId: 7 },
      { kind: "effect", chatId: 7 },
      { kind: "answer", chatId: 7 },
    ]);
  });

  test("each call is logged with its parameters, its moments and its outcome", async () => {
    const { api, clock, call } = await startRig();
    await clock.advance(40);
    await call("sendMessage", { chat_id: 7, text: "hi" });
    await call("editMessageText", { chat_id: 7, message_id: 9, text: "ho" });
    expect(api.calls).toMatchObject([
      {
        method: "sendMessage",
        payload: { chat_id: 7, text: "hi" },
        chatId: 7,
        at: 40,
        answeredAt: 40,
        status: 200,
        effective: true,
        lost: false,
      },
      {
        method: "editMessageText",
        status: 400,
        description: "Bad Request: message to edit not found",
        effective: false,
      },
    ]);
    expect(api.calls[0]?.result).toMatchObject({ text: "hi" });
  });
});

test("closing ends what waits, and may be done twice", async () => {
  const { api, clock, call } = await startRig();
  const waiting = call("getUpdates", { timeout: 30 });
  await api.until(() => api.polling);
  await Promise.all([expect(waiting).rejects.toThrow("fetch failed"), api.close()]);
  expect(clock.sleepers).toBe(0);
  await expect(call("getMe")).rejects.toThrow("fetch failed");
});
