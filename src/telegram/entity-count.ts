import type { Entity } from "./entities.ts";

/** What Telegram cuts into pieces where another entity begins, and where a link, code or a quote inside it ends. */
const splittable: ReadonlySet<Entity["type"]> = new Set(["bold", "italic", "strikethrough", "spoiler"]);

/** How many entities Telegram makes of these. Bold text with a link in its middle counts as four: three pieces and the link. */
export function countEntities(entities: readonly Entity[]): number {
  let count = entities.length;
  for (const at of borders(entities, 0)) count += entities.filter((entity) => isCutAt(entity, at)).length;
  return count;
}

/**
 * Where, from `start` on, the first entity too many begins; `end` where none does. Those that all begin at the start
 * cannot be parted.
 */
export function entityReach(entities: readonly Entity[], start: number, end: number, limit: number): number {
  const inside = entities.filter((entity) => endOf(entity) > start && entity.offset < end);
  let count = inside.filter(({ offset }) => offset <= start).length;
  for (const at of borders(inside, start)) {
    if (at >= end) break;
    for (const entity of inside) {
      if (entity.offset > at) break;
      if (entity.offset === at || isCutAt(entity, at)) count += 1;
    }
    if (count > limit) return at;
  }
  return end;
}

/** Where entities behind `start` begin, and where those end that cut others; in order. */
function borders(entities: readonly Entity[], start: number): readonly number[] {
  const places = new Set<number>();
  for (const entity of entities) {
    if (entity.offset > start) places.add(entity.offset);
    if (!splittable.has(entity.type)) places.add(endOf(entity));
  }
  return [...places].toSorted((a, b) => a - b);
}

function isCutAt(entity: Entity, at: number): boolean {
  return splittable.has(entity.type) && entity.offset < at && endOf(entity) > at;
}

function endOf({ offset, length }: Entity): number {
  return offset + length;
}
