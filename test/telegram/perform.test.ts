import { describe, expect, test } from "vitest";
import type { Answer, Call } from "../../src/telegram/calls.ts";
import type { FormattedText } from "../../src/telegram/entities.ts";
import { createPerform } from "../../src/telegram/perform.ts";
import { type ApiRig, startApiRig } from "./api-rig.ts";

const bold: FormattedText = { text: "bold", entities: [{ type: "bold", offset: 0, length: 4 }] };
const HERE = { chatId: 7 };

async function setUp() {
  const rig = await startApiRig();
  const closed = new AbortController();
  return { ...rig, closed, perform: createPerform(rig.api, rig.clock, closed.signal) };
}

async function sent({ perform }: { perform: ReturnType<typeof createPerform> }): Promise<number> {
  const answer = await perform(HERE, { type: "send", content: bold, silent: true });
  if (answer.type !== "done" || answer.messageId === undefined) throw new Error("it was not sent");
  return answer.messageId;
}

function lastPayload({ server }: ApiRig, method: string) {
  return server.callsOf(method).at(-1)?.payload;
}

describe("a call reaches Telegram", () => {
  test("as a silent message with entities, without link previews", async () => {
    const rig = await setUp();
    const messageId = await sent(rig);
    const [message] = rig.server.chat(7).botMessages;
    expect(message).toMatchObject({ id: messageId, text: "bold", silent: true, entities: bold.entities });
    expect(lastPayload(rig, "sendMessage")).toEqual({
      chat_id: 7,
      text: "bold",
      entities: bold.entities,
      disable_notification: true,
      link_preview_options: { is_disabled: true },
    });
  });

  test("as a message that rings, in its thread, replying to what may be gone already", async () => {
    const rig = await setUp();
    const call: Call = { type: "send", content: { text: "hi", entities: [] }, silent: false, replyTo: 99 };
    await expect(rig.perform({ chatId: 7, threadId: 5 }, call)).resolves.toMatchObject({ type: "done" });
    expect(rig.server.chat(7).botMessages[0]).toMatchObject({ text: "hi", silent: false });
    expect(lastPayload(rig, "sendMessage")).toMatchObject({
      message_thread_id: 5,
      disable_notification: false,
      reply_parameters: { message_id: 99, allow_sending_without_reply: true },
    });
  });

  test("as an edit with entities, without link previews", async () => {
    const rig = await setUp();
    const messageId = await sent(rig);
    const content: FormattedText = { text: "code", entities: [{ type: "code", offset: 0, length: 4 }] };
    await expect(rig.perform(HERE, { type: "edit", messageId, content })).resolves.toEqual({ type: "done" });
    expect(rig.server.chat(7).botMessages[0]).toMatchObject({ text: "code", entities: content.entities });
    expect(lastPayload(rig, "editMessageText")).toMatchObject({
      link_preview_options: { is_disabled: true },
    });
  });

  test("as a silent document that holds the text", async () => {
    const rig = await setUp();
    const text = "# Ä whole answer\n".repeat(5_000);
    await expect(rig.perform(HERE, { type: "document", name: "answer.md", text })).resolves.toEqual({
      type: "done",
    });
    const [message] = rig.server.chat(7).botMessages;
    expect(message?.silent).toBe(true);
    expect(message?.message).toMatchObject({ document: { file_name: "answer.md" } });
    expect(new TextDecoder().decode(message?.file)).toBe(text);
  });

  test("as a deletion, as a sign of life in its thread, and as a question that changes nothing", async () => {
    const rig = await setUp();
    const messageId = await sent(rig);
    await expect(rig.perform(HERE, { type: "delete", messageId })).resolves.toEqual({ type: "done" });
    expect(rig.server.chat(7).botMessages).toEqual([]);
    await rig.perform({ chatId: 7, threadId: 5 }, { type: "typing" });
    expect(rig.server.chat(7).action).toMatchObject({ action: "typing", threadId: 5 });
    await expect(rig.perform(HERE, { type: "probe" })).resolves.toEqual({ type: "done" });
    expect(rig.server.calls.at(-1)).toMatchObject({ method: "getMe" });
  });
});

describe("what became of a call", () => {
  test.each<[string, (rig: Awaited<ReturnType<typeof setUp>>) => Promise<Answer>, Partial<Answer>]>([
    [
      "an edit that changes nothing is done",
      async (rig) => rig.perform(HERE, { type: "edit", messageId: await sent(rig), content: bold }),
      { type: "done" },
    ],
    [
      "an edit of what is not there has lost its target",
      ({ perform }) => perform(HERE, { type: "edit", messageId: 404, content: bold }),
      { type: "target_gone" },
    ],
    [
      "a deletion of what is not there is done",
      ({ perform }) => perform(HERE, { type: "delete", messageId: 404 }),
      { type: "done" },
    ],
    [
      "entities out of bounds are refused",
      ({ perform }) =>
        perform(HERE, {
          type: "send",
          content: { text: "x", entities: [{ type: "bold", offset: 4, length: 2 }] },
          silent: true,
        }),
      { type: "entities_refused" },
    ],
    [
      "a blank text is refused",
      ({ perform }) =>
        perform(HERE, { type: "send", content: { text: "\u200b", entities: [] }, silent: true }),
      { type: "refused" },
    ],
    [
      "a chat that is not there refuses",
      ({ perform }) => perform({ chatId: 999 }, { type: "send", content: bold, silent: true }),
      { type: "refused", description: "Bad Request: chat not found" },
    ],
    [
      "a person who has blocked the bot bars it",
      ({ ada, perform }) => {
        ada.block();
        return perform(HERE, { type: "send", content: bold, silent: true });
      },
      { type: "blocked" },
    ],
    [
      "too much makes the chat rest",
      ({ server, perform }) => {
        server.faults.calls({ kind: "flood", retryAfter: 17 });
        return perform(HERE, { type: "send", content: bold, silent: true });
      },
      { type: "flood", retryAfter: 17 },
    ],
  ])("%s", async (_, act, answer) => {
    const rig = await setUp();
    await expect(act(rig)).resolves.toMatchObject(answer);
  });

  test.each([
    { kind: "html", status: 502 },
    { kind: "html", status: 403 },
    { kind: "error", code: 500, description: "Internal Server Error" },
    { kind: "reset", when: "before" },
    { kind: "reset", when: "after" },
    { kind: "cut" },
  ] as const)("nobody knows after %o", async (fault) => {
    const rig = await setUp();
    rig.server.faults.calls(fault);
    const answer = await rig.perform(HERE, { type: "send", content: bold, silent: true });
    expect(answer.type).toBe("unreachable");
    expect(JSON.stringify(answer)).not.toContain(rig.server.token);
  });

  test("nobody knows while Telegram is away; the reason names the fault and not the address", async () => {
    const rig = await setUp();
    const outage = await rig.server.faults.outage();
    const answer = await rig.perform(HERE, { type: "send", content: bold, silent: true });
    await outage.end();
    expect(answer).toEqual({
      type: "unreachable",
      reason: "Network request for 'sendMessage' failed! (ECONNREFUSED)",
    });
  });
});

describe("a call that is not answered", () => {
  test.each<[Call, string, number]>([
    [{ type: "send", content: bold, silent: true }, "sendMessage", 30],
    [{ type: "edit", messageId: 1, content: bold }, "editMessageText", 15],
    [{ type: "delete", messageId: 1 }, "deleteMessage", 15],
    [{ type: "typing" }, "sendChatAction", 3],
    [{ type: "probe" }, "getMe", 5],
  ])("is given up after its own deadline: %o", async (call, method, seconds) => {
    const rig = await setUp();
    rig.server.faults.calls({ kind: "hang", when: "before" });
    let answer: Answer | undefined;
    const settled = rig.perform(HERE, call).then((given) => (answer = given));
    await rig.called(method);
    await rig.clock.advance(seconds * 1_000 - 1);
    expect(answer).toBeUndefined();
    await rig.clock.advance(1);
    await expect(settled).resolves.toEqual({ type: "unreachable", reason: `no answer within ${seconds} s` });
    expect(rig.clock.sleepers).toBe(0);
  });

  test("ends when everything is closed", async () => {
    const rig = await setUp();
    rig.server.faults.calls({ kind: "hang", when: "before" });
    const answer = rig.perform(HERE, { type: "send", content: bold, silent: true });
    await rig.called("sendMessage");
    rig.closed.abort();
    await expect(answer).resolves.toMatchObject({ type: "unreachable" });
    expect(rig.clock.sleepers).toBe(0);
  });

  test("leaves no timer behind when it is answered", async () => {
    const rig = await setUp();
    await sent(rig);
    expect(rig.clock.sleepers).toBe(0);
  });
});
