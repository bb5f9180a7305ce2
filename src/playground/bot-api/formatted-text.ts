import { readEntities } from "./entity-input.ts";
import { limitEntities, settleEntities } from "./entity-nesting.ts";
import { badRequest } from "./errors.ts";
import { MAX_TEXT } from "./paste.ts";
import type { MessageEntity } from "./shapes.ts";

/** More than this, in bytes, is refused before anybody looks at it. */
const MAX_BYTES = 1 << 15;

/** Telegram's limit for a caption, in UTF-16 units. */
const MAX_CAPTION = 1024;

/** Separators of lines and paragraphs, embeddings of direction and marks of Zalgo text: the server removes these. */
const REMOVED = "\r\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u0333\u033f\u030a";
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const BECOMES_SPACE = /[\u0000-\u0009\u000b\u000c\u000e-\u001f]/;
const INVISIBLE = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

/**
 * Makes of a text and its entities what the server keeps: control characters are spaces, the ends are trimmed,
 * entities move along and nest. Throws Telegram's 400 for an empty or too long text and for bad entities.
 */
export function formatText(
  text: string,
  entities: unknown,
  kind: "text" | "caption",
  complain: (what: string) => void,
): FormattedText {
  if (Buffer.byteLength(text, "utf8") > MAX_BYTES) throw badRequest("text is too long");
  if (kind === "text" && text === "") throw badRequest("message text is empty");
  const read = readEntities(entities, text, complain);
  const cleaned = clean(text, settleEntities(read, complain));
  const trimmed = trim(cleaned);
  if (INVISIBLE.test(trimmed.text)) {
    if (kind === "text") throw badRequest("text must be non-empty");
    return { text: "", entities: [] };
  }
  if (kind === "text" && trimmed.text.length > MAX_TEXT) throw badRequest("message is too long");
  if (kind === "caption" && trimmed.text.length > MAX_CAPTION)
    throw badRequest("message caption is too long");
  // Nothing new can be wrong the second time: what was lost in between only brought entities together.
  const settled = settleEntities(trimmed.entities, () => undefined);
  return { text: trimmed.text, entities: limitEntities(settled, complain) };
}

function clean(text: string, entities: readonly MessageEntity[]): FormattedText {
  let result = "";
  const placed: number[] = [];
  for (const unit of text.split("")) {
    placed.push(result.length);
    if (!REMOVED.includes(unit)) result += BECOMES_SPACE.test(unit) ? " " : unit;
  }
  placed.push(result.length);
  const at = (place: number): number => placed[place] ?? result.length;
  return {
    text: result,
    entities: entities.map((entity) => between(entity, at(entity.offset), at(entity.offset + entity.length))),
  };
}

function trim({ text, entities }: FormattedText): FormattedText {
  const end = text.replace(/[ \n]+$/, "").length;
  const start = Math.min(end, text.length - text.replace(/^[ \n]+/, "").length);
  const moved: MessageEntity[] = [];
  for (const entity of entities) {
    const last = Math.min(entity.offset + entity.length, end);
    let first = entity.offset;
    while (first < last && (text[first] === " " || text[first] === "\n")) first += 1;
    if (first < last) moved.push(between(entity, first - start, last - start));
  }
  return { text: text.slice(start, end), entities: moved };
}

function between(entity: MessageEntity, start: number, end: number): MessageEntity {
  return { ...entity, offset: start, length: end - start };
}
