/** A range of a message's text with a look of its own. Offsets and lengths are UTF-16 units, as in the Bot API. */
export type Entity =
  | { readonly type: PlainEntityType; readonly offset: number; readonly length: number }
  | {
      readonly type: "pre";
      readonly offset: number;
      readonly length: number;
      readonly language?: string;
      readonly table?: TableShape;
    }
  | { readonly type: "text_link"; readonly offset: number; readonly length: number; readonly url: string };

/** How a table is cut into pages. A page has none: Telegram knows no tables. */
export interface TableShape {
  /** The first lines, which each page repeats on which the table goes on. */
  readonly head: string;
  /** Where rows begin, counted from the entity's start. */
  readonly rows: readonly number[];
  /** The table's beginning, its head at least, was cut off. */
  readonly goesOn?: true;
}

/** The entities that are nothing but a range. */
export type PlainEntityType = "bold" | "italic" | "strikethrough" | "spoiler" | "blockquote" | "code";

/**
 * What Telegram shows as one message, or a longer text before it is cut into pages. The entities are sorted by
 * offset, outer ones first; each lies in the text, and of two that overlap one contains the other.
 */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/*
 * White space, controls, format characters (zero-width, bidi, soft hyphen), combining marks, what Unicode lets a
 * font ignore (Hangul fillers among them), the empty braille pattern and the object replacement character.
 */
const invisible = /^[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800\ufffc]*$/u;

/** Whether a reader would see nothing. Telegram refuses such a message. */
export function isBlank({ text }: Pick<FormattedText, "text">): boolean {
  return invisible.test(text);
}

/** A part of the text, from one offset to another, with the entities that lie in it; those that reach beyond are cut. */
export function sliceFormatted({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  const kept: Entity[] = [];
  for (const entity of entities) {
    const start = Math.max(entity.offset, from);
    const end = Math.min(entity.offset + entity.length, to);
    if (end <= start) continue;
    const table = entity.type === "pre" ? cutTable(entity.table, start - entity.offset) : undefined;
    kept.push({
      ...entity,
      offset: start - from,
      length: end - start,
      ...(table === undefined ? {} : { table }),
    });
  }
  return { text: text.slice(from, to), entities: kept };
}

/** The shape of a table without its first units. One that was cut in its head repeats none. */
function cutTable(table: TableShape | undefined, units: number): TableShape | undefined {
  if (table === undefined || units === 0) return table;
  const rows = table.rows.map((row) => row - units).filter((row) => row >= 0);
  const isWhole = table.goesOn === true || units >= table.head.length;
  return { head: isWhole ? table.head : "", rows, goesOn: true };
}

/** Texts one behind another, with nothing between them. */
export function concatFormatted(parts: readonly FormattedText[]): FormattedText {
  const entities: Entity[] = [];
  let text = "";
  for (const part of parts) {
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + text.length });
    text += part.text;
  }
  return { text, entities };
}

/** One text behind another, with nothing between them. */
export function joinFormatted(first: FormattedText, second: FormattedText): FormattedText {
  return concatFormatted([first, second]);
}

export function equalFormatted(a: FormattedText, b: FormattedText): boolean {
  return (
    a.text === b.text &&
    a.entities.length === b.entities.length &&
    a.entities.every((entity, at) => equalEntities(entity, b.entities[at]))
  );
}

function equalEntities(a: Entity, b: Entity | undefined): boolean {
  return (
    b !== undefined &&
    a.type === b.type &&
    a.offset === b.offset &&
    a.length === b.length &&
    (a.type === "text_link" ? a.url : undefined) === (b.type === "text_link" ? b.url : undefined) &&
    (a.type === "pre" ? a.language : undefined) === (b.type === "pre" ? b.language : undefined)
  );
}
