import { expect, test } from "vitest";
import { updateChat, writtenAt } from "../../src/telegram/about-update.ts";
import { messageOf, messageUpdate, rawUpdate } from "./updates.ts";

test("an update's chat and age are told as far as it names them", () => {
  expect(updateChat(messageUpdate({ text: "hi" }))).toBe("7");
  expect(updateChat(messageUpdate({ text: "hi", message_thread_id: 5 }, "edited_message"))).toBe("7:5");
  expect(updateChat(rawUpdate({ callback_query: { id: "1", message: messageOf({}) } }))).toBe("7");
  expect(updateChat(rawUpdate({ poll: {} }))).toBeUndefined();
  expect(writtenAt(messageUpdate({ date: 1_700_000_000 }))).toBe(1_700_000_000_000);
  expect(writtenAt(messageUpdate({ date: 0 }))).toBeUndefined();
});
