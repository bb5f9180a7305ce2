import type { Message, MessageEntity, Update, User } from "grammy/types";
import { type ChatKey, type ChatPlace, makeChatKey } from "../domain/ids.ts";
import { contextOf } from "./context.ts";
import { flattenRich } from "./rich.ts";

/** A file that a message carries, as Telegram names it. Everything but the id is the sender's word. */
export interface FileReference {
  readonly fileId: string;
  readonly name: string;
  /** Bytes, where Telegram says. */
  readonly size?: number;
}

/** Where a message came from and who wrote it. */
interface Origin {
  readonly key: ChatKey;
  readonly place: ChatPlace;
  readonly messageId: number;
  readonly userId: number;
}

/** One content message, on its way into its chat's burst. */
export interface Incoming extends Origin {
  readonly type: "content";
  readonly text: string;
  readonly context?: string;
  readonly file?: FileReference;
}

export interface IncomingCommand extends Origin {
  readonly type: "command";
  /** Lower case, without the slash and the bot's name. */
  readonly name: string;
}

export type Received =
  | Incoming
  | IncomingCommand
  /** An author changed a message; it matters only while its burst waits. */
  | (Origin & { readonly type: "edit"; readonly text: string })
  /** Something no agent can use, such as a sticker; `what` names it with its article. */
  | (Origin & { readonly type: "unusable"; readonly what: string })
  /** Somebody who is not allowed, in a private chat. */
  | { readonly type: "stranger"; readonly place: ChatPlace; readonly userId: number }
  /** For the log only. */
  | { readonly type: "ignored"; readonly reason: string };

export interface Recipient {
  /** The bot's own name, for commands that are addressed. */
  readonly username: string;
  readonly isAllowed: (userId: number) => boolean;
}

/** Says what one update is to evie. Pure and synchronous: a content message must enter its burst at its arrival. */
export function receive(update: Update, recipient: Recipient): Received {
  const message = update.message ?? update.edited_message;
  if (message === undefined) return ignored(`an update of kind ${kindOf(update)}`);
  if (message.chat.type !== "private") return ignored(`a message in a ${message.chat.type}`);

  const place: ChatPlace =
    message.message_thread_id === undefined
      ? { chatId: message.chat.id }
      : { chatId: message.chat.id, threadId: message.message_thread_id };
  const sender = personOf(message);
  if (sender === undefined) return ignored("a message without a person behind it");
  if (!recipient.isAllowed(sender.id)) return { type: "stranger", place, userId: sender.id };

  const origin: Origin = {
    key: makeChatKey(place),
    place,
    messageId: message.message_id,
    userId: sender.id,
  };
  return update.message === undefined
    ? edited(message, origin)
    : arrived(message, origin, recipient.username);
}

function arrived(message: Message, origin: Origin, username: string): Received {
  const command = commandOf(message);
  if (command !== undefined) {
    if (command.address !== undefined && command.address !== username.toLowerCase()) {
      return ignored("a command for another bot");
    }
    return { type: "command", ...origin, name: command.name };
  }
  const text = textOf(message);
  const file = fileOf(message);
  if (text === undefined && file === undefined) {
    const what = unusableKind(message);
    return what === undefined ? ignored("a service message") : { type: "unusable", ...origin, what };
  }
  const context = contextOf(message);
  return {
    type: "content",
    ...origin,
    text: text ?? "",
    ...(context === undefined ? {} : { context }),
    ...(file === undefined ? {} : { file }),
  };
}

function edited(message: Message, origin: Origin): Received {
  // An edit that takes a caption away leaves an empty text, which is news as well.
  return { type: "edit", ...origin, text: textOf(message) ?? "" };
}

/** Bots, channels and anonymous admins write through a user that is not theirs. */
function personOf(message: Message): User | undefined {
  const { from } = message;
  return from === undefined || from.is_bot || message.sender_chat !== undefined ? undefined : from;
}

/** A command is what Telegram marks as one at the very start of a text; captions and forwards have none. */
function commandOf(message: Message): { name: string; address?: string } | undefined {
  if (message.text === undefined || message.forward_origin !== undefined) return undefined;
  const mark = message.entities?.find(
    (entity: MessageEntity) => entity.type === "bot_command" && entity.offset === 0,
  );
  if (mark === undefined) return undefined;
  const [name = "", address] = message.text.slice(1, mark.length).toLowerCase().split("@");
  return address === undefined ? { name } : { name, address };
}

function textOf(message: Message): string | undefined {
  if (message.rich_message !== undefined) return flattenRich(message.rich_message) || undefined;
  return message.text ?? message.caption;
}

function fileOf(message: Message): FileReference | undefined {
  const photo = message.photo?.at(-1);
  if (photo !== undefined) return reference(photo, "photo.jpg");
  // A document is also set beside an animation; the animation knows its own name.
  if (message.animation !== undefined) return reference(message.animation, "animation.mp4");
  if (message.document !== undefined) return reference(message.document, "document");
  if (message.audio !== undefined) return reference(message.audio, "audio.mp3");
  if (message.video !== undefined) return reference(message.video, "video.mp4");
  if (message.video_note !== undefined) return reference(message.video_note, "video-note.mp4");
  if (message.voice !== undefined) return reference(message.voice, "voice.ogg");
  return undefined;
}

interface TelegramFile {
  readonly file_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
}

function reference(file: TelegramFile, fallback: string): FileReference {
  const named = { fileId: file.file_id, name: file.file_name?.trim() || fallback };
  return file.file_size === undefined ? named : { ...named, size: file.file_size };
}

/** What a person may send and an agent cannot read; undefined for service messages, which nobody wrote. */
function unusableKind(message: Message): string | undefined {
  const kinds: readonly (readonly [keyof Message, string])[] = [
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
  ];
  return kinds.find(([field]) => message[field] !== undefined)?.[1];
}

function kindOf(update: Update): string {
  return Object.keys(update).find((key) => key !== "update_id") ?? "none";
}

function ignored(reason: string): Received {
  return { type: "ignored", reason };
}
