import type { ShownMessage } from "./bot-api.ts";
import type { Message, User } from "./shapes.ts";

/** A message in a chat, with what the chat's owner may do to it. */
export interface Entry extends ShownMessage {
  replace(message: Message, at: number): void;
  remove(at: number): void;
  react(emoji: string | undefined): void;
}

export function createEntry(
  first: Message,
  about: {
    readonly author: User;
    readonly at: number;
    readonly silent: boolean;
    readonly file: (fileId: string) => Uint8Array | undefined;
  },
): Entry {
  let message = first;
  let deletedAt: number | undefined;
  let reaction: string | undefined;
  const edits: { at: number; before: Message }[] = [];
  return {
    id: first.message_id,
    authorId: about.author.id,
    byBot: about.author.is_bot,
    at: about.at,
    silent: about.silent,
    edits,
    get message() {
      return message;
    },
    get text() {
      return message.text ?? message.caption ?? "";
    },
    get entities() {
      return message.entities ?? message.caption_entities ?? [];
    },
    get buttons() {
      return (message.reply_markup?.inline_keyboard ?? []).map((row) =>
        row.map(({ text, callback_data, url }) => ({
          text,
          ...(callback_data === undefined ? {} : { data: callback_data }),
          ...(url === undefined ? {} : { url }),
        })),
      );
    },
    get deletedAt() {
      return deletedAt;
    },
    get reaction() {
      return reaction;
    },
    get file() {
      const { photo, document, audio, video, voice, animation } = message;
      const shape = photo?.at(-1) ?? document ?? audio ?? video ?? voice ?? animation;
      return shape === undefined ? undefined : about.file(shape.file_id);
    },
    replace(next, at) {
      edits.push({ at, before: message });
      message = next;
    },
    remove(at) {
      deletedAt = at;
    },
    react(emoji) {
      reaction = emoji;
    },
  };
}
