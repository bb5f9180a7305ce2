import type { Entity, FormattedText, TableShape } from "./entities.ts";

/**
 * What a page repeats that begins at `start`, with the end of its line: the head of the table that goes on there, if it
 * is no longer than `most`. Empty where none does.
 */
export function repeatedHead({ entities }: FormattedText, start: number, most: number): string {
  for (const entity of entities) {
    const table = tableOf(entity);
    const inside = start - entity.offset;
    if (table === undefined || inside < 0 || inside >= entity.length) continue;
    const goesOn = table.goesOn === true || (inside > 0 && inside >= table.head.length);
    return goesOn && table.head !== "" && table.head.length < most ? `${table.head}\n` : "";
  }
  return "";
}

/** A page with a table's head in front, as a part of what it begins with. What a table looks like is settled then. */
export function withHead({ text, entities }: FormattedText, head: string): FormattedText {
  const pieces = entities.map((entity): Entity => {
    const { offset, length } = entity;
    // The table, and the quote around it, begin with the head.
    const moved =
      offset === 0 ? { offset, length: length + head.length } : { offset: offset + head.length, length };
    if (entity.type !== "pre") return { ...entity, ...moved };
    const { type, language } = entity;
    return { type, ...moved, ...(language === undefined ? {} : { language }) };
  });
  return { text: head + text, entities: pieces };
}

/** Where the last row of a table begins that a page up to `reach` has no room for, if that is behind `least`. */
export function rowCut(entity: Entity, least: number, reach: number): number | undefined {
  const start = tableOf(entity)?.rows.findLast((row) => entity.offset + row - 1 <= reach);
  if (start === undefined) return undefined;
  const cut = entity.offset + start - 1;
  return cut > least ? cut : undefined;
}

function tableOf(entity: Entity): TableShape | undefined {
  return entity.type === "pre" ? entity.table : undefined;
}
