import { expect, test } from "vitest";
import { makeChatKey, makeTurnId } from "../../src/domain/ids.ts";
import { createDrafts } from "../../src/telegram/drafts.ts";
import { createHandAttachment } from "./chat-rig.ts";

const chat = makeChatKey({ chatId: 7 });
const part = (messageId: number) => ({ sources: [messageId * 10], messageId, text: `${messageId}` });

test("a prompt is held with its parts from its making until it is released, each chat's by itself", () => {
  const drafts = createDrafts();
  const attachment = createHandAttachment({ fileId: "f", name: "a.png" });
  const parts = [part(1), { ...part(2), attachment }];
  const continued = makeTurnId();
  const draft = drafts.make(chat, parts, continued);
  expect(drafts.holding(chat, 2)).toEqual({ draft, parts, continued });
  expect([drafts.holding(chat, 3), drafts.holding(makeChatKey({ chatId: 8 }), 2)]).toEqual([
    undefined,
    undefined,
  ]);
  draft.release();
  expect([drafts.holding(chat, 2), attachment.released]).toEqual([undefined, true]);
});

test("of two prompts that a message is in the newer one is found, and then the other", () => {
  const drafts = createDrafts();
  const first = drafts.make(chat, [part(1), part(2)]);
  const second = drafts.make(chat, [part(1)]);
  expect([drafts.holding(chat, 1)?.draft, drafts.holding(chat, 2)?.draft]).toEqual([second, first]);
  drafts.forget(chat, second);
  expect(drafts.holding(chat, 1)?.draft).toBe(first);
});

test("a prompt that is forgotten keeps its files for the one that has them now", () => {
  const drafts = createDrafts();
  const attachment = createHandAttachment({ fileId: "f", name: "a.png" });
  drafts.forget(chat, drafts.make(chat, [{ ...part(1), attachment }]));
  expect([drafts.holding(chat, 1), attachment.released]).toEqual([undefined, false]);
});
