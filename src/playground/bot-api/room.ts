import type { ChatView } from "./bot-api.ts";
import type { Entry } from "./entry.ts";
import type { Chat } from "./shapes.ts";

/** How long a chat action is shown, by Telegram's documentation of sendChatAction. */
const ACTION_MS = 5_000;

/** One chat as both sides share it: its messages, its numbering, and whether the bot may speak. */
export interface Room extends ChatView {
  /** Why the bot may not speak here. */
  barred: "blocked" | "kicked" | undefined;
  nextMessageId(): number;
  find(messageId: number): Entry | undefined;
  put(entry: Entry): void;
  /** Takes a visible message away; false when there is none of this id. */
  remove(messageId: number): boolean;
  act(action: string, threadId: number | undefined): void;
}

/** `now` is `clock.now`. */
export function createRoom(chat: Chat, now: () => number): Room {
  const visible = new Map<number, Entry>();
  const deleted: Entry[] = [];
  let lastId = 0;
  let action: { action: string; at: number; threadId?: number } | undefined;
  return {
    chat,
    barred: undefined,
    get messages() {
      return [...visible.values()];
    },
    get botMessages() {
      return [...visible.values()].filter(({ byBot }) => byBot);
    },
    get deleted() {
      return [...deleted];
    },
    get action() {
      return action !== undefined && now() - action.at < ACTION_MS ? action : undefined;
    },
    nextMessageId: () => ++lastId,
    find: (messageId) => visible.get(messageId),
    put(entry) {
      visible.set(entry.id, entry);
      if (entry.byBot) action = undefined;
    },
    remove(messageId) {
      const entry = visible.get(messageId);
      if (entry === undefined) return false;
      visible.delete(messageId);
      entry.remove(now());
      deleted.push(entry);
      return true;
    },
    act(kind, threadId) {
      action = { action: kind, at: now(), ...(threadId === undefined ? {} : { threadId }) };
    },
  };
}
