import type { Message, MessageEntity } from "grammy/types";
import { listOf, type Loose, loose, numberOf, stringOf } from "./loose.ts";

/** A command as it stands at the start of a text. */
export interface CommandMark {
  /** Lower case, without the slash and the bot's name. */
  readonly name: string;
  /** The bot that it names, lower case. */
  readonly address?: string;
  /** What stands behind it, without the white space around that. */
  readonly argument: string;
}

/** Reads the command that Telegram marks as one at the very start of a text; captions and forwards have none. */
export function commandOf(message: Loose<Message>): CommandMark | undefined {
  const text = stringOf(message.text);
  const length = markLength(message);
  if (text === undefined || length === undefined) return undefined;
  const [name = "", address] = text.slice(1, length).toLowerCase().split("@");
  const argument = text.slice(length).trim();
  return { name, argument, ...(address === undefined ? {} : { address }) };
}

/**
 * Gives the message as if its author had not written the command: the text begins with the first line behind it that
 * says something, indented as it was unless that is the command's own, and each entity covers what it covered.
 */
export function withoutCommand(message: Loose<Message>): Loose<Message> {
  const text = stringOf(message.text);
  const length = markLength(message);
  if (text === undefined || length === undefined) return message;
  const behind = text.slice(length);
  const cut = length + (/^\s*\n/.exec(behind) ?? /^\s*/.exec(behind) ?? [""])[0].length;
  const entities = listOf(message.entities).flatMap((entity) => {
    const { offset, length: covered } = loose<MessageEntity>(entity);
    const [start, size] = [numberOf(offset), numberOf(covered)];
    if (start === undefined || size === undefined || start + size <= cut) return [];
    const begins = Math.max(0, start - cut);
    return [{ ...loose<MessageEntity>(entity), offset: begins, length: start + size - cut - begins }];
  });
  return { ...message, text: text.slice(cut), entities };
}

/** In UTF-16 units. */
function markLength(message: Loose<Message>): number | undefined {
  const text = stringOf(message.text);
  if (text === undefined || (message.forward_origin ?? undefined) !== undefined) return undefined;
  const mark = listOf(message.entities)
    .map((entity) => loose<MessageEntity>(entity))
    .find(({ type, offset }) => type === "bot_command" && offset === 0);
  return mark === undefined ? undefined : (numberOf(mark.length) ?? text.length);
}
