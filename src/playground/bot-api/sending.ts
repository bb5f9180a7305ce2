import { ApiError, badRequest } from "./errors.ts";
import { formatText } from "./formatted-text.ts";
import { storeMedia } from "./media.ts";
import { openChatOf, readMarkup } from "./method.ts";
import type { Method, MethodCall } from "./method.ts";
import { isRecord } from "./params.ts";
import type { Room } from "./room.ts";
import type { Message } from "./shapes.ts";
import { asReplied } from "./world.ts";
import type { Content } from "./world.ts";

/** The cloud server's limits for uploads. */
const MAX_PHOTO = 10 * 1024 * 1024;
const MAX_FILE = 50 * 1024 * 1024;
const MAX_QUOTE = 1024;

const ACTIONS = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "record_audio",
  "upload_audio",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
]);

export const sendMessage: Method = (call) => {
  const { params } = call;
  const room = openChatOf(call);
  refuseParseMode(call);
  const formatted = formatText(params.string("text"), params.json("entities"), "text", call.complain);
  return post(call, room, {
    text: formatted.text,
    ...(formatted.entities.length === 0 ? {} : { entities: formatted.entities }),
    ...(params.has("link_preview_options")
      ? { link_preview_options: params.json("link_preview_options") }
      : {}),
  });
};

export const sendDocument: Method = (call) => sendFile(call, "document");
export const sendPhoto: Method = (call) => sendFile(call, "photo");

export const sendChatAction: Method = (call) => {
  const { params, world } = call;
  const room = openChatOf(call);
  const action = params.string("action").toLowerCase();
  if (!ACTIONS.has(action)) throw badRequest("wrong parameter action in request");
  room.act(action, params.integer("message_thread_id"));
  world.changed({ kind: "action", chatId: room.chat.id });
  return true;
};

/** Throws the 400 for `parse_mode`: this server reads entities alone. */
export function refuseParseMode({ params }: MethodCall): void {
  if (params.has("parse_mode")) throw badRequest("unsupported parse_mode: this server takes entities only");
}

function sendFile(call: MethodCall, kind: "document" | "photo"): Message {
  const { params } = call;
  const room = openChatOf(call);
  refuseParseMode(call);
  const caption = formatText(
    params.string("caption"),
    params.json("caption_entities"),
    "caption",
    call.complain,
  );
  return post(call, room, {
    ...fileContent(call, kind),
    ...(caption.text === "" ? {} : { caption: caption.text }),
    ...(caption.entities.length === 0 ? {} : { caption_entities: caption.entities }),
  });
}

function fileContent({ params, world }: MethodCall, kind: "document" | "photo"): Content {
  const upload = params.upload(kind);
  if (upload === undefined) {
    if (!params.has(kind)) throw badRequest(`there is no ${kind} in the request`);
    const known = world.files.byId(params.string(kind));
    if (known === undefined) throw badRequest("wrong remote file identifier specified: Wrong string length");
    return kind === "photo" ? { photo: [known.shape] } : { document: known.shape };
  }
  const size = upload.bytes.length;
  if (size === 0) throw badRequest("file must be non-empty");
  if (size > MAX_FILE) throw new ApiError(413, "Request Entity Too Large");
  if (kind === "photo" && size > MAX_PHOTO) {
    throw badRequest(
      `file of size ${size} bytes is too big for a photo; the maximum size is ${MAX_PHOTO} bytes`,
    );
  }
  const mime = upload.type === "" ? {} : { mime: upload.type };
  return storeMedia(world, kind, upload.bytes, { name: upload.name, ...mime });
}

function post(call: MethodCall, room: Room, content: Content): Message {
  const { params, world } = call;
  const thread = params.integer("message_thread_id");
  const reply = readReply(call, room);
  const markup = readMarkup(call);
  const whole: Content = {
    from: world.bot,
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
    ...reply,
    ...content,
    ...(markup === undefined ? {} : { reply_markup: markup }),
  };
  return world.post(room, world.bot, whole, params.flag("disable_notification")).message;
}

function readReply({ params }: MethodCall, room: Room): Content {
  const given = params.json("reply_parameters");
  if (given !== undefined && !isRecord(given)) throw badRequest("object expected as reply parameters");
  const id = given === undefined ? params.integer("reply_to_message_id") : given["message_id"];
  if (id === undefined) return {};
  const target = typeof id === "number" ? room.find(id) : undefined;
  if (target === undefined) {
    const allowed =
      given === undefined
        ? params.flag("allow_sending_without_reply")
        : given["allow_sending_without_reply"] === true;
    if (allowed) return {};
    throw badRequest("message to be replied not found");
  }
  const quote = given?.["quote"];
  if (typeof quote !== "string" || quote === "") return { reply_to_message: asReplied(target.message) };
  const position = target.text.indexOf(quote);
  if (position < 0 || quote.length > MAX_QUOTE) throw badRequest("QUOTE_TEXT_INVALID");
  return { reply_to_message: asReplied(target.message), quote: { text: quote, position, is_manual: true } };
}
