import { badRequest } from "./errors.ts";
import { checkLink, mentionedUser } from "./link-check.ts";
import { isRecord } from "./params.ts";
import type { MessageEntity } from "./shapes.ts";

const GIVEN = new Set([
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "blockquote",
  "expandable_blockquote",
  "code",
  "pre",
  "text_link",
  "text_mention",
  "custom_emoji",
  "date_time",
]);

/** What the server finds by itself: it takes these from nobody and says nothing. */
const FOUND = new Set([
  "mention",
  "hashtag",
  "cashtag",
  "bot_command",
  "url",
  "email",
  "phone_number",
  "bank_card_number",
]);

/**
 * Reads the `entities` of a call against its text as it was sent. Throws a 400 in Telegram's words for what is
 * no entity, for one of an unknown type and for one that does not lie in the text or cuts a surrogate pair. An
 * empty entity is refused too, though Telegram drops it: it is always a mistake of the sender.
 */
export function readEntities(
  value: unknown,
  text: string,
  complain: (what: string) => void,
): readonly MessageEntity[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw badRequest("can't parse entities: expected an Array of MessageEntity");
  const entities: MessageEntity[] = [];
  for (const item of value as readonly unknown[]) {
    const entity = readEntity(item, complain);
    if (entity === undefined) continue;
    checkPlace(entity, text);
    entities.push(entity);
  }
  return entities;
}

function readEntity(item: unknown, complain: (what: string) => void): MessageEntity | undefined {
  const wrong = (why: string): Error => badRequest(`can't parse MessageEntity: ${why}`);
  if (!isRecord(item)) throw wrong("expected an Object");
  const number = (name: "offset" | "length"): number => {
    const value = item[name];
    if (value === undefined) throw wrong(`Can't find field "${name}"`);
    if (typeof value !== "number" || !Number.isInteger(value))
      throw wrong(`Field "${name}" must be of type Number`);
    return value;
  };
  const base = { offset: number("offset"), length: number("length") };
  const type = item["type"];
  if (typeof type !== "string") throw wrong('Can\'t find field "type"');
  if (FOUND.has(type)) {
    complain(`a ${type} entity is ignored: the server finds it by itself`);
    return undefined;
  }
  if (!GIVEN.has(type)) throw wrong("Unsupported type specified");

  if (type === "text_link") return readLink(item["url"], base, complain);
  if (type === "pre" && typeof item["language"] === "string" && item["language"] !== "") {
    return { type, ...base, language: item["language"] };
  }
  if (type === "custom_emoji") {
    if (typeof item["custom_emoji_id"] !== "string")
      throw badRequest("invalid custom emoji identifier specified");
    return { type, ...base, custom_emoji_id: item["custom_emoji_id"] };
  }
  if (type === "date_time" && typeof item["unix_time"] === "number") {
    return { type, ...base, unix_time: item["unix_time"] };
  }
  return { type, ...base };
}

function readLink(
  url: unknown,
  base: { readonly offset: number; readonly length: number },
  complain: (what: string) => void,
): MessageEntity {
  if (url === undefined) throw badRequest("can't parse MessageEntity: Can't find field \"url\"");
  if (typeof url !== "string")
    throw badRequest('can\'t parse MessageEntity: Field "url" must be of type String');
  const id = mentionedUser(url);
  if (id !== undefined) {
    return { type: "text_mention", ...base, user: { id, is_bot: false, first_name: String(id) } };
  }
  const stored = checkLink(url);
  if (/^mailto:/i.test(url)) complain(`a mail address is no link: ${url} becomes ${stored}`);
  return { type: "text_link", ...base, url: stored };
}

function checkPlace({ offset, length }: MessageEntity, text: string): void {
  const end = offset + length;
  if (offset < 0) throw badRequest(`receive an entity with incorrect offset ${offset}`);
  if (length <= 0) throw badRequest(`receive an entity with incorrect length ${length}`);
  if (offset > text.length) {
    throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
  }
  if (cutsPair(text, offset)) {
    throw badRequest(
      `entity begins in a middle of a UTF-16 symbol at byte offset ${bytesBefore(text, offset + 1)}`,
    );
  }
  if (end > text.length) {
    const place = `ends after the end of the text at UTF-16 offset ${end}`;
    throw badRequest(`entity beginning at UTF-16 offset ${offset} ${place}`);
  }
  if (cutsPair(text, end)) {
    const place = `ends in a middle of a UTF-16 symbol at byte offset ${bytesBefore(text, end + 1)}`;
    throw badRequest(`entity beginning at UTF-16 offset ${offset} ${place}`);
  }
}

function cutsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

function bytesBefore(text: string, end: number): number {
  return Buffer.byteLength(text.slice(0, end), "utf8");
}
