import { badRequest } from "./errors.ts";
import { formatText } from "./formatted-text.ts";
import { chatOf, openChatOf, ownMessageOf, readMarkup } from "./method.ts";
import type { Method, MethodCall } from "./method.ts";
import { isRecord } from "./params.ts";
import type { Entry } from "./entry.ts";
import type { Room } from "./room.ts";
import { refuseParseMode } from "./sending.ts";
import type { Message, ReplyMarkup } from "./shapes.ts";

const NOT_MODIFIED =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

/** A bot can delete what is younger than this. */
const DELETABLE_S = 48 * 3600;
const MAX_DELETED = 100;

/** Some of the reactions that Telegram takes; its list is longer, and has neither ✅ nor ⏳. */
const REACTIONS = new Set(
  "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🎉 🤩 🙏 👌 👀 ✍ 🤝 🫡 ⚡ 💯 🤣 💔 😴 🤓 👻 👨‍💻 🎃 🙈 😇 🆒 🗿 👾".split(" "),
);

export const editMessageText: Method = (call) => {
  const { params } = call;
  const room = openChatOf(call);
  const entry = ownMessageOf(call, room);
  refuseParseMode(call);
  const { text, entities } = formatText(
    params.string("text"),
    params.json("entities"),
    "text",
    call.complain,
  );
  if (entry.message.text === undefined) throw badRequest("there is no text in the message to edit");
  const { entities: _, reply_markup: __, ...kept } = entry.message;
  return replace(call, room, entry, { ...kept, text, ...(entities.length === 0 ? {} : { entities }) });
};

export const editMessageReplyMarkup: Method = (call) => {
  const room = openChatOf(call);
  const entry = ownMessageOf(call, room);
  const { reply_markup: _, ...kept } = entry.message;
  return replace(call, room, entry, kept);
};

export const deleteMessage: Method = (call) => {
  const room = chatOf(call);
  const id = call.params.integer("message_id") ?? 0;
  const entry = room.find(id);
  if (entry === undefined) throw badRequest("message to delete not found");
  if (!deletable(call, room, entry)) throw badRequest("message can't be deleted");
  return call.world.remove(room, id);
};

export const deleteMessages: Method = (call) => {
  const room = chatOf(call);
  const ids = call.params.json("message_ids");
  if (!Array.isArray(ids) || ids.length === 0) throw badRequest("message identifiers are not specified");
  if (ids.length > MAX_DELETED) throw badRequest("too many message identifiers specified");
  for (const id of ids as readonly unknown[]) {
    const entry = typeof id === "number" ? room.find(id) : undefined;
    // What is not there or may not go is passed over, as Telegram does.
    if (entry !== undefined && deletable(call, room, entry)) call.world.remove(room, entry.id);
  }
  return true;
};

export const setMessageReaction: Method = (call) => {
  const room = openChatOf(call);
  const entry = room.find(call.params.integer("message_id") ?? 0);
  if (entry === undefined) throw badRequest("message to react not found");
  const given = call.params.json("reaction") ?? [];
  if (!Array.isArray(given)) throw badRequest("expected an Array of ReactionType");
  const first: unknown = given[0];
  const emoji = isRecord(first) && typeof first["emoji"] === "string" ? first["emoji"] : undefined;
  if (given.length > 1 || (given.length === 1 && (emoji === undefined || !REACTIONS.has(emoji)))) {
    throw badRequest("REACTION_INVALID");
  }
  entry.react(emoji);
  call.world.changed({ kind: "reaction", chatId: room.chat.id });
  return true;
};

function replace(call: MethodCall, room: Room, entry: Entry, content: Message): Message {
  const markup = readMarkup(call);
  if (sameContent(entry.message, content, markup)) throw badRequest(NOT_MODIFIED);
  const edited = {
    ...content,
    ...(markup === undefined ? {} : { reply_markup: markup }),
    edit_date: call.world.date(),
  };
  call.world.replace(room, entry, edited);
  return edited;
}

function sameContent(before: Message, after: Message, markup: ReplyMarkup | undefined): boolean {
  const shown = (message: Message, keyboard: ReplyMarkup | undefined): string =>
    JSON.stringify([message.text, message.entities ?? [], keyboard ?? null]);
  return shown(before, before.reply_markup) === shown(after, markup);
}

function deletable({ world }: MethodCall, room: Room, entry: Entry): boolean {
  const young = world.date() - entry.message.date < DELETABLE_S;
  return young && (entry.byBot || room.chat.type === "private");
}
