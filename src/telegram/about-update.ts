import type { CallbackQuery, Chat, Message, Update } from "grammy/types";
import { type ChatKey, makeChatKey } from "../domain/ids.ts";
import { loose, numberOf } from "./loose.ts";

/** When an update's message was written, in milliseconds since 1970, as far as it says. */
export function writtenAt(update: Update): number | undefined {
  const seconds = numberOf(loose<Message>(loose<Update>(update).message).date);
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1_000;
}

/** The chat that an update is of, as far as it names one. */
export function updateChat(update: Update): ChatKey | undefined {
  const { message, edited_message: edited, callback_query: press } = loose<Update>(update);
  const { chat, message_thread_id: thread } = loose<Message>(
    message ?? edited ?? loose<CallbackQuery>(press).message,
  );
  const chatId = numberOf(loose<Chat>(chat).id);
  if (chatId === undefined) return undefined;
  const threadId = numberOf(thread);
  return makeChatKey(threadId === undefined ? { chatId } : { chatId, threadId });
}

/** How a message that begins with a command was taken: `whole` as content, or only the `words` behind it, since the command was done. */
export type TakenAs = "whole" | "words";

/** An update as it is kept once it was decided how it is taken. */
export interface DecidedUpdate extends Update {
  readonly taken_as?: TakenAs;
}

/** Says how an update was taken, where that was decided before. */
export function takenAs(update: Update): TakenAs | undefined {
  const { taken_as: as } = loose<DecidedUpdate>(update);
  return as === "whole" || as === "words" ? as : undefined;
}
