import { expect, test } from "vitest";
import { saysTheSame } from "../../src/telegram/same-words.ts";
import { messageUpdate } from "./updates.ts";

const text = { text: "do not do it" };
const mark = (type: string, fields: object = {}) => ({
  entities: [{ type, offset: 3, length: 3, ...fields }],
});

test.each<[string, object, object, boolean]>([
  ["the same words", text, text, true],
  ["other words", text, { text: "do it" }, false],
  ["the same words with another preview", text, { ...text, link_preview_options: { url: "x" } }, true],
  ["emphasis", text, { ...text, ...mark("bold") }, true],
  ["what Telegram finds by itself", text, { ...text, ...mark("url") }, true],
  ["something struck out", text, { ...text, ...mark("strikethrough") }, false],
  ["a link", text, { ...text, ...mark("text_link", { url: "https://a.example/" }) }, false],
  [
    "a link that leads elsewhere",
    { ...text, ...mark("text_link", { url: "https://a.example/" }) },
    { ...text, ...mark("text_link", { url: "https://b.example/" }) },
    false,
  ],
  [
    "a person who has got another name",
    { ...text, ...mark("text_mention", { user: { id: 1, first_name: "A" } }) },
    { ...text, ...mark("text_mention", { user: { id: 1, first_name: "B" } }) },
    true,
  ],
  ["another caption", { caption: "a" }, { caption: "b" }, false],
  ["no caption any more", { caption: "a" }, {}, false],
  [
    "a caption struck out",
    { caption: "abcdef" },
    { caption: "abcdef", caption_entities: mark("strikethrough").entities },
    false,
  ],
  ["other blocks", { rich_message: { blocks: [{ a: 1 }] } }, { rich_message: { blocks: [{ a: 2 }] } }, false],
  ["entities that are none", text, { ...text, entities: "junk" }, true],
])("%s: the same", (_, before, after, same) => {
  expect(saysTheSame(messageUpdate(before), messageUpdate(after, "edited_message"))).toBe(same);
  expect(saysTheSame(messageUpdate(after), messageUpdate(before, "edited_message"))).toBe(same);
});
