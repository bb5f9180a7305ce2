import { ApiError, badRequest } from "./errors.ts";
import { isRecord } from "./params.ts";
import type { Params } from "./params.ts";
import type { Entry } from "./entry.ts";
import type { Room } from "./room.ts";
import type { ReplyMarkup } from "./shapes.ts";
import type { World } from "./world.ts";

/** One call on its way through a method. */
export interface MethodCall {
  readonly params: Params;
  readonly world: World;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** Notes what the server puts right without saying so. */
  readonly complain: (what: string) => void;
  /** Sets the `description` that a few successes carry. */
  readonly describe: (text: string) => void;
}

/** Gives the result, or throws an ApiError. */
export type Method = (call: MethodCall) => unknown;

/** The chat that a call names. Throws Telegram's 400 when there is none. */
export function chatOf({ params, world }: MethodCall): Room {
  if (!params.has("chat_id")) throw badRequest("chat_id is empty");
  const id = params.integer("chat_id");
  const name = params.string("chat_id");
  const room =
    id === undefined
      ? [...world.rooms.values()].find(({ chat }) => chat.type !== "private" && `@${chat.username}` === name)
      : world.rooms.get(id);
  if (room === undefined) throw badRequest("chat not found");
  return room;
}

/** The chat that a call wants to speak in. Throws a 403 when the bot may not. */
export function openChatOf(call: MethodCall): Room {
  const room = chatOf(call);
  if (room.barred === "blocked") throw new ApiError(403, "Forbidden: bot was blocked by the user");
  if (room.barred === "kicked") {
    throw new ApiError(
      403,
      `Forbidden: bot was kicked from the ${room.chat.type === "group" ? "group" : room.chat.type} chat`,
    );
  }
  return room;
}

/** The bot's own message that a call names. */
export function ownMessageOf({ params }: MethodCall, room: Room): Entry {
  const id = params.integer("message_id") ?? 0;
  const entry = id > 0 ? room.find(id) : undefined;
  if (entry === undefined) throw badRequest("message to edit not found");
  if (!entry.byBot) throw badRequest("message can't be edited");
  return entry;
}

/** Reads `reply_markup`; an inline keyboard is checked button by button. */
export function readMarkup({ params }: MethodCall): ReplyMarkup | undefined {
  const value = params.json("reply_markup");
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw badRequest("object expected as reply markup");
  const rows = value["inline_keyboard"];
  if (rows === undefined) return value;
  if (!Array.isArray(rows)) throw badRequest('field "inline_keyboard" must be of type Array');
  for (const row of rows as readonly unknown[]) {
    if (!Array.isArray(row)) throw badRequest('field "inline_keyboard" must be an Array of Arrays');
    for (const button of row as readonly unknown[]) checkButton(button);
  }
  // Telegram drops rows without buttons and a keyboard without rows.
  const filled = (rows as NonNullable<ReplyMarkup["inline_keyboard"]>).filter((row) => row.length > 0);
  return filled.length === 0 ? undefined : { inline_keyboard: filled };
}

function checkButton(button: unknown): void {
  const wrong = (why: string): Error => badRequest(`can't parse inline keyboard button: ${why}`);
  if (!isRecord(button)) throw wrong("expected an Object");
  const { text, callback_data, ...rest } = button;
  if (typeof text !== "string") throw wrong('Can\'t find field "text"');
  if (text.trim() === "") throw badRequest("BUTTON_TEXT_INVALID");
  if (callback_data !== undefined) {
    const bytes = typeof callback_data === "string" ? Buffer.byteLength(callback_data) : 0;
    if (bytes < 1 || bytes > 64) throw badRequest("BUTTON_DATA_INVALID");
    return;
  }
  const actions = ["url", "web_app", "login_url", "switch_inline_query", "copy_text", "pay", "callback_game"];
  if (!actions.some((name) => name in rest)) throw wrong("Text buttons are unallowed in the inline keyboard");
}
