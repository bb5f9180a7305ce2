import type { CallbackQuery, Chat, Message, RichMessage, Update, User } from "grammy/types";
import { type ChatKey, type ChatPlace, makeChatKey } from "../domain/ids.ts";
import { repairValue } from "../domain/text.ts";
import { takenAs } from "./about-update.ts";
import { commandOf, withoutCommand } from "./command-mark.ts";
import { carriedFile, type FileReference, repliedFile } from "./carried-file.ts";
import { contextOf } from "./context.ts";
import { type Loose, loose, numberOf, stringOf } from "./loose.ts";
import { flattenRich } from "./rich.ts";
import { writtenMarkdown } from "./written/markdown.ts";

/** Where a message came from and who wrote it. */
interface Origin {
  readonly key: ChatKey;
  readonly place: ChatPlace;
  readonly messageId: number;
  readonly userId: number;
}

interface Content extends Origin {
  readonly text: string;
  readonly context?: string;
  readonly file?: FileReference;
  /** The file of the message that this one replies to. */
  readonly replied?: FileReference;
}

/** One content message, on its way into its chat's burst. */
export interface Incoming extends Content {
  readonly type: "content";
  /** Present where a command was cut off in front of it, which has been done. */
  readonly behindCommand?: true;
}

export interface IncomingCommand extends Origin {
  readonly type: "command";
  /** Lower case, without the slash and the bot's name. */
  readonly name: string;
  /** What stands behind it, such as the payload of a link to the bot. */
  readonly argument?: string;
  /** Present where it is addressed to another bot. */
  readonly forAnother?: true;
  /** What stands behind it, as content; absent where nothing does. */
  readonly words?: Incoming;
  /** All of the message as content, which it is where it goes on with a paste. */
  readonly whole: Incoming;
}

/** An author changed a message, which is this now; it matters only while its burst waits. */
export interface IncomingEdit extends Content {
  readonly type: "edit";
  /** The text without the command at its start; absent where it begins with none. */
  readonly behindCommand?: string;
}

/** A press of one of evie's buttons, which stands below the message of `messageId`. */
export interface IncomingPress extends Origin {
  readonly type: "press";
  /** Telegram waits for an answer under this name. */
  readonly pressId: string;
  /** What the button says. */
  readonly data: string;
}

export type Received =
  | Incoming
  | IncomingCommand
  | IncomingEdit
  /** Something no agent can use, such as a sticker; `what` names it with its article. */
  | (Origin & { readonly type: "unusable"; readonly what: string })
  | IncomingPress
  /** Somebody who is not allowed, in a private chat. */
  | { readonly type: "stranger"; readonly place: ChatPlace; readonly userId: number }
  /** For the log only. */
  | { readonly type: "ignored"; readonly reason: string };

export interface Recipient {
  /** The bot's own name, for commands that are addressed. */
  readonly username: string;
  readonly isAllowed: (userId: number) => boolean;
}

/**
 * Says what one update is to evie. Pure and synchronous: a content message must enter its burst at its arrival.
 * Telegram's servers may be newer than the types: takes whatever came, and never throws. No text in the answer holds NUL
 * or half a character.
 */
export function receive(update: Update, recipient: Recipient): Received {
  // Behind the reading, since the offsets of entities count what is taken out here.
  return repairValue(read(update, recipient));
}

function read(update: Update, recipient: Recipient): Received {
  const { message: fresh, edited_message: changed, callback_query: press } = loose<Update>(update);
  if (isPresent(press)) return pressed(loose<CallbackQuery>(press), recipient);
  if (!isPresent(fresh) && !isPresent(changed)) return ignored(`an update of kind ${kindOf(update)}`);
  const message = loose<Message>(fresh ?? changed);
  const { id, type: chatType } = loose<Chat>(message.chat);
  if (chatType !== "private") return ignored(`a message in a ${stringOf(chatType) ?? "place unknown"}`);

  const chatId = numberOf(id);
  const messageId = numberOf(message.message_id);
  const userId = personOf(message);
  if (userId === undefined) return ignored("a message without a person behind it");
  if (chatId === undefined || messageId === undefined) return ignored("a message without a place");
  const threadId = numberOf(message.message_thread_id);
  const place: ChatPlace = threadId === undefined ? { chatId } : { chatId, threadId };
  if (!recipient.isAllowed(userId)) return { type: "stranger", place, userId };

  const origin: Origin = { key: makeChatKey(place), place, messageId, userId };
  if (!isPresent(fresh)) return edited(message, origin);
  const as = takenAs(update);
  if (as === "words") return content(withoutCommand(message), { ...origin, behindCommand: true });
  return (
    (as === "whole" ? undefined : command(message, origin, recipient.username)) ?? content(message, origin)
  );
}

function pressed({ id, from, message, data }: Loose<CallbackQuery>, recipient: Recipient): Received {
  const { chat, message_thread_id: thread, message_id: messageId } = loose<Message>(message);
  const { id: chatId, type } = loose<Chat>(chat);
  const [pressId, said] = [stringOf(id), stringOf(data)];
  const [userId, where, below] = [loose<User>(from).id, chatId, messageId].map(numberOf);
  if (pressId === undefined || said === undefined) return ignored("a press of a button without words");
  if (userId === undefined || where === undefined || below === undefined)
    return ignored("a press of a button without a person or a place");
  if (!recipient.isAllowed(userId)) return ignored("a press by a stranger");
  if (type !== "private") return ignored("a press in a group");
  const threadId = numberOf(thread);
  const place: ChatPlace = threadId === undefined ? { chatId: where } : { chatId: where, threadId };
  return { type: "press", key: makeChatKey(place), place, messageId: below, userId, pressId, data: said };
}

function command(message: Loose<Message>, origin: Origin, username: string): IncomingCommand | undefined {
  const mark = commandOf(message);
  if (mark === undefined) return undefined;
  const { name, address, argument } = mark;
  const words = content(withoutCommand(message), { ...origin, behindCommand: true });
  const whole = content(message, origin);
  if (whole.type !== "content") return undefined;
  return {
    type: "command",
    ...origin,
    name,
    ...(argument === "" ? {} : { argument }),
    ...(address === undefined || address === username.toLowerCase() ? {} : { forAnother: true }),
    ...(argument === "" || words.type !== "content" ? {} : { words }),
    whole,
  };
}

function content(
  message: Loose<Message>,
  origin: Origin & Pick<Incoming, "behindCommand">,
): Extract<Received, { readonly type: "content" | "unusable" | "ignored" }> {
  const text = textOf(message);
  const file = carriedFile(message);
  if (text === undefined && file === undefined) {
    const what = unusableKind(message);
    return what === undefined ? ignored("a service message") : { type: "unusable", ...origin, what };
  }
  const context = contextOf(message as Message);
  const replied = repliedFile(message);
  return {
    type: "content",
    ...origin,
    text: text ?? "",
    ...(context === undefined ? {} : { context }),
    ...(file === undefined ? {} : { file }),
    ...(replied === undefined ? {} : { replied }),
  };
}

function edited(message: Loose<Message>, origin: Origin): IncomingEdit {
  const file = carriedFile(message);
  return {
    type: "edit",
    ...origin,
    // An edit that takes a caption away leaves an empty text, which is news as well.
    text: textOf(message) ?? "",
    ...(file === undefined ? {} : { file }),
    ...(commandOf(message) === undefined ? {} : { behindCommand: textOf(withoutCommand(message)) ?? "" }),
  };
}

/** Who wrote it. Bots, channels and anonymous admins write through a user that is not theirs. */
function personOf(message: Loose<Message>): number | undefined {
  const { id, is_bot } = loose<User>(message.from);
  return is_bot === true || isPresent(message.sender_chat) ? undefined : numberOf(id);
}

function textOf(message: Loose<Message>): string | undefined {
  const { rich_message: rich, entities, caption_entities } = message;
  if (isPresent(rich)) return flattenRich(rich as RichMessage) || undefined;
  const [text, caption] = [stringOf(message.text), stringOf(message.caption)];
  if (text !== undefined) return writtenMarkdown(text, entities);
  return caption === undefined ? undefined : writtenMarkdown(caption, caption_entities);
}

/** What a person may send and an agent cannot read. */
const UNUSABLE: readonly (readonly [keyof Message, string])[] = [
  ["sticker", "a sticker"],
  ["venue", "a place"],
  ["location", "a location"],
  ["poll", "a poll"],
  ["contact", "a contact"],
  ["dice", "a dice"],
  ["game", "a game"],
  ["story", "a story"],
  ["checklist", "a checklist"],
  ["invoice", "an invoice"],
  ["paid_media", "paid media"],
  ["giveaway", "a giveaway"],
  ["giveaway_winners", "a giveaway"],
  ["rich_message", "an empty message"],
];

/** Undefined for service messages, which nobody wrote. */
function unusableKind(message: Loose<Message>): string | undefined {
  return UNUSABLE.find(([field]) => isPresent(message[field]))?.[1];
}

function kindOf(update: Update): string {
  return Object.keys(update).find((key) => key !== "update_id") ?? "none";
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function ignored(reason: string): Extract<Received, { readonly type: "ignored" }> {
  return { type: "ignored", reason };
}
