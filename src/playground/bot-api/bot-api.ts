import type { Clock } from "../../domain/clock.ts";
import type { Faults } from "./faults.ts";
import type { FloodLog } from "./flood.ts";
import type { Person } from "./person.ts";
import type { BotCommand, Chat, Message, MessageEntity, Update, User } from "./shapes.ts";

export interface BotApiOptions {
  readonly clock: Clock;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** `127.0.0.1` when not given. */
  readonly host?: string;
  /** Random when not given. */
  readonly token?: string;
  readonly bot?: { readonly id: number; readonly username: string; readonly first_name: string };
  /** Whether the flood model refuses what is too fast. Off by default. */
  readonly flood?: boolean;
  /** The id of the first update; a large number by default, as at Telegram. */
  readonly firstUpdateId?: number;
  /** Milliseconds between the parts of a long paste and between the members of an album. 3 by default. */
  readonly spacing?: number;
}

/**
 * A peer on loopback that behaves as Telegram's Bot API server does, with the people, the clients and the
 * network on the far side of it in the hands of whoever started it.
 */
export interface BotApi {
  /** What grammY takes as `client.apiRoot`, such as `http://127.0.0.1:40123`. It stays the same across an outage. */
  readonly root: string;
  readonly token: string;
  readonly bot: User;

  /** A person in their private chat with the bot. The same id always gives the same chat. */
  person(identity: PersonIdentity): Person;
  /** A group; `as` gives a person's seat in it. */
  group(identity: GroupIdentity): Group;
  /** A channel that the bot is an administrator of. */
  channel(identity: { readonly id: number; readonly title: string }): Channel;
  /** What the chat of this id shows. Throws a RangeError when there is none. */
  chat(id: number): ChatView;
  readonly chats: readonly ChatView[];

  /** Every call since the start, oldest first, `getUpdates` included. The objects fill in as the call goes on. */
  readonly calls: readonly Call[];
  /** The calls of one method. Method names are compared without regard to case. */
  callsOf(method: string): readonly Call[];
  /** What `setMyCommands` last set for everybody. */
  readonly commands: readonly BotCommand[];
  readonly faults: Faults;
  readonly flood: FloodLog;

  /**
   * Queues an update as it is, whatever its kind and past `allowed_updates`; gives its id. With an
   * `update_id` of its own the numbering goes on from there.
   */
  pushUpdate(raw: Readonly<Record<string, unknown>>): number;
  /** The updates that the bot has not confirmed yet. */
  readonly pendingUpdates: readonly Update[];
  /** True while a `getUpdates` waits for an update. */
  readonly polling: boolean;

  /** Calls `listener` after each change, in order; gives what ends it. */
  onChange(listener: (change: Change) => void): () => void;
  /**
   * Resolves with the first value of `look` that is neither undefined, null nor false. Looks at once and
   * after each change, never on a timer. Rejects with an `UntilError` after `timeoutMs` of real time
   * (5,000 by default), or when `look` throws.
   */
  until<T>(look: () => T | undefined | null | false, options?: UntilOptions): Promise<T>;

  /** Drops every connection and ends what waits. Safe to call twice. */
  close(): Promise<void>;
}

export interface UntilOptions {
  readonly timeoutMs?: number;
  /** What is waited for, for the error. */
  readonly what?: string;
}

export interface PersonIdentity {
  readonly id: number;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
  readonly language_code?: string;
}

export interface GroupIdentity {
  readonly id: number;
  readonly title: string;
  readonly type?: "group" | "supergroup";
  /** Whether the group has topics. */
  readonly is_forum?: boolean;
}

export interface Group {
  readonly chat: Chat;
  /** The person with this identity, speaking in the group. */
  as(identity: PersonIdentity): Person;
  /** Takes the bot out of the group, or puts it back: a `my_chat_member` update, and 403 in between. */
  kick(): void;
  invite(): void;
}

export interface Channel {
  readonly chat: Chat;
  post(text: string): Message;
}

/**
 * What happened: a message came, changed or went; the bot's chat action or reaction; a press was answered; a call
 * began, ran into a fault, took effect, was answered or lost; an update was queued; a poll began or ended to wait.
 */
export interface Change {
  readonly kind:
    | "message"
    | "edit"
    | "delete"
    | "action"
    | "reaction"
    | "press"
    | "call"
    | "fault"
    | "effect"
    | "answer"
    | "update"
    | "poll";
  readonly chatId?: number;
}

export interface ChatView {
  readonly chat: Chat;
  /** What is visible, oldest first. A new array each time; the messages in it are live. */
  readonly messages: readonly ShownMessage[];
  /** Those of the bot alone. */
  readonly botMessages: readonly ShownMessage[];
  /** What was deleted, in the order of the deletions. */
  readonly deleted: readonly ShownMessage[];
  /** The bot's chat action, such as `typing`, while it is shown: five seconds, or until a message of the bot. */
  readonly action: { readonly action: string; readonly at: number; readonly threadId?: number } | undefined;
}

/** A message as the chat shows it now, with its history. Moments are of `clock.now`. */
export interface ShownMessage {
  readonly id: number;
  /** The author's user id; the bot's own for what it sent. */
  readonly authorId: number;
  readonly byBot: boolean;
  /** The text, or the caption, or "". */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** The buttons, row by row; empty without an inline keyboard. */
  readonly buttons: readonly (readonly {
    readonly text: string;
    readonly data?: string;
    readonly url?: string;
  }[])[];
  /** The whole message as Telegram gives it. */
  readonly message: Message;
  readonly at: number;
  /** True when it was sent with `disable_notification`. */
  readonly silent: boolean;
  /** One for each edit, oldest first: what was shown before, and when it was replaced. */
  readonly edits: readonly { readonly at: number; readonly before: Message }[];
  readonly deletedAt: number | undefined;
  /** The bot's reaction. */
  readonly reaction: string | undefined;
  /** The content of its file or of its largest photo size. */
  readonly file: Uint8Array | undefined;
}

/** One request of the bot. Moments are of `clock.now`. */
export interface Call {
  readonly method: string;
  /** The parameters, decoded; an uploaded file is `{ name, size, type }`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The chat that it names, if any. */
  readonly chatId: number | undefined;
  readonly at: number;
  /** Undefined while it waits. */
  readonly answeredAt: number | undefined;
  /** HTTP status; undefined while it waits and when no answer was given. */
  readonly status: number | undefined;
  /** Telegram's error text; undefined for a success. */
  readonly description: string | undefined;
  /** The result of a success. */
  readonly result: unknown;
  /** True once the method has run, even if the answer got lost. */
  readonly effective: boolean;
  /** True when the connection ended before the answer was out. */
  readonly lost: boolean;
  /** What the server put right without saying so, such as entities that cross or a link to a host without a dot. */
  readonly complaints: readonly string[];
}

/** `until` gave up. */
export class UntilError extends Error {
  readonly what: string;
  readonly timeoutMs: number;
  constructor(what: string, timeoutMs: number) {
    super(`Waited ${timeoutMs} ms in vain for ${what}.`);
    this.name = "UntilError";
    this.what = what;
    this.timeoutMs = timeoutMs;
  }
}
