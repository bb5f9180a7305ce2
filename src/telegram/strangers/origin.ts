import type { CallbackQuery, Chat, Message, Update, User } from "grammy/types";
import { type ChatKey, type ChatPlace, makeChatKey } from "../../domain/ids.ts";
import { type Loose, loose, numberOf, stringOf } from "../loose.ts";

/** Where a message came from and who wrote it. */
export interface Origin {
  readonly key: ChatKey;
  readonly place: ChatPlace;
  readonly messageId: number;
  readonly userId: number;
}

export type Judged =
  /** Somebody who is allowed, in a private chat. */
  | { readonly type: "allowed"; readonly origin: Origin }
  /** Somebody who is not allowed, in a private chat. `isNew` tells a message from an edit and from a press. */
  | {
      readonly type: "stranger";
      readonly place: ChatPlace;
      readonly userId: number;
      readonly isNew: boolean;
    }
  /** For the log only. */
  | { readonly type: "ignored"; readonly reason: string };

/**
 * Judges by its origin alone whether an update is for evie. Pure, and never throws, whatever came. The cost does not
 * depend on what was written, since anybody may write.
 */
export function judgeOrigin(update: Update, isAllowed: (userId: number) => boolean): Judged {
  const { message: fresh, edited_message: changed, callback_query: press } = loose<Update>(update);
  if (isPresent(press)) return judgePress(loose<CallbackQuery>(press), isAllowed);
  if (!isPresent(fresh) && !isPresent(changed)) return ignored(`an update of kind ${kindOf(update)}`);
  const message = loose<Message>(fresh ?? changed);
  const { id, type: chatType } = loose<Chat>(message.chat);
  if (chatType !== "private") return ignored(`a message in a ${stringOf(chatType) ?? "place unknown"}`);

  const chatId = numberOf(id);
  const messageId = numberOf(message.message_id);
  const userId = personOf(message);
  if (userId === undefined) return ignored("a message without a person behind it");
  if (chatId === undefined || messageId === undefined) return ignored("a message without a place");
  const place = placeOf(chatId, message.message_thread_id);
  if (!isAllowed(userId)) return { type: "stranger", place, userId, isNew: isPresent(fresh) };
  return { type: "allowed", origin: { key: makeChatKey(place), place, messageId, userId } };
}

function judgePress({ from, message }: Loose<CallbackQuery>, isAllowed: (userId: number) => boolean): Judged {
  const { chat, message_thread_id: thread, message_id: messageId } = loose<Message>(message);
  const { id: chatId, type } = loose<Chat>(chat);
  const [userId, where, below] = [loose<User>(from).id, chatId, messageId].map(numberOf);
  if (userId === undefined || where === undefined || below === undefined)
    return ignored("a press of a button without a person or a place");
  const place = placeOf(where, thread);
  if (!isAllowed(userId)) return { type: "stranger", place, userId, isNew: false };
  if (type !== "private") return ignored("a press in a group");
  return { type: "allowed", origin: { key: makeChatKey(place), place, messageId: below, userId } };
}

function placeOf(chatId: number, thread: unknown): ChatPlace {
  const threadId = numberOf(thread);
  return threadId === undefined ? { chatId } : { chatId, threadId };
}

/** Who wrote it. Bots, channels and anonymous admins write through a user that is not theirs. */
function personOf(message: Loose<Message>): number | undefined {
  const { id, is_bot } = loose<User>(message.from);
  return is_bot === true || isPresent(message.sender_chat) ? undefined : numberOf(id);
}

function kindOf(update: Update): string {
  return Object.keys(update).find((key) => key !== "update_id") ?? "none";
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function ignored(reason: string): Judged {
  return { type: "ignored", reason };
}
