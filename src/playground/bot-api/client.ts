import type { PersonIdentity } from "./bot-api.ts";
import { findMarks } from "./marks.ts";
import { storeMedia } from "./media.ts";
import type { MediaKind } from "./media.ts";
import { cutPaste } from "./paste.ts";
import type { FileOptions, Person, Press, SayOptions } from "./person.ts";
import type { Room } from "./room.ts";
import type { Chat, ForwardOrigin, InlineButton, Message, MessageEntity, User } from "./shapes.ts";
import { asReplied } from "./world.ts";
import type { Content, World } from "./world.ts";

export function makeUser(identity: PersonIdentity): User {
  const { id, first_name, last_name, username, language_code = "en" } = identity;
  const optional = {
    ...(last_name === undefined ? {} : { last_name }),
    ...(username === undefined ? {} : { username }),
  };
  return { id, is_bot: false, first_name, ...optional, language_code };
}

export function makePrivateChat({ id, first_name, last_name, username }: User): Chat {
  const optional = {
    ...(last_name === undefined ? {} : { last_name }),
    ...(username === undefined ? {} : { username }),
  };
  return { id, type: "private", first_name, ...optional };
}

/** A person's client in one chat; `spacing` is what lies between messages that follow each other closely, in ms. */
export function createClient(world: World, user: User, room: Room, spacing: number): Person {
  const found = (text: string, formatted: readonly MessageEntity[] = []): Content => {
    const entities = [...formatted, ...findMarks(text)].toSorted((a, b) => a.offset - b.offset);
    return { text, ...(entities.length === 0 ? {} : { entities }) };
  };
  const captioned = (caption = ""): Content => {
    const text = caption.trim();
    if (text === "") return {};
    const entities = findMarks(text);
    return { caption: text, ...(entities.length === 0 ? {} : { caption_entities: entities }) };
  };

  const addressed = ({ reply_to, quote, threadId }: SayOptions): Content => {
    const target = reply_to === undefined ? undefined : room.find(reply_to);
    if (reply_to !== undefined && target === undefined) {
      throw new RangeError(`There is no message ${reply_to} to reply to.`);
    }
    return {
      ...(threadId === undefined ? {} : { message_thread_id: threadId, is_topic_message: true }),
      ...(target === undefined ? {} : { reply_to_message: asReplied(target.message) }),
      ...(quote === undefined
        ? {}
        : {
            quote: { text: quote, position: Math.max(0, target?.text.indexOf(quote) ?? 0), is_manual: true },
          }),
    };
  };

  const send = (content: Content, options: SayOptions = {}): Message => {
    // Clients offer a blocked bot's chat only the way back.
    if (room.barred === "blocked") unblock();
    const { message } = world.post(room, user, { from: user, ...addressed(options), ...content });
    if (room.barred === undefined) world.updates.add("message", message);
    return message;
  };

  const sendMedia = (kind: MediaKind, bytes: Uint8Array, options: FileOptions): Message =>
    send({ ...storeMedia(world, kind, bytes, options), ...captioned(options.caption) }, options);

  const membership = (from: string, to: string): void => {
    world.updates.add("my_chat_member", {
      chat: room.chat,
      from: user,
      date: world.date(),
      old_chat_member: { user: world.bot, status: from },
      new_chat_member: { user: world.bot, status: to, ...(to === "kicked" ? { until_date: 0 } : {}) },
    });
  };

  const unblock = (): void => {
    if (room.barred !== "blocked") return;
    room.barred = undefined;
    membership("kicked", "member");
  };

  const inTurn = async <T>(
    items: readonly T[],
    gap: number,
    sendOne: (item: T) => Message,
  ): Promise<Message[]> => {
    const sent: Message[] = [];
    for (const [index, item] of items.entries()) {
      if (index > 0 && gap > 0) await world.clock.sleep(gap);
      sent.push(sendOne(item));
    }
    return sent;
  };

  return {
    user,
    chat: room.chat,
    say: (text, options = {}) =>
      inTurn(cutPaste(text), spacing, (part) => send(found(part, options.entities), options)),
    sendPhoto: (bytes, options = {}) => sendMedia("photo", bytes, options),
    sendAlbum(members, options = {}) {
      const media_group_id = world.newId();
      return inTurn(members, options.spacing ?? spacing, ({ bytes, kind = "photo", caption, ...about }) =>
        send({ media_group_id, ...storeMedia(world, kind, bytes, about), ...captioned(caption) }, options),
      );
    },
    sendDocument: (bytes, options = {}) => sendMedia("document", bytes, options),
    sendAudio: (bytes, options = {}) => sendMedia("audio", bytes, options),
    sendVideo: (bytes, options = {}) => sendMedia("video", bytes, options),
    sendVoice: (bytes, options = {}) => sendMedia("voice", bytes, options),
    sendAnimation: (bytes, options = {}) => sendMedia("animation", bytes, options),
    sendSticker: (options) =>
      send({ sticker: { ...STICKER, ...world.files.add(STICKER_BYTES, "stickers", STICKER_FILE) } }, options),
    sendLocation: (options) => send({ location: { latitude: 52.52, longitude: 13.405 } }, options),
    sendContact: (options) => send({ contact: { phone_number: "+491234567", first_name: "Ada" } }, options),
    sendPoll: (options) => send({ poll: { id: world.newId(), ...POLL } }, options),
    sendRich: (blocks, options) => send({ rich_message: { blocks } }, options),
    sendService: (fields) => send(fields),
    forward: (text, origin, options) =>
      send({ forward_origin: makeOrigin(origin, world.date()), ...found(text) }, options),
    edit(messageId, text) {
      const entry = room.find(messageId);
      if (entry?.authorId !== user.id)
        throw new RangeError(`${messageId} is no message of ${user.first_name}.`);
      const { entities: _, caption_entities: __, ...kept } = entry.message;
      const next = { ...kept, ...(entry.message.text === undefined ? captioned(text) : found(text.trim())) };
      world.replace(room, entry, { ...next, edit_date: world.date() });
      world.updates.add("edited_message", entry.message);
      return entry.message;
    },
    delete(messageId) {
      world.remove(room, messageId);
    },
    press(messageId, button) {
      const entry = room.find(messageId);
      const data = entry === undefined ? undefined : dataOf(entry.message, button);
      if (entry === undefined || data === undefined) {
        throw new RangeError(`Message ${messageId} has no such button to press.`);
      }
      return pressed(world, user, entry.message, data);
    },
    block() {
      if (room.chat.type !== "private" || room.barred !== undefined) return;
      room.barred = "blocked";
      membership("member", "kicked");
    },
    unblock,
  };
}

const STICKER_BYTES = new Uint8Array(8);
const STICKER_FILE = { file_name: "sticker.webp", file_size: 8 };
const STICKER = {
  type: "regular",
  width: 512,
  height: 512,
  is_animated: false,
  is_video: false,
  emoji: "👍",
};
const POLL = { question: "Tea or coffee?", options: [{ text: "Tea", voter_count: 0 }], total_voter_count: 0 };

type OriginInput = Parameters<Person["forward"]>[1];

function makeOrigin(origin: OriginInput, date: number): ForwardOrigin {
  if (isOrigin(origin)) return origin;
  return "user" in origin
    ? { type: "user", sender_user: origin.user, date }
    : { type: "hidden_user", sender_user_name: origin.name, date };
}

function isOrigin(origin: OriginInput): origin is ForwardOrigin {
  return "type" in origin;
}

function dataOf(message: Message, button: string | InlineButton): string | undefined {
  const wanted = typeof button === "string" ? button : (button.callback_data ?? button.text);
  const all = (message.reply_markup?.inline_keyboard ?? []).flat();
  const found = all.find(({ callback_data, text }) => callback_data === wanted || text === wanted);
  return found?.callback_data;
}

function pressed(world: World, user: User, message: Message, data: string): Press {
  const id = world.newId();
  let answer: Press["answer"];
  world.presses.set(id, {
    answer(given) {
      answer = given;
      world.changed({ kind: "press", chatId: message.chat.id });
    },
  });
  world.updates.add("callback_query", {
    id,
    from: user,
    message,
    chat_instance: String(message.chat.id),
    data,
  });
  return {
    id,
    get answer() {
      return answer;
    },
  };
}
