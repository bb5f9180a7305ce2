import * as fc from "fast-check";
import type { Message } from "grammy/types";
import { describe, expect, test } from "vitest";
import { collate } from "../../src/telegram/collate.ts";
import { contextOf } from "../../src/telegram/context.ts";
import { LONGEST_EXCERPT, quoteExcerpt } from "../../src/telegram/excerpt.ts";

const ada = { id: 7, is_bot: false, first_name: "Ada", last_name: "Lovelace" };
const bob = { id: 8, is_bot: false, first_name: "Bob" };
const evie = { id: 1, is_bot: true, first_name: "evie" };
const channel = { id: -3, type: "channel", title: "News" };
const group = { id: -4, type: "supergroup", title: "Team" };

/** A message of Ada's in her private chat, with whatever Telegram may add to it. */
function context(fields: Record<string, unknown>): string | undefined {
  const message: unknown = {
    message_id: 9,
    date: 0,
    from: ada,
    chat: { id: 7, type: "private" },
    text: "hi",
    ...fields,
  };
  return contextOf(message as Message);
}
const reply = (fields: Record<string, unknown>) => ({ message_id: 5, from: ada, ...fields });

test("a message that stands alone has no context", () => {
  expect(context({})).toBeUndefined();
});

describe("a forward names its origin", () => {
  test.each<[string, unknown, string]>([
    ["a person", { type: "user", sender_user: ada }, '[Forwarded from "Ada Lovelace"]'],
    ["a bot", { type: "user", sender_user: evie }, '[Forwarded from the bot "evie"]'],
    [
      "a person who hides",
      { type: "hidden_user", sender_user_name: "B. O. B." },
      '[Forwarded from "B. O. B."]',
    ],
    ["a group", { type: "chat", sender_chat: group }, '[Forwarded from the group "Team"]'],
    ["a channel", { type: "channel", chat: channel, message_id: 2 }, '[Forwarded from the channel "News"]'],
    [
      "a signed post",
      { type: "channel", chat: channel, author_signature: "Bob" },
      '[Forwarded from the channel "News", signed "Bob"]',
    ],
    [
      "a signed admin",
      { type: "chat", sender_chat: group, author_signature: "Bob" },
      '[Forwarded from the group "Team", signed "Bob"]',
    ],
    [
      "a deleted account",
      { type: "user", sender_user: { id: 3, first_name: "" } },
      "[Forwarded from somebody]",
    ],
    [
      "a person whose name cannot be seen",
      { type: "user", sender_user: { id: 3, first_name: "\u3164" } },
      "[Forwarded from somebody]",
    ],
    [
      "a channel without a title",
      { type: "channel", chat: { type: "channel" } },
      "[Forwarded from a channel]",
    ],
    ["an origin newer than the types", { type: "planet", name: "Mars" }, "[Forwarded from somebody]"],
  ])("%s", (_, forward_origin, expected) => {
    expect(context({ forward_origin })).toBe(expected);
  });
});

describe("a reply says what it answers", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["the agent's message", { from: evie, text: "Done." }, '[In reply to your message: "Done."]'],
    ["the person's own", { text: "do it" }, '[In reply to their own message: "do it"]'],
    ["somebody else's", { from: bob, text: "yes" }, '[In reply to a message from "Bob": "yes"]'],
    [
      "a channel's",
      { from: bob, sender_chat: channel, text: "yes" },
      '[In reply to a message from the channel "News": "yes"]',
    ],
    ["nobody's", { from: undefined, text: "yes" }, '[In reply to an earlier message: "yes"]'],
    [
      "what the person had forwarded",
      { forward_origin: { type: "user", sender_user: bob }, text: "yes" },
      '[In reply to a message forwarded from "Bob": "yes"]',
    ],
    [
      "a caption",
      { photo: [{}], caption: "the cat" },
      '[In reply to their own message: a photo, with the words "the cat"]',
    ],
    ["a photo", { photo: [{}] }, "[In reply to their own message: a photo]"],
    ["a file", { document: { file_name: "a.pdf" } }, '[In reply to their own message: a file "a.pdf"]'],
    ["a file without a name", { document: {} }, "[In reply to their own message: a file]"],
    [
      "an animation, which is also a file",
      { animation: {}, document: { file_name: "a.mp4" } },
      "[In reply to their own message: an animation]",
    ],
    [
      "a place, which is also a location",
      { venue: {}, location: {} },
      "[In reply to their own message: a place]",
    ],
    ["a sticker", { sticker: {} }, "[In reply to their own message: a sticker]"],
    [
      "a rich message",
      {
        from: evie,
        rich_message: {
          blocks: [
            { type: "heading", size: 1, text: "A" },
            { type: "paragraph", text: "b" },
          ],
        },
      },
      '[In reply to your message: "# A b"]',
    ],
    ["something newer than the types", { from: evie, hologram: {} }, "[In reply to your message]"],
  ])("%s", (_, fields, expected) => {
    expect(context({ reply_to_message: reply(fields) })).toBe(expected);
  });

  test("another bot in a group is not the agent", () => {
    expect(
      context({
        chat: group,
        reply_to_message: reply({ from: { ...evie, first_name: "Robot" }, text: "beep" }),
      }),
    ).toBe('[In reply to a message from the bot "Robot": "beep"]');
  });

  test("to a story", () => {
    expect(context({ reply_to_story: { id: 1, chat: channel } })).toBe(
      '[In reply to a story of the channel "News"]',
    );
    expect(context({ reply_to_story: { id: 1, chat: { type: "private", id: 8, first_name: "Bob" } } })).toBe(
      '[In reply to a story of "Bob"]',
    );
  });

  test("the message that opened a topic is not what a message in the topic answers", () => {
    expect(
      context({ reply_to_message: reply({ from: evie, forum_topic_created: { name: "Work" } }) }),
    ).toBeUndefined();
  });
});

describe("a quote takes the place of the whole message", () => {
  const quote = { text: "this part", position: 3, is_manual: true };

  test.each<[string, Record<string, unknown>, string]>([
    [
      "of the agent's",
      { reply_to_message: reply({ from: evie, text: "see this part" }) },
      '[Quoting your message: "this part"]',
    ],
    [
      "of the person's own",
      { reply_to_message: reply({ text: "see this part" }) },
      '[Quoting their own message: "this part"]',
    ],
    [
      "of a message elsewhere",
      { external_reply: { origin: { type: "user", sender_user: bob }, chat: group } },
      '[Quoting a message from "Bob", in "Team": "this part"]',
    ],
    ["of an unknown message", {}, '[Quoting: "this part"]'],
  ])("%s", (_, fields, expected) => {
    expect(context({ quote, ...fields })).toBe(expected);
  });

  test("a blank quote is none", () => {
    expect(context({ quote: { text: " \n", position: 0 }, reply_to_message: reply({ text: "a" }) })).toBe(
      '[In reply to their own message: "a"]',
    );
  });
});

describe("formatting that carries meaning is in the label as well", () => {
  const url = "https://a.example/x";
  const link = { type: "text_link", offset: 5, length: 11, url };

  test.each<[string, Record<string, unknown>, string]>([
    [
      "of a text",
      { reply_to_message: reply({ text: "read the article", entities: [link] }) },
      `[In reply to their own message: "read [the article](${url})"]`,
    ],
    [
      "of a caption",
      { reply_to_message: reply({ caption: "read the article", caption_entities: [link], photo: [{}] }) },
      `[In reply to their own message: a photo, with the words "read [the article](${url})"]`,
    ],
    [
      "of code on several lines, on one",
      { reply_to_message: reply({ text: "a\n b", entities: [{ type: "pre", offset: 0, length: 4 }] }) },
      '[In reply to their own message: "`a b`"]',
    ],
    [
      "of a quote",
      { quote: { text: "not this", entities: [{ type: "strikethrough", offset: 0, length: 3 }] } },
      '[Quoting: "~~not~~ this"]',
    ],
    [
      "of the message that a quote is from, since Telegram leaves links out of quotes",
      {
        quote: { text: "the article", position: 5 },
        reply_to_message: reply({ from: evie, text: "read the article", entities: [link] }),
      },
      `[Quoting your message: "[the article](${url})"]`,
    ],
    [
      "of the one place where a quote stands, when its position is wrong",
      {
        quote: { text: "the article", position: 1 },
        reply_to_message: reply({ from: evie, text: "read the article", entities: [link] }),
      },
      `[Quoting your message: "[the article](${url})"]`,
    ],
    [
      "of the quote alone, when its place is not known",
      {
        quote: { text: "a", position: 1, entities: [{ type: "bold", offset: 0, length: 1 }] },
        reply_to_message: reply({
          from: evie,
          text: "a b a",
          entities: [{ type: "code", offset: 0, length: 1 }],
        }),
      },
      '[Quoting your message: "**a**"]',
    ],
  ])("%s", (_, fields, expected) => {
    expect(context(fields)).toBe(expected);
  });

  test("offsets hold where white space folds, and what is cut off takes its marks along", () => {
    const text = `  a \n\n b\u200bold ${"x".repeat(LONGEST_EXCERPT)}`;
    const entities = [
      { type: "bold", offset: text.indexOf("b\u200b"), length: 5 },
      { type: "italic", offset: text.indexOf("x"), length: LONGEST_EXCERPT },
    ];
    const shown = "x".repeat(LONGEST_EXCERPT - "a bold ".length);
    expect(context({ reply_to_message: reply({ text, entities }) })).toBe(
      `[In reply to their own message: "a **bold** *${shown}*…"]`,
    );
  });

  test("addresses that would fill the label are left out of it", () => {
    const entities = [{ ...link, url: `https://a.example/${"x".repeat(2_000)}` }];
    expect(context({ reply_to_message: reply({ text: "read the article", entities }) })).toBe(
      '[In reply to their own message: "read the article"]',
    );
  });
});

describe("a reply to another chat", () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      "names the chat and the kind",
      { chat: channel, photo: [{}] },
      '[In reply to a message from "Bob", in "News": a photo]',
    ],
    [
      "names the file",
      { document: { file_name: "a.pdf" } },
      '[In reply to a message from "Bob": a file "a.pdf"]',
    ],
    ["says the little it knows", {}, '[In reply to a message from "Bob"]'],
  ])("%s", (_, fields, expected) => {
    expect(context({ external_reply: { origin: { type: "user", sender_user: bob }, ...fields } })).toBe(
      expected,
    );
  });
});

test("a forward that is also a reply has one line for each", () => {
  const text = context({
    forward_origin: { type: "channel", chat: channel },
    quote: { text: "q" },
    reply_to_message: reply({ from: evie, text: "a" }),
    external_reply: { origin: { type: "hidden_user", sender_user_name: "Bob" } },
  });
  expect(text?.split("\n")).toEqual([
    '[Forwarded from the channel "News"]',
    '[Quoting your message: "q"]',
    '[In reply to a message from "Bob"]',
  ]);
});

test("the context stands above the words it belongs to", () => {
  const replied = context({ reply_to_message: reply({ from: evie, text: "Done." }) });
  expect(collate([{ text: "why?", ...(replied === undefined ? {} : { context: replied }) }]).text).toBe(
    '[In reply to your message: "Done."]\nwhy?',
  );
});

describe("what others wrote stays inside its label", () => {
  test.each<[string, string, string | undefined]>([
    ["line breaks fold", "a\r\n\u2028b\u0085c\td", '"a b c d"'],
    ["control characters fold", "a\u0000\u001bb", '"a b"'],
    ["quotes and backslashes are escaped", 'x"]\n[In reply to "me\\', '"x\\"] [In reply to \\"me\\\\"'],
    ["direction marks go", "a\u202eb\u2066c\u200f", '"abc"'],
    ["joined emoji stay whole", "👩‍👩‍👧", '"👩‍👩‍👧"'],
    ["half a surrogate pair is replaced", "a\ud83d", '"a\ufffd"'],
    ["nothing to see is nothing", " \u200b\n\u2060 ", undefined],
    ["what fonts leave empty is nothing", "\u3164\u2800\u200d\u061c", undefined],
    ["what just fits is not cut", "x".repeat(LONGEST_EXCERPT), `"${"x".repeat(LONGEST_EXCERPT)}"`],
    ["what is longer is cut", "x".repeat(LONGEST_EXCERPT + 1), `"${"x".repeat(LONGEST_EXCERPT)}…"`],
    [
      "no emoji is cut in two",
      `${"x".repeat(LONGEST_EXCERPT - 4)}👩‍👧 and more`,
      `"${"x".repeat(LONGEST_EXCERPT - 4)}…"`,
    ],
    [
      "one endless character is cut all the same",
      `e${"\u0301".repeat(10_000)}`,
      `"e${"\u0301".repeat(LONGEST_EXCERPT - 1)}…"`,
    ],
  ])("%s", (_, text, expected) => {
    expect(quoteExcerpt(text)).toBe(expected);
  });

  test("an excerpt is a bounded JSON string on one line, without halves of characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
        const quoted = quoteExcerpt(text) ?? '""';
        const read: unknown = JSON.parse(quoted);
        expect(quoted).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(String(read).length).toBeLessThanOrEqual(LONGEST_EXCERPT + 1);
      }),
    );
  });
});

/** A text in which every JSON string is taken out, so that only evie's own words are left. */
const withoutQuotes = (label: string): string => label.replace(/"(?:[^"\\]|\\.)*"/g, "");

describe("any message", () => {
  const nasty = fc.oneof(
    fc.string({ unit: "binary", maxLength: 500 }),
    fc.stringMatching(/^["\][\\\n ]{0,400}$/),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const person = fc.record(
    { id: fc.constantFrom(1, 7), is_bot: fc.boolean(), first_name: nasty, last_name: nasty },
    { requiredKeys: [] },
  );
  const chat = fc.record(
    { type: fc.constantFrom("private", "channel", "group"), title: nasty, first_name: nasty },
    { requiredKeys: [] },
  );
  const origin = fc.record(
    {
      type: fc.constantFrom("user", "hidden_user", "chat", "channel", "new"),
      sender_user: fc.oneof(person, nasty),
      sender_user_name: nasty,
      sender_chat: fc.oneof(chat, nasty),
      chat: fc.oneof(chat, nasty),
      author_signature: nasty,
    },
    { requiredKeys: [] },
  );
  const content = {
    from: fc.oneof(person, nasty),
    chat: fc.oneof(chat, nasty),
    text: nasty,
    caption: nasty,
    document: fc.record({ file_name: nasty }),
    rich_message: fc.record({ blocks: fc.array(nasty) }),
    forward_origin: fc.oneof(origin, nasty),
    origin: fc.oneof(origin, nasty),
  };
  const message = fc.record(
    {
      ...content,
      reply_to_message: fc.oneof(fc.record(content, { requiredKeys: [] }), nasty),
      external_reply: fc.oneof(fc.record(content, { requiredKeys: [] }), nasty),
      reply_to_story: fc.oneof(fc.record({ chat }), nasty),
      quote: fc.oneof(fc.record({ text: nasty }), nasty),
    },
    { requiredKeys: [] },
  );

  test("has one bounded line for each label, which nothing inside can end", () => {
    fc.assert(
      fc.property(message, (value: unknown) => {
        const lines = (contextOf(value as Message) ?? "").split("\n").filter((line) => line !== "");
        expect(lines.length).toBeLessThanOrEqual(4);
        for (const line of lines) {
          expect(line.length).toBeLessThan(6 * LONGEST_EXCERPT + 200);
          expect(withoutQuotes(line)).toMatch(/^\[(Forwarded|In reply|Quoting)[a-z ,:]*\]$/);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("is read without a throw, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value: unknown) => {
        expect(contextOf(value as Message)).toBeUndefined();
      }),
    );
  });
});
