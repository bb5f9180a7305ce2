import type { Update } from "grammy/types";

/** A person who is allowed, the bot that they write to, and somebody who is not allowed. */
export const ada = { id: 7, is_bot: false, first_name: "Ada" };
export const evie = { id: 1, is_bot: true, first_name: "evie", username: "evie_bot" };
export const stranger = { id: 66, is_bot: false, first_name: "Mallory" };

type Fields = object;

/** An update as it comes from outside: whatever a test says it is. */
export function rawUpdate(fields: Fields): Update {
  const update: unknown = { update_id: 1, ...fields };
  return update as Update;
}

/** A message of Ada's in her private chat with the bot, with whatever a test adds or changes. */
export function messageUpdate(fields: Fields, kind: "message" | "edited_message" = "message"): Update {
  return rawUpdate({ [kind]: messageOf(fields) });
}

export function messageOf(fields: Fields): Fields {
  return { message_id: 9, date: 0, from: ada, chat: { id: 7, type: "private" }, ...fields };
}

/** A message of somebody who may not reach an agent, in a private chat of their own. */
export function strangerUpdate(fields: Fields = {}): Update {
  return messageUpdate({ text: "hi", from: stranger, chat: { id: 66, type: "private" }, ...fields });
}

/** A text that begins with a command, as Telegram marks it. */
export function commandUpdate(text: string, fields: Fields = {}): Update {
  return messageUpdate({ text, entities: [commandMark(text)], ...fields });
}

export function commandMark(text: string): Fields {
  return { type: "bot_command", offset: 0, length: /^\S*/.exec(text)?.[0].length ?? 0 };
}
