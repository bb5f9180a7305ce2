import {
  answerCallbackQuery,
  deleteMyCommands,
  getChat,
  getFile,
  getMe,
  getMyCommands,
  setMyCommands,
} from "./about.ts";
import {
  deleteMessage,
  deleteMessages,
  editMessageReplyMarkup,
  editMessageText,
  setMessageReaction,
} from "./editing.ts";
import { deleteWebhook, getUpdates, getWebhookInfo, setWebhook } from "./fetching.ts";
import type { Method } from "./method.ts";
import { sendChatAction, sendDocument, sendMessage, sendPhoto } from "./sending.ts";

const METHODS: Readonly<Record<string, Method>> = {
  answerCallbackQuery,
  deleteMessage,
  deleteMessages,
  deleteMyCommands,
  deleteWebhook,
  editMessageReplyMarkup,
  editMessageText,
  getChat,
  getFile,
  getMe,
  getMyCommands,
  getUpdates,
  getWebhookInfo,
  sendChatAction,
  sendDocument,
  sendMessage,
  sendPhoto,
  setMessageReaction,
  setMyCommands,
  setWebhook,
};

const BY_NAME = new Map(Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), method]));

/** The method of this name, whose case does not matter; undefined when the server has none such. */
export function methodOf(name: string): Method | undefined {
  return BY_NAME.get(name.toLowerCase());
}
