import { describe, expect, test } from "vitest";
import { ADA, readAnswer, startRig } from "./rig.ts";

describe("sendMessage", () => {
  test("shows the message and gives it back, numbered with those of the person", async () => {
    const { api, ada, send } = await startRig();
    await ada.say("hello");
    const message = await send("hi");
    expect(message).toMatchObject({
      message_id: 2,
      from: api.bot,
      chat: { id: 7, type: "private" },
      text: "hi",
    });
    expect(message.date).toBe(Date.UTC(2026, 0, 1) / 1000);
    expect(api.chat(7).messages.map(({ id, text, byBot }) => [id, text, byBot])).toEqual([
      [1, "hello", false],
      [2, "hi", true],
    ]);
  });

  test.each([
    [{ chat_id: 7 }, 400, "Bad Request: message text is empty"],
    [{ text: "hi" }, 400, "Bad Request: chat_id is empty"],
    [{ chat_id: 99, text: "hi" }, 400, "Bad Request: chat not found"],
    [{ chat_id: "@nobody", text: "hi" }, 400, "Bad Request: chat not found"],
    [{ chat_id: 7, text: "x".repeat(4097) }, 400, "Bad Request: message is too long"],
    [
      { chat_id: 7, text: "hi", entities: [{ type: "bold", offset: 0, length: 3 }] },
      400,
      /ends after the end of the text/,
    ],
    [{ chat_id: 7, text: "*hi*", parse_mode: "HTML" }, 400, /unsupported parse_mode/],
    [
      { chat_id: 7, text: "hi", reply_parameters: { message_id: 5 } },
      400,
      "Bad Request: message to be replied not found",
    ],
    [{ chat_id: 7, text: "hi", reply_markup: "{" }, 400, "Bad Request: can't parse reply_markup JSON object"],
    [
      {
        chat_id: 7,
        text: "hi",
        reply_markup: { inline_keyboard: [[{ text: "A", callback_data: "é".repeat(33) }]] },
      },
      400,
      "Bad Request: BUTTON_DATA_INVALID",
    ],
    [
      { chat_id: 7, text: "hi", reply_markup: { inline_keyboard: [[{ text: "A" }]] } },
      400,
      /Text buttons are unallowed/,
    ],
  ])("refuses %j", async (payload, status, description) => {
    const { api, call } = await startRig();
    const answer = await call("sendMessage", payload);
    expect(answer).toMatchObject({ status, ok: false, error_code: status });
    expect(answer.description).toMatch(description);
    expect(api.chat(7).messages).toEqual([]);
  });

  test("keeps what belongs to the message: reply, thread, keyboard, preview, silence", async () => {
    const { api, ada, send } = await startRig();
    await ada.say("hello there");
    const message = await send("hi", {
      reply_parameters: { message_id: 1, quote: "there" },
      message_thread_id: 4,
      link_preview_options: { is_disabled: true },
      disable_notification: true,
      reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "y" }], []] },
    });
    expect(message).toMatchObject({
      message_thread_id: 4,
      reply_to_message: { message_id: 1, text: "hello there" },
      quote: { text: "there", position: 6 },
      link_preview_options: { is_disabled: true },
    });
    expect(api.chat(7).botMessages[0]).toMatchObject({
      silent: true,
      buttons: [[{ text: "Yes", data: "y" }]],
    });
  });

  test("sends without a reply when its target is gone and that is allowed", async () => {
    const { send } = await startRig();
    const message = await send("hi", {
      reply_parameters: { message_id: 5, allow_sending_without_reply: true },
    });
    expect(message.reply_to_message).toBeUndefined();
  });

  test("logs what it put right", async () => {
    const { api, send } = await startRig();
    await send("hi", {
      entities: [{ type: "text_link", offset: 0, length: 2, url: "mailto:ada@example.com" }],
    });
    expect(api.callsOf("sendMessage")[0]?.complaints).toEqual([
      "a mail address is no link: mailto:ada@example.com becomes http://mailto:ada@example.com/",
    ]);
  });

  test("tells a blocked bot so, also when it edits or types, until the person comes back", async () => {
    const { api, ada, call, send } = await startRig();
    const { message_id } = await send("hi");
    ada.block();
    const refused = { status: 403, description: "Forbidden: bot was blocked by the user" };
    expect(await call("sendMessage", { chat_id: 7, text: "hi" })).toMatchObject(refused);
    expect(await call("editMessageText", { chat_id: 7, message_id, text: "ho" })).toMatchObject(refused);
    expect(await call("sendChatAction", { chat_id: 7, action: "typing" })).toMatchObject(refused);
    await ada.say("I am back");
    expect(await call("sendMessage", { chat_id: 7, text: "hi" })).toMatchObject({ ok: true });
    expect(api.pendingUpdates).toMatchObject([
      { my_chat_member: { new_chat_member: { status: "kicked" } } },
      { my_chat_member: { new_chat_member: { status: "member" } } },
      { message: { text: "I am back" } },
    ]);
  });
});

describe("bodies", () => {
  const form = {
    chat_id: "7",
    text: "hi",
    entities: '[{"type":"bold","offset":0,"length":2}]',
    disable_notification: "true",
  };

  test.each([
    ["a query", (url: string) => fetch(`${url}?${new URLSearchParams(form).toString()}`)],
    ["a urlencoded body", (url: string) => fetch(url, { method: "POST", body: new URLSearchParams(form) })],
    [
      "a multipart body",
      (url: string) => {
        const body = new FormData();
        for (const [name, value] of Object.entries(form)) body.set(name, value);
        return fetch(url, { method: "POST", body });
      },
    ],
  ])("%s is read as JSON is", async (_, post) => {
    const { api, url } = await startRig();
    const answer = await readAnswer(await post(url("SENDMESSAGE")));
    expect(answer).toMatchObject({ ok: true, result: { text: "hi", entities: [{ type: "bold" }] } });
    expect(api.chat(7).messages[0]?.silent).toBe(true);
  });

  test.each([
    ["application/json", "{"],
    ["application/json", "[1]"],
    ["multipart/form-data; boundary=x", "--x\r\ncontent-disposition: form-data; name=a\r\n\r\n1"],
    ["multipart/form-data", "hi"],
  ])("a broken %s body %j is refused", async (type, body) => {
    const { url } = await startRig();
    const response = await fetch(url("getMe"), { method: "POST", headers: { "content-type": type }, body });
    expect(await readAnswer(response)).toMatchObject({
      status: 400,
      description: /can't parse request body/,
    });
  });
});

describe("files", () => {
  const upload = async (url: string, field: string, file: Blob, more: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ chat_id: String(ADA.id), ...more })) body.set(name, value);
    body.set(field, file, "notes.md");
    return readAnswer(await fetch(url, { method: "POST", body }));
  };

  test("a document is shown with its content and can be sent again by its id", async () => {
    const { api, url, call } = await startRig();
    const answer = await upload(url("sendDocument"), "document", new Blob(["# hi"]), { caption: " all " });
    expect(answer).toMatchObject({
      ok: true,
      result: { caption: "all", document: { file_name: "notes.md", file_size: 4 } },
    });
    const document = api.chat(7).messages[0]?.message.document?.file_id;
    expect(await call("sendDocument", { chat_id: 7, document })).toMatchObject({ ok: true });
    expect(Buffer.from(api.chat(7).messages[1]?.file ?? []).toString()).toBe("# hi");
  });

  test("a file may be attached under another name", async () => {
    const { api, url } = await startRig();
    await upload(url("sendPhoto"), "part", new Blob(["jpg"]), { photo: "attach://part" });
    expect(Buffer.from(api.chat(7).messages[0]?.file ?? []).toString()).toBe("jpg");
  });

  test.each([
    ["an empty file", new Blob([]), {}, "Bad Request: file must be non-empty"],
    [
      "a long caption",
      new Blob(["x"]),
      { caption: "x".repeat(1025) },
      "Bad Request: message caption is too long",
    ],
  ])("%s is refused", async (_, file, more, description) => {
    const { url } = await startRig();
    expect(await upload(url("sendDocument"), "document", file, more)).toMatchObject({
      status: 400,
      description,
    });
  });

  test("a call without its file, or with an unknown id, is refused", async () => {
    const { call } = await startRig();
    expect(await call("sendPhoto", { chat_id: 7 })).toMatchObject({
      description: "Bad Request: there is no photo in the request",
    });
    expect(await call("sendPhoto", { chat_id: 7, photo: "x" })).toMatchObject({
      description: /wrong remote file identifier/,
    });
  });
});

describe("sendChatAction", () => {
  test("is shown for five seconds", async () => {
    const { api, clock, call } = await startRig();
    await call("sendChatAction", { chat_id: 7, action: "typing", message_thread_id: 2 });
    await clock.advance(4_999);
    expect(api.chat(7).action).toEqual({ action: "typing", at: 0, threadId: 2 });
    await clock.advance(1);
    expect(api.chat(7).action).toBeUndefined();
  });

  test("ends with a message of the bot", async () => {
    const { api, call, send } = await startRig();
    await call("sendChatAction", { chat_id: 7, action: "typing" });
    await send("hi");
    expect(api.chat(7).action).toBeUndefined();
  });

  test("knows its actions", async () => {
    const { call } = await startRig();
    expect(await call("sendChatAction", { chat_id: 7, action: "dancing" })).toMatchObject({
      description: "Bad Request: wrong parameter action in request",
    });
  });
});
