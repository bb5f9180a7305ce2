/** Telegram's objects, as far as the embedded Bot API makes them. Field names are Telegram's own. */
export interface User {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
  readonly language_code?: string;
}

export interface Chat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  readonly title?: string;
  readonly username?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly is_forum?: boolean;
}

/** `offset` and `length` count UTF-16 code units, as JavaScript strings do. */
export interface MessageEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly user?: User;
  readonly language?: string;
  readonly custom_emoji_id?: string;
  readonly unix_time?: number;
}

export interface FileShape {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly width?: number;
  readonly height?: number;
  readonly duration?: number;
}

export interface InlineButton {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}

export interface ReplyMarkup {
  readonly inline_keyboard?: readonly (readonly InlineButton[])[];
}

export interface TextQuote {
  readonly text: string;
  readonly position: number;
  readonly is_manual?: boolean;
}

/** Where a forwarded message comes from; `type` is user, hidden_user, chat or channel. */
export type ForwardOrigin = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly date: number;
};

export interface Message {
  readonly message_id: number;
  /** Seconds since 1970. */
  readonly date: number;
  readonly chat: Chat;
  readonly from?: User;
  readonly sender_chat?: Chat;
  readonly message_thread_id?: number;
  readonly is_topic_message?: boolean;
  readonly edit_date?: number;
  readonly text?: string;
  readonly entities?: readonly MessageEntity[];
  readonly caption?: string;
  readonly caption_entities?: readonly MessageEntity[];
  readonly media_group_id?: string;
  readonly photo?: readonly FileShape[];
  readonly document?: FileShape;
  readonly audio?: FileShape;
  readonly video?: FileShape;
  readonly voice?: FileShape;
  readonly animation?: FileShape;
  readonly sticker?: unknown;
  readonly location?: unknown;
  readonly contact?: unknown;
  readonly poll?: unknown;
  readonly rich_message?: unknown;
  readonly forward_origin?: ForwardOrigin;
  readonly reply_to_message?: Message;
  readonly quote?: TextQuote;
  readonly reply_markup?: ReplyMarkup;
  readonly link_preview_options?: unknown;
}

export interface BotCommand {
  readonly command: string;
  readonly description: string;
}

/** One update as it goes over the wire: its id and one more field that says its kind. */
export type Update = Readonly<Record<string, unknown>> & { readonly update_id: number };
