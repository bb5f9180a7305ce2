import type { CallbackQuery, Message, RichMessage, Update } from "grammy/types";
import { repairValue } from "../domain/text.ts";
import { takenAs } from "./about-update.ts";
import { commandOf, withoutCommand } from "./command-mark.ts";
import { carriedFile, type FileReference, repliedFile } from "./carried-file.ts";
import { contextOf } from "./context.ts";
import { type Loose, loose, stringOf } from "./loose.ts";
import { flattenRich } from "./rich.ts";
import { type Judged, judgeOrigin, type Origin } from "./strangers/origin.ts";
import { writtenMarkdown } from "./written/markdown.ts";

interface Content extends Origin {
  readonly text: string;
  readonly context?: string;
  readonly file?: FileReference;
  /** The file of the message that this one replies to. */
  readonly replied?: FileReference;
}

/** One content message, on its way into its chat's burst. */
export interface Incoming extends Content {
  readonly type: "content";
  /** Present where a command was cut off in front of it, which has been done. */
  readonly behindCommand?: true;
}

export interface IncomingCommand extends Origin {
  readonly type: "command";
  /** Lower case, without the slash and the bot's name. */
  readonly name: string;
  /** What stands behind it, such as the payload of a link to the bot. */
  readonly argument?: string;
  /** Present where it is addressed to another bot. */
  readonly forAnother?: true;
  /** What stands behind it, as content; absent where nothing does. */
  readonly words?: Incoming;
  /** All of the message as content, which it is where it goes on with a paste. */
  readonly whole: Incoming;
}

/** An author changed a message, which is this now; it matters only while its burst waits. */
export interface IncomingEdit extends Content {
  readonly type: "edit";
  /** The text without the command at its start; absent where it begins with none. */
  readonly behindCommand?: string;
}

/** A press of one of evie's buttons, which stands below the message of `messageId`. */
export interface IncomingPress extends Origin {
  readonly type: "press";
  /** Telegram waits for an answer under this name. */
  readonly pressId: string;
  /** What the button says. */
  readonly data: string;
}

export type Received =
  | Incoming
  | IncomingCommand
  | IncomingEdit
  /** Something no agent can use, such as a sticker; `what` names it with its article. */
  | (Origin & { readonly type: "unusable"; readonly what: string })
  | IncomingPress
  | Exclude<Judged, { readonly type: "allowed" }>;

export interface Recipient {
  /** The bot's own name, for commands that are addressed. */
  readonly username: string;
  readonly isAllowed: (userId: number) => boolean;
}

/**
 * Says what one update is to evie. Pure and synchronous: a content message must enter its burst at its arrival.
 * Telegram's servers may be newer than the types: takes whatever came, and never throws. No text in the answer holds NUL
 * or half a character.
 */
export function receive(update: Update, recipient: Recipient): Received {
  // Behind the reading, since the offsets of entities count what is taken out here.
  return repairValue(read(update, recipient));
}

function read(update: Update, recipient: Recipient): Received {
  const judged = judgeOrigin(update, recipient.isAllowed);
  if (judged.type !== "allowed") return judged;
  const { origin } = judged;
  const { message: fresh, edited_message: changed, callback_query: press } = loose<Update>(update);
  if (isPresent(press)) return pressed(loose<CallbackQuery>(press), origin);
  const message = loose<Message>(fresh ?? changed);
  if (!isPresent(fresh)) return edited(message, origin);
  const as = takenAs(update);
  if (as === "words") return content(withoutCommand(message), { ...origin, behindCommand: true });
  return (
    (as === "whole" ? undefined : command(message, origin, recipient.username)) ?? content(message, origin)
  );
}

function pressed({ id, data }: Loose<CallbackQuery>, origin: Origin): Received {
  const [pressId, said] = [stringOf(id), stringOf(data)];
  if (pressId === undefined || said === undefined) return ignored("a press of a button without words");
  return { type: "press", ...origin, pressId, data: said };
}

function command(message: Loose<Message>, origin: Origin, username: string): IncomingCommand | undefined {
  const mark = commandOf(message);
  if (mark === undefined) return undefined;
  const { name, address, argument } = mark;
  const words = content(withoutCommand(message), { ...origin, behindCommand: true });
  const whole = content(message, origin);
  if (whole.type !== "content") return undefined;
  return {
    type: "command",
    ...origin,
    name,
    ...(argument === "" ? {} : { argument }),
    ...(address === undefined || address === username.toLowerCase() ? {} : { forAnother: true }),
    ...(argument === "" || words.type !== "content" ? {} : { words }),
    whole,
  };
}

function content(
  message: Loose<Message>,
  origin: Origin & Pick<Incoming, "behindCommand">,
): Extract<Received, { readonly type: "content" | "unusable" | "ignored" }> {
  const text = textOf(message);
  const file = carriedFile(message);
  if (text === undefined && file === undefined) {
    const what = unusableKind(message);
    return what === undefined ? ignored("a service message") : { type: "unusable", ...origin, what };
  }
  const context = contextOf(message as Message);
  const replied = repliedFile(message);
  return {
    type: "content",
    ...origin,
    text: text ?? "",
    ...(context === undefined ? {} : { context }),
    ...(file === undefined ? {} : { file }),
    ...(replied === undefined ? {} : { replied }),
  };
}

function edited(message: Loose<Message>, origin: Origin): IncomingEdit {
  const file = carriedFile(message);
  return {
    type: "edit",
    ...origin,
    // An edit that takes a caption away leaves an empty text, which is news as well.
    text: textOf(message) ?? "",
    ...(file === undefined ? {} : { file }),
    ...(commandOf(message) === undefined ? {} : { behindCommand: textOf(withoutCommand(message)) ?? "" }),
  };
}

function textOf(message: Loose<Message>): string | undefined {
  const { rich_message: rich, entities, caption_entities } = message;
  if (isPresent(rich)) return flattenRich(rich as RichMessage) || undefined;
  const [text, caption] = [stringOf(message.text), stringOf(message.caption)];
  if (text !== undefined) return writtenMarkdown(text, entities);
  return caption === undefined ? undefined : writtenMarkdown(caption, caption_entities);
}

/** What a person may send and an agent cannot read. */
const UNUSABLE: readonly (readonly [keyof Message, string])[] = [
  ["sticker", "a sticker"],
  ["venue", "a place"],
  ["location", "a location"],
  ["poll", "a poll"],
  ["contact", "a contact"],
  ["dice", "a dice"],
  ["game", "a game"],
  ["story", "a story"],
  ["checklist", "a checklist"],
  ["invoice", "an invoice"],
  ["paid_media", "paid media"],
  ["giveaway", "a giveaway"],
  ["giveaway_winners", "a giveaway"],
  ["rich_message", "an empty message"],
];

/** Undefined for service messages, which nobody wrote. */
function unusableKind(message: Loose<Message>): string | undefined {
  return UNUSABLE.find(([field]) => isPresent(message[field]))?.[1];
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function ignored(reason: string): Extract<Received, { readonly type: "ignored" }> {
  return { type: "ignored", reason };
}
