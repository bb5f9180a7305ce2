import { describe, expect, test } from "vitest";
import { readAnswer, startRig } from "./rig.ts";

describe("who may ask", () => {
  test.each([
    ["another token", "/bot1:wrong/getMe", 401, "Unauthorized"],
    ["another token for a file", "/file/bot1:wrong/photos/file_1.jpg", 401, "Unauthorized"],
    ["no token", "/getMe", 404, "Not Found"],
    ["nothing", "/", 404, "Not Found"],
    ["no path at all", "//", 404, "Not Found"],
    ["a path that cannot be decoded", "/bot%ff/getMe", 404, "Not Found"],
  ])("%s is refused", async (_, path, status, description) => {
    const { api } = await startRig();
    const answer = await readAnswer(await fetch(api.root + path));
    expect(answer).toEqual({ status, retryAfter: null, ok: false, error_code: status, description });
  });

  test("an unknown method is not found, and no call", async () => {
    const { api, call } = await startRig();
    expect(await call("makeCoffee")).toMatchObject({ status: 404, description: "Not Found" });
    expect(api.calls).toEqual([]);
  });

  test("each start has a token of its own", async () => {
    const [first, second] = [await startRig(), await startRig()];
    expect(first.api.token).toMatch(/^\d+:[A-Za-z0-9_-]{35}$/);
    expect(first.api.token).not.toBe(second.api.token);
  });
});

test("getMe and getChat say who is there", async () => {
  const { api, call } = await startRig({ bot: { id: 5, username: "my_bot", first_name: "My" } });
  expect(await call("getMe")).toMatchObject({
    result: { id: 5, is_bot: true, username: "my_bot", can_join_groups: true },
  });
  expect(await call("getChat", { chat_id: 7 })).toMatchObject({
    result: { id: 7, type: "private", first_name: "Ada" },
  });
  api.group({ id: -5, title: "Team", is_forum: true });
  expect(await call("getChat", { chat_id: -5 })).toMatchObject({
    result: { id: -5, type: "supergroup", title: "Team", is_forum: true },
  });
  expect(await call("getChat", { chat_id: 8 })).toMatchObject({ description: "Bad Request: chat not found" });
});

describe("setMyCommands", () => {
  const set = (command: unknown, description: unknown = "Says hello"): Record<string, unknown> => ({
    commands: [{ command, description }],
  });

  test("is remembered for each scope", async () => {
    const { api, call } = await startRig();
    expect(await call("setMyCommands", set("start"))).toMatchObject({ result: true });
    expect(
      await call("setMyCommands", { ...set("stop"), scope: { type: "chat", chat_id: 7 } }),
    ).toMatchObject({ ok: true });
    expect(api.commands).toEqual([{ command: "start", description: "Says hello" }]);
    expect(await call("getMyCommands")).toMatchObject({ result: [{ command: "start" }] });
    expect(await call("getMyCommands", { scope: { type: "chat", chat_id: 7 } })).toMatchObject({
      result: [{ command: "stop" }],
    });
  });

  test.each([
    ["no list", {}, "expected an Array of BotCommand"],
    ["a strange name", set("say-hi"), "BOT_COMMAND_INVALID"],
    ["a long name", set("a".repeat(33)), "BOT_COMMAND_INVALID"],
    ["no name", set(""), "command must not be empty"],
    ["no description", set("hi", ""), "command description must not be empty"],
    ["a long description", set("hi", "x".repeat(257)), "BOT_COMMAND_DESCRIPTION_INVALID"],
    [
      "too many",
      { commands: Array.from({ length: 101 }, (_, index) => ({ command: `c${index}`, description: "x" })) },
      "BOT_COMMANDS_TOO_MUCH",
    ],
  ])("refuses %s", async (_, payload, why) => {
    const { api, call } = await startRig();
    expect(await call("setMyCommands", { ...payload })).toMatchObject({
      status: 400,
      description: `Bad Request: ${why}`,
    });
    expect(api.commands).toEqual([]);
  });
});

describe("getFile", () => {
  test("gives a path from which the file can be loaded", async () => {
    const { api, ada, call } = await startRig();
    const { document } = ada.sendDocument(Buffer.from("content"), {
      name: "../my notes.md",
      mime: "text/markdown",
    });
    const answer = await call("getFile", { file_id: document?.file_id });
    expect(answer).toMatchObject({
      result: { file_id: document?.file_id, file_size: 7, file_path: "documents/file_1.md" },
    });
    const file = await fetch(`${api.root}/file/bot${api.token}/documents/file_1.md`);
    expect([file.status, file.headers.get("content-length"), await file.text()]).toEqual([
      200,
      "7",
      "content",
    ]);
  });

  test("refuses unknown files and those over 20 MiB", async () => {
    const { ada, call } = await startRig();
    expect(await call("getFile", { file_id: "x" })).toMatchObject({
      description: "Bad Request: wrong file_id or the file is temporarily unavailable",
    });
    const limit = 20 * 1024 * 1024;
    const small = ada.sendDocument(new Uint8Array(1), { size: limit }).document?.file_id;
    const large = ada.sendDocument(new Uint8Array(1), { size: limit + 1 }).document?.file_id;
    expect(await call("getFile", { file_id: small })).toMatchObject({ ok: true });
    expect(await call("getFile", { file_id: large })).toMatchObject({
      status: 400,
      description: "Bad Request: file is too big",
    });
  });
});

test("a pressed button is answered once", async () => {
  const { api, clock, ada, call, send } = await startRig();
  await send("Sure?", { reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "y" }]] } });
  const press = ada.press(1, "Yes");
  expect(api.pendingUpdates).toMatchObject([
    {
      callback_query: { id: press.id, from: { id: 7 }, data: "y", message: { message_id: 1, text: "Sure?" } },
    },
  ]);
  expect(press.answer).toBeUndefined();
  await clock.advance(5);
  const answer = { callback_query_id: press.id, text: "Fine", show_alert: true };
  expect(await call("answerCallbackQuery", answer)).toMatchObject({ result: true });
  expect(press.answer).toEqual({ text: "Fine", alert: true, at: 5 });
  expect(await call("answerCallbackQuery", answer)).toMatchObject({
    status: 400,
    description: "Bad Request: query is too old and response timeout expired or query ID is invalid",
  });
  expect(() => ada.press(1, "No")).toThrow(RangeError);
});
