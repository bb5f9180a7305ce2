import type { Clock } from "../../domain/clock.ts";
import type { Change } from "./bot-api.ts";
import { createEntry } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { createFileStore } from "./files.ts";
import type { FileStore } from "./files.ts";
import type { Press } from "./person.ts";
import { createRoom } from "./room.ts";
import type { Room } from "./room.ts";
import type { BotCommand, Chat, Message, User } from "./shapes.ts";
import { createUpdateQueue } from "./update-queue.ts";
import type { UpdateQueue } from "./update-queue.ts";

/** What a message has beyond its number, its date and its chat. */
export type Content = Omit<Message, "message_id" | "date" | "chat">;

/** Everything that both sides share: chats, files, waiting updates, pressed buttons, the commands' menu. */
export interface World {
  readonly clock: Clock;
  readonly bot: User;
  readonly rooms: ReadonlyMap<number, Room>;
  readonly files: FileStore;
  readonly updates: UpdateQueue;
  /** By callback query id; a press is taken out when it is answered. */
  readonly presses: Map<string, PendingPress>;
  /** By scope and language. */
  readonly commands: Map<string, readonly BotCommand[]>;
  /** The room of this chat, made when there is none. */
  open(chat: Chat): Room;
  post(room: Room, author: User, content: Content, silent?: boolean): Entry;
  replace(room: Room, entry: Entry, message: Message): void;
  remove(room: Room, messageId: number): boolean;
  /** Seconds since 1970. */
  date(): number;
  newId(): string;
  changed(change: Change): void;
}

export interface PendingPress {
  answer(answer: Exclude<Press["answer"], undefined>): void;
}

export function createWorld(
  clock: Clock,
  bot: User,
  firstUpdateId: number,
  changed: (change: Change) => void,
): World {
  const rooms = new Map<number, Room>();
  const files = createFileStore();
  let lastId = 0;
  const date = (): number => Math.floor(clock.date() / 1000);
  return {
    clock,
    bot,
    rooms,
    files,
    updates: createUpdateQueue(clock, firstUpdateId, (kind) => changed({ kind })),
    presses: new Map(),
    commands: new Map(),
    open(chat) {
      const known = rooms.get(chat.id);
      if (known !== undefined) return known;
      const room = createRoom(chat, () => clock.now());
      rooms.set(chat.id, room);
      return room;
    },
    post(room, author, content, silent = false) {
      const message: Message = {
        message_id: room.nextMessageId(),
        date: date(),
        chat: room.chat,
        ...content,
      };
      const file = (fileId: string): Uint8Array | undefined => files.byId(fileId)?.bytes;
      const entry = createEntry(message, { author, at: clock.now(), silent, file });
      room.put(entry);
      changed({ kind: "message", chatId: room.chat.id });
      return entry;
    },
    replace(room, entry, message) {
      entry.replace(message, clock.now());
      changed({ kind: "edit", chatId: room.chat.id });
    },
    remove(room, messageId) {
      const removed = room.remove(messageId);
      if (removed) changed({ kind: "delete", chatId: room.chat.id });
      return removed;
    },
    date,
    newId: () => String(4_000_000_000_000_000 + ++lastId),
    changed,
  };
}

/** The message as another one shows it in `reply_to_message`: without what it replies to itself. */
export function asReplied(message: Message): Message {
  const { reply_to_message: _, ...rest } = message;
  return rest;
}
