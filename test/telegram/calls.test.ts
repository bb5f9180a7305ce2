import { GrammyError, HttpError } from "grammy";
import { describe, expect, test } from "vitest";
import { classifyError } from "../../src/telegram/calls.ts";

function told(code: number, description: string, retryAfter?: number): GrammyError {
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
  return new GrammyError(
    "Call to 'sendMessage' failed!",
    { ok: false, error_code: code, description, ...parameters },
    "sendMessage",
    { chat_id: 1, text: "what a person wrote" },
  );
}

describe("what Telegram answers", () => {
  test.each([
    "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    "Bad Request: message to delete not found",
    "Bad Request: message can't be deleted",
    "Bad Request: message can't be deleted for everyone",
  ])("counts as done: %s", (description) => {
    expect(classifyError(told(400, description))).toEqual({ type: "done" });
  });

  test.each([
    "Bad Request: message to edit not found",
    "Bad Request: message can't be edited",
    "Bad Request: MESSAGE_ID_INVALID",
  ])("tells that the message to edit is gone: %s", (description) => {
    expect(classifyError(told(400, description))).toEqual({ type: "target_gone" });
  });

  test.each([
    "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 4",
    "Bad Request: can't parse entities: expected an Array of MessageEntity",
    "Bad Request: can't parse MessageEntity: Can't find field \"url\"",
    "Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 12",
    "Bad Request: entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 9",
    "Bad Request: receive an entity with incorrect offset -1",
    "Bad Request: ENTITY_BOUNDS_INVALID",
    "Bad Request: ENTITIES_TOO_LONG",
    "Bad Request: entity URL 'http://' is invalid: URL host is empty",
    "Bad Request: Wrong URL host",
    "Bad Request: Unsupported URL protocol",
  ])("refuses the entities: %s", (description) => {
    expect(classifyError(told(400, description))).toEqual({ type: "entities_refused", description });
  });

  test.each([
    "Bad Request: message thread not found",
    "Bad Request: TOPIC_CLOSED",
    "Bad Request: TOPIC_DELETED",
  ])("tells that the thread is gone: %s", (description) => {
    expect(classifyError(told(400, description))).toEqual({ type: "thread_gone" });
  });

  test.each([
    [400, "Bad Request: chat not found"],
    [400, "Bad Request: message is too long"],
    [400, "Bad Request: message text is empty"],
    [400, "Bad Request: text must be non-empty"],
    [400, "Bad Request: not enough rights to send text messages to the chat"],
    [400, "Bad Request: group chat was upgraded to a supergroup chat"],
    [400, "Bad Request: SOMETHING_NEW"],
    [404, "Not Found"],
    [413, "Request Entity Too Large"],
  ])("is a refusal for good: %d %s", (code, description) => {
    expect(classifyError(told(code, description))).toEqual({ type: "refused", description });
  });

  test.each([
    "Forbidden: bot was blocked by the user",
    "Forbidden: bot was kicked from the supergroup chat",
    "Forbidden: user is deactivated",
    "Forbidden: bot can't initiate conversation with a user",
  ])("bars the bot: %s", (description) => {
    expect(classifyError(told(403, description))).toEqual({ type: "blocked" });
  });

  test("makes the chat rest for as long as it says, and for a second when it does not say", () => {
    expect(classifyError(told(429, "Too Many Requests: retry after 35", 35))).toEqual({
      type: "flood",
      retryAfter: 35,
    });
    expect(classifyError(told(429, "Too Many Requests"))).toEqual({ type: "flood", retryAfter: 1 });
  });

  test.each([
    [500, "Internal Server Error"],
    [502, "Bad Gateway"],
    [504, "Gateway Timeout"],
    // The poller finds out whether the token is bad; until then nothing is given up.
    [401, "Unauthorized"],
  ])("may be otherwise next time: %d %s", (code, description) => {
    expect(classifyError(told(code, description))).toEqual({ type: "unreachable", reason: description });
  });
});

describe("what never came from Telegram", () => {
  test("a failed request may be repeated; the network's code is told and its address is not", () => {
    const address = "http://127.0.0.1:1/bot123456:secret/sendMessage";
    const cause = Object.assign(new Error(`connect ${address}`), { code: "ECONNREFUSED" });
    const failed = new HttpError(
      "Network request for 'sendMessage' failed!",
      new TypeError("fetch failed", { cause }),
    );
    expect(classifyError(failed)).toEqual({
      type: "unreachable",
      reason: "Network request for 'sendMessage' failed! (ECONNREFUSED)",
    });
    expect(classifyError(new HttpError("It failed!", "a text"))).toEqual({
      type: "unreachable",
      reason: "It failed!",
    });
  });

  test("a fault of evie's own is not repeated", () => {
    expect(classifyError(new TypeError("x is not a function"))).toEqual({
      type: "refused",
      description: "x is not a function",
    });
    expect(classifyError("a text")).toEqual({ type: "refused", description: "a text" });
  });
});
