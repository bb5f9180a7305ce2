import { badRequest } from "./errors.ts";
import { chatOf } from "./method.ts";
import type { Method, MethodCall } from "./method.ts";
import { isRecord } from "./params.ts";
import type { BotCommand } from "./shapes.ts";

const MAX_COMMANDS = 100;

/** The key of the commands that everybody sees. */
export const EVERYBODY = scopeKey(undefined, "");

export const getMe: Method = ({ world }) => ({
  ...world.bot,
  can_join_groups: true,
  can_read_all_group_messages: true,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
});

export const getChat: Method = (call) => ({
  ...chatOf(call).chat,
  accent_color_id: 0,
  max_reaction_count: 11,
  accepted_gift_types: {},
});

export const getFile: Method = ({ params, world }) => {
  if (!params.has("file_id")) throw badRequest("file_id not specified");
  return world.files.describe(params.string("file_id"));
};

export const answerCallbackQuery: Method = ({ params, world }) => {
  const id = params.string("callback_query_id");
  const press = world.presses.get(id);
  if (press === undefined)
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  const text = params.string("text");
  if (text.length > 200) throw badRequest("MESSAGE_TOO_LONG");
  world.presses.delete(id);
  press.answer({
    text: text === "" ? undefined : text,
    alert: params.flag("show_alert"),
    at: world.clock.now(),
  });
  return true;
};

export const setMyCommands: Method = (call) => {
  const given = call.params.json("commands");
  if (!Array.isArray(given)) throw badRequest("expected an Array of BotCommand");
  if (given.length > MAX_COMMANDS) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  const commands = (given as readonly unknown[]).map(readCommand);
  call.world.commands.set(keyOf(call), commands);
  return true;
};

export const getMyCommands: Method = (call) => call.world.commands.get(keyOf(call)) ?? [];

export const deleteMyCommands: Method = (call) => {
  call.world.commands.delete(keyOf(call));
  return true;
};

function readCommand(item: unknown): BotCommand {
  if (!isRecord(item)) throw badRequest("can't parse BotCommand: expected an Object");
  const { command, description } = item;
  if (typeof command !== "string" || typeof description !== "string") {
    throw badRequest(
      `can't parse BotCommand: Can't find field "${typeof command === "string" ? "description" : "command"}"`,
    );
  }
  const name = command.trim().replace(/^\//, "").toLowerCase();
  if (name === "") throw badRequest("command must not be empty");
  if (!/^[a-z0-9_]{1,32}$/.test(name)) throw badRequest("BOT_COMMAND_INVALID");
  const text = description.trim();
  if (text === "") throw badRequest("command description must not be empty");
  if (text.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
  return { command: name, description: text };
}

function keyOf({ params }: MethodCall): string {
  return scopeKey(params.json("scope"), params.string("language_code"));
}

function scopeKey(scope: unknown, language: string): string {
  const parts: Readonly<Record<string, unknown>> = isRecord(scope) ? scope : {};
  return JSON.stringify([
    parts["type"] ?? "default",
    parts["chat_id"] ?? null,
    parts["user_id"] ?? null,
    language,
  ]);
}
