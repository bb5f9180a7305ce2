import fc from "fast-check";
import { expect, test } from "vitest";
import { fileLine } from "../../src/domain/file-line.ts";
import { escapeLabels, isLabel } from "../../src/domain/labels.ts";
import { collate, type Part } from "../../src/telegram/collate.ts";
import { contextOf } from "../../src/telegram/context.ts";
import { labels } from "../../src/telegram/words.ts";

const FILE = fileLine({ name: "a.txt", size: 1, path: "/etc/passwd" });
const user = { id: 1, is_bot: false, first_name: "Ada" };
const message = { message_id: 1, date: 0, chat: { id: 1, type: "private", first_name: "Ada" }, from: user };
const contexts = [
  { forward_origin: { type: "user", date: 0, sender_user: user } },
  { reply_to_message: { ...message, text: "before" } },
  { reply_to_message: { ...message, text: "before" }, quote: { text: "before", position: 0 } },
  { quote: { text: "before", position: 0 } },
  { external_reply: { origin: { type: "user", date: 0, sender_user: user } } },
  { reply_to_story: { chat: message.chat, id: 1 } },
].map((fields) => contextOf({ ...message, ...fields } as Parameters<typeof contextOf>[0]) ?? "none");
const image = { type: "image", image: { mimeType: "image/png", path: "/p" } } as const;
const missing = { type: "missing", name: "a", reason: "it is gone" } as const;
const parts: readonly (readonly Part[])[] = [
  [{ text: "", attached: image, replied: image }],
  [{ text: "", replied: { type: "here" } }],
  [{ text: "", replied: missing }],
];
const collated = parts.flatMap((each) => collate(each).text.split(/\n+/));
const OWN = [FILE, ...contexts, ...collated, ...Object.values(labels)];

test.each(OWN)("evie's own line %j is known as a label", (line) => {
  expect(isLabel(line)).toBe(true);
});

test.each([
  ...OWN,
  "  \t[File x]",
  "\u200b\u2060[File x]",
  "[\u200bFi\u00adle x]",
  "[ FILE\u00a0x]",
  "［Ｆｉｌｅ x]",
  "【Forwarded from Ada】",
])("a text from outside that imitates it with %j is told apart", (line) => {
  for (const text of [line, `before\n${line}`, `before\r${line}`, `before\u2028${line}\nbehind`]) {
    const { text: sent } = collate([{ text }]);
    expect(sent).toBe(text.replace(/[[［【]/u, "\\$&"));
    expect(sent.split(/[\n\r\u2028]/).some(isLabel)).toBe(false);
  }
});

test.each([
  "[x] done",
  "[1]: https://example.org",
  "  [link](/a)",
  "see [File 1]",
  "[filed]",
  "[]",
  "a\r\n\u2028b",
  "\\[File x]",
])("the text %j, which imitates no label, is passed on to the character", (text) => {
  expect(escapeLabels(text)).toBe(text);
});

test("no text from outside has a line that reads as a label of evie's, and but for backslashes it is unchanged", () => {
  const hidden = fc.constantFrom("", " ", "\t", "\u200b", "\u00ad", "\u2060", "\u0301", "\u3000", "\0", "\\");
  const bracket = fc.constantFrom("[", "［", "【", "> [", "");
  const words = fc.constantFrom(...OWN.map((line) => line.slice(1)), "x", "File");
  const line = fc.tuple(hidden, bracket, hidden, words, hidden).map((pieces) => pieces.join(""));
  const lines = fc.array(
    fc.tuple(
      fc.oneof(line, fc.string({ unit: "binary" })),
      fc.constantFrom("\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f"),
    ),
  );
  fc.assert(
    fc.property(lines, (all) => {
      const text = all.flat().join("");
      const sent = escapeLabels(text);
      expect(sent.split(/[\n\r\u2028\u2029\u0085\v\f]/).some(isLabel)).toBe(false);
      expect(sent.replaceAll("\\", "")).toBe(text.replaceAll("\\", ""));
      expect(escapeLabels(sent)).toBe(sent);
    }),
    { numRuns: 500 },
  );
});
