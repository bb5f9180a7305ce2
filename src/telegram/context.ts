import type {
  Chat,
  Document,
  ExternalReplyInfo,
  Message,
  MessageOriginChannel,
  MessageOriginChat,
  MessageOriginHiddenUser,
  MessageOriginUser,
  RichMessage,
  Story,
  TextQuote,
  User,
} from "grammy/types";
import { quoteExcerpt, quoteWritten } from "./excerpt.ts";
import { type Loose, loose, numberOf, stringOf } from "./loose.ts";
import { flattenRich } from "./rich.ts";
import { readWritten, sliceWritten, type Written } from "./written/spans.ts";

/**
 * Says where a message's words come from: a forward, a reply, a quote. One bracketed line each, in that order, for
 * the agent ("your" is the agent's). Names and quoted texts are JSON strings on their line, cut at
 * `LONGEST_EXCERPT`. Undefined when the message stands alone. Takes any value and never throws.
 */
export function contextOf(message: Message): string | undefined {
  const labels = [forwardLabel, replyLabel, externalLabel, storyLabel].flatMap(
    (label) => label(loose<Message>(message)) ?? [],
  );
  return labels.length === 0 ? undefined : labels.join("\n");
}

type Label = (message: Loose<Message>) => string | undefined;

const forwardLabel: Label = ({ forward_origin }) =>
  isPresent(forward_origin) ? `[Forwarded from ${originWords(forward_origin)}]` : undefined;

const replyLabel: Label = (message) => {
  const { reply_to_message, external_reply } = message;
  const quote = quoteOf(message);
  if (!isPresent(reply_to_message)) {
    return quote === undefined || isPresent(external_reply) ? undefined : `[Quoting: ${quote}]`;
  }
  const reply = loose<Message>(reply_to_message);
  // In a topic, Telegram makes every message a reply to the one that opened the topic.
  if (reply.forum_topic_created !== undefined) return undefined;
  const whose = ownerWords(reply, message);
  return quote === undefined ? replyLine(whose, contentWords(reply)) : `[Quoting ${whose}: ${quote}]`;
};

/** A reply to what stands in another chat or topic. Telegram sends its words as a quote only. */
const externalLabel: Label = (message) => {
  if (!isPresent(message.external_reply)) return undefined;
  const { origin, chat } = loose<ExternalReplyInfo>(message.external_reply);
  const title = quoteExcerpt(stringOf(loose<Chat.SupergroupChat>(chat).title) ?? "");
  const whose = `a message from ${originWords(origin)}${title === undefined ? "" : `, in ${title}`}`;
  const quote = isPresent(message.reply_to_message) ? undefined : quoteOf(message);
  return quote === undefined
    ? replyLine(whose, kindWords(loose<Message>(message.external_reply)))
    : `[Quoting ${whose}: ${quote}]`;
};

const storyLabel: Label = ({ reply_to_story }) =>
  isPresent(reply_to_story)
    ? `[In reply to a story of ${chatWords(loose<Story>(reply_to_story).chat)}]`
    : undefined;

function replyLine(whose: string, what: string | undefined): string {
  return `[In reply to ${whose}${what === undefined ? "" : `: ${what}`}]`;
}

/** Telegram leaves links and code out of a quote; the message that it is from has them. */
function quoteOf({ quote, reply_to_message }: Loose<Message>): string | undefined {
  const { text, entities, position } = loose<TextQuote>(quote);
  const words = stringOf(text) ?? "";
  const whole = writtenIn(loose<Message>(reply_to_message));
  // The position is the sender's word, and may be off by a little.
  const said = Math.max(0, Math.trunc(numberOf(position) ?? 0));
  const at = whole.text.startsWith(words, said) ? said : onlyPlaceOf(words, whole.text);
  return quoteWritten(at < 0 ? readWritten(words, entities) : sliceWritten(whole, at, at + words.length));
}

function onlyPlaceOf(words: string, text: string): number {
  const at = text.indexOf(words);
  return at === text.lastIndexOf(words) ? at : -1;
}

/** The text or caption of a message that is no rich one. */
function writtenIn({ text, entities, caption, caption_entities }: Loose<Message>): Written {
  const words = stringOf(text);
  return words === undefined
    ? readWritten(stringOf(caption) ?? "", caption_entities)
    : readWritten(words, entities);
}

/** Whose message was replied to. In a private chat with the bot no other bot writes. */
function ownerWords(reply: Loose<Message>, message: Loose<Message>): string {
  if (isPresent(reply.forward_origin)) return `a message forwarded from ${originWords(reply.forward_origin)}`;
  if (isPresent(reply.sender_chat)) return `a message from ${chatWords(reply.sender_chat)}`;
  const author = loose<User>(reply.from);
  if (author.id === undefined) return "an earlier message";
  if (author.id === loose<User>(message.from).id) return "their own message";
  const isPrivate = loose<Chat>(message.chat).type === "private";
  return isPrivate && author.is_bot === true ? "your message" : `a message from ${userWords(author)}`;
}

/** What a message holds: its kind, its words, or both. */
function contentWords(message: Loose<Message>): string | undefined {
  const kind = kindWords(message);
  const written = writtenIn(message);
  const words = quoteWritten(written) ?? quoteExcerpt(richWords(message.rich_message));
  if (kind === undefined || words === undefined) return kind ?? words;
  return `${kind}, with the words ${words}`;
}

function richWords(message: unknown): string {
  return isPresent(message) ? flattenRich(message as RichMessage) : "";
}

/** In this order, because Telegram sets an older field beside some newer ones. */
const kinds: readonly (readonly [keyof ExternalReplyInfo, string])[] = [
  ["live_photo", "a live photo"],
  ["photo", "a photo"],
  ["animation", "an animation"],
  ["document", "a file"],
  ["audio", "an audio file"],
  ["video", "a video"],
  ["video_note", "a video note"],
  ["voice", "a voice message"],
  ["sticker", "a sticker"],
  ["venue", "a place"],
  ["location", "a location"],
  ["contact", "a contact"],
  ["poll", "a poll"],
  ["checklist", "a checklist"],
  ["dice", "a dice"],
  ["game", "a game"],
  ["story", "a story"],
  ["paid_media", "paid media"],
  ["invoice", "an invoice"],
  ["giveaway", "a giveaway"],
];

function kindWords(message: Loose<ExternalReplyInfo>): string | undefined {
  const found = kinds.find(([field]) => isPresent(message[field]));
  if (found === undefined) return undefined;
  const [field, kind] = found;
  const name = quoteExcerpt(stringOf(loose<Document>(message[field]).file_name) ?? "");
  return name === undefined ? kind : `${kind} ${name}`;
}

function originWords(value: unknown): string {
  const { type } = loose<
    MessageOriginUser | MessageOriginHiddenUser | MessageOriginChat | MessageOriginChannel
  >(value);
  switch (type) {
    case "user":
      return userWords(loose<MessageOriginUser>(value).sender_user);
    case "hidden_user":
      return quoteExcerpt(stringOf(loose<MessageOriginHiddenUser>(value).sender_user_name) ?? "") ?? NOBODY;
    case "chat": {
      const { sender_chat, author_signature } = loose<MessageOriginChat>(value);
      return `${chatWords(sender_chat)}${signature(author_signature)}`;
    }
    case "channel": {
      const { chat, author_signature } = loose<MessageOriginChannel>(value);
      return `${chatWords(chat)}${signature(author_signature)}`;
    }
    default:
      return NOBODY;
  }
}

/** Stands for whoever has no name that can be seen. */
const NOBODY = "somebody";

function userWords(value: unknown): string {
  const { first_name, last_name, is_bot } = loose<User>(value);
  const name = quoteExcerpt(`${stringOf(first_name) ?? ""} ${stringOf(last_name) ?? ""}`);
  if (name === undefined) return NOBODY;
  return is_bot === true ? `the bot ${name}` : name;
}

function chatWords(value: unknown): string {
  const { type } = loose<Chat>(value);
  if (type === "private") return userWords(value);
  const kind = type === "channel" ? "channel" : "group";
  const title = quoteExcerpt(stringOf(loose<Chat.ChannelChat>(value).title) ?? "");
  return title === undefined ? `a ${kind}` : `the ${kind} ${title}`;
}

function signature(author: unknown): string {
  const name = quoteExcerpt(stringOf(author) ?? "");
  return name === undefined ? "" : `, signed ${name}`;
}

function isPresent(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
