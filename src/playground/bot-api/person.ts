import type { Chat, ForwardOrigin, InlineButton, Message, MessageEntity, User } from "./shapes.ts";

export interface SayOptions {
  /** The id of the message that is replied to. */
  readonly reply_to?: number;
  /** The selected part of the message that is replied to. */
  readonly quote?: string;
  readonly threadId?: number;
  /** How the person's client formatted a text that is sent whole. */
  readonly entities?: readonly MessageEntity[];
}

export interface FileOptions extends SayOptions {
  readonly name?: string;
  readonly mime?: string;
  readonly caption?: string;
  /** Pretends that the file has this many bytes, so that a test of large files needs no large file. */
  readonly size?: number;
}

export interface AlbumMember {
  readonly bytes: Uint8Array;
  /** `photo` when not given. */
  readonly kind?: "photo" | "video" | "document" | "audio";
  readonly caption?: string;
  readonly name?: string;
  readonly mime?: string;
  readonly size?: number;
}

/** A button that was pressed; `answer` is there once the bot has answered. */
export interface Press {
  readonly id: string;
  readonly answer:
    { readonly text: string | undefined; readonly alert: boolean; readonly at: number } | undefined;
}

/** A person with a client, in one chat. Whatever they do reaches the bot as updates. */
export interface Person {
  readonly user: User;
  readonly chat: Chat;
  /**
   * Sends a text as clients do: trimmed, and cut into messages of at most 4,096 UTF-16 units that follow
   * each other closely. A text that fits is sent before this returns; the promise gives every message sent.
   */
  say(text: string, options?: SayOptions): Promise<readonly Message[]>;
  /** `photo` holds ascending sizes; the last is what was given. */
  sendPhoto(
    bytes: Uint8Array,
    options?: FileOptions & { readonly width?: number; readonly height?: number },
  ): Message;
  /** Members that share a `media_group_id`, `spacing` milliseconds apart; the first is sent before this returns. */
  sendAlbum(
    members: readonly AlbumMember[],
    options?: SayOptions & { readonly spacing?: number },
  ): Promise<readonly Message[]>;
  sendDocument(bytes: Uint8Array, options?: FileOptions): Message;
  sendAudio(bytes: Uint8Array, options?: FileOptions): Message;
  sendVideo(bytes: Uint8Array, options?: FileOptions): Message;
  sendVoice(bytes: Uint8Array, options?: FileOptions): Message;
  /** An animation carries its file as `document` too, as at Telegram. */
  sendAnimation(bytes: Uint8Array, options?: FileOptions): Message;
  sendSticker(options?: SayOptions): Message;
  sendLocation(options?: SayOptions): Message;
  sendContact(options?: SayOptions): Message;
  sendPoll(options?: SayOptions): Message;
  /** A message whose content is `rich_message.blocks`, without text. */
  sendRich(blocks: readonly unknown[], options?: SayOptions): Message;
  /** A message with these fields, such as `{ pinned_message }` or `{ new_chat_title }`. */
  sendService(fields: Readonly<Record<string, unknown>>): Message;
  /** A copy of another message, with where it comes from. */
  forward(
    text: string,
    origin: ForwardOrigin | { readonly user: User } | { readonly name: string },
    options?: SayOptions,
  ): Message;
  /** Replaces the text, or the caption, of an own message: an `edited_message` update. */
  edit(messageId: number, text: string): Message;
  /** Deletes a message on both sides. Telegram tells the bot nothing. */
  delete(messageId: number): void;
  /** Presses a button: by its text, its callback data, or as an object. Throws a RangeError when the message has none such. */
  press(messageId: number, button: string | InlineButton): Press;
  /** Blocks the bot in the private chat: a `my_chat_member` update, and 403 for what the bot sends. */
  block(): void;
  unblock(): void;
}
