import { isDeepStrictEqual } from "node:util";
import type { Message, Update, User } from "grammy/types";
import { listOf, type Loose, loose } from "./loose.ts";

/** Formatting whose change changes what is said: where a link leads, who is meant, what is struck out. */
const TELLING: ReadonlySet<unknown> = new Set(["text_link", "text_mention", "strikethrough"]);

interface Formatting {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url: string;
  readonly user: User;
}

/** Tells whether two updates of one message say the same to a person who reads them. Emphasis is no news. */
export function saysTheSame(before: Update, after: Update): boolean {
  return isDeepStrictEqual(saidBy(before), saidBy(after));
}

function saidBy(update: Update): readonly unknown[] {
  const { message, edited_message: edited } = loose<Update>(update);
  const {
    text,
    caption,
    entities,
    caption_entities,
    rich_message: rich,
  }: Loose<Message> = loose(edited ?? message);
  const telling = listOf(entities ?? caption_entities).flatMap((entity) => {
    const { type, offset, length, url, user } = loose<Formatting>(entity);
    return TELLING.has(type) ? [[type, offset, length, url, loose<User>(user).id]] : [];
  });
  return [text ?? caption, telling, rich];
}
