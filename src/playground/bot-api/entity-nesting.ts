import type { MessageEntity } from "./shapes.ts";

/** What can be cut in two and still looks the same. */
const SPLITTABLE = ["bold", "italic", "underline", "strikethrough", "spoiler"];
const QUOTES = ["blockquote", "expandable_blockquote"];
const CODE = ["pre", "code"];

/** The most entities that the server keeps. */
const MAX_ENTITIES = 100;

const endOf = (entity: MessageEntity): number => entity.offset + entity.length;
const nameOf = (entity: MessageEntity): string => `${entity.type} ${entity.offset}+${entity.length}`;

/**
 * Puts entities in the order and the nesting in which the server keeps them, as TDLib's `fix_entities` does:
 * sorted; code, links and quotes never cross; bold and its like are cut where another entity begins or ends, and
 * do not exist inside code. Says in `complain` what was wrong, which excludes mere nesting.
 */
export function settleEntities(
  entities: readonly MessageEntity[],
  complain: (what: string) => void,
): readonly MessageEntity[] {
  const sorted = inOrder(entities);
  noteCrossings(sorted, complain);
  const whole = (types: readonly string[]): MessageEntity[] =>
    sorted.filter((entity) => types.includes(entity.type));
  const quotes = dropOverlaps(whole(QUOTES), complain);
  const solid = dropOverlaps(
    sorted.filter((entity) => !SPLITTABLE.includes(entity.type) && !QUOTES.includes(entity.type)),
    complain,
  ).filter((entity) => {
    const crossed = quotes.find((quote) => overlap(quote, entity) && !contains(quote, entity));
    if (crossed !== undefined)
      complain(`${nameOf(entity)} is dropped: it does not lie within ${nameOf(crossed)}`);
    return crossed === undefined;
  });
  const others = inOrder([...quotes, ...solid]);
  return inOrder([...others, ...cutSplittable(whole(SPLITTABLE), others, complain)]);
}

/**
 * Keeps the first hundred: links, code and quotes before bold and its like, and what was cut of these only because
 * another entity lies between, as one again. That is how the server counts them.
 */
export function limitEntities(
  entities: readonly MessageEntity[],
  complain: (what: string) => void,
): readonly MessageEntity[] {
  const first = entities.filter((entity) => !SPLITTABLE.includes(entity.type));
  const second = inOrder(
    cutSplittable(
      entities.filter((entity) => SPLITTABLE.includes(entity.type)),
      [],
      complain,
    ),
  );
  const count = first.length + second.length;
  if (count <= MAX_ENTITIES) return entities;
  complain(`${count} entities, of which only ${MAX_ENTITIES} are kept`);
  return settleEntities([...first, ...second].slice(0, MAX_ENTITIES), () => undefined);
}

function inOrder(entities: readonly MessageEntity[]): MessageEntity[] {
  const rank = ({ type }: MessageEntity): number =>
    QUOTES.includes(type)
      ? 0
      : CODE.includes(type)
        ? 10
        : SPLITTABLE.includes(type)
          ? 90 + SPLITTABLE.indexOf(type)
          : 50;
  return entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length || rank(a) - rank(b));
}

function overlap(a: MessageEntity, b: MessageEntity): boolean {
  return a.offset < endOf(b) && b.offset < endOf(a);
}

function contains(outer: MessageEntity, inner: MessageEntity): boolean {
  return outer.offset <= inner.offset && endOf(inner) <= endOf(outer);
}

function noteCrossings(sorted: readonly MessageEntity[], complain: (what: string) => void): void {
  sorted.forEach((first, index) => {
    for (const second of sorted.slice(index + 1)) {
      if (!overlap(first, second)) continue;
      if (!contains(first, second)) complain(`${nameOf(first)} crosses ${nameOf(second)}`);
      else if (first.type === second.type) complain(`${nameOf(second)} lies within ${nameOf(first)}`);
    }
  });
}

function dropOverlaps(sorted: readonly MessageEntity[], complain: (what: string) => void): MessageEntity[] {
  const kept: MessageEntity[] = [];
  for (const entity of sorted) {
    const last = kept.at(-1);
    if (last === undefined || entity.offset >= endOf(last)) kept.push(entity);
    else complain(`${nameOf(entity)} is dropped: it overlaps ${nameOf(last)}`);
  }
  return kept;
}

function cutSplittable(
  sorted: readonly MessageEntity[],
  others: readonly MessageEntity[],
  complain: (what: string) => void,
): MessageEntity[] {
  const pieces: MessageEntity[] = [];
  const open = new Map<string, { begin: number; end: number }>();
  let next = 0;

  const flush = (upTo: number): void => {
    for (const type of SPLITTABLE) {
      const range = open.get(type);
      if (range === undefined || range.begin >= upTo) continue;
      const end = Math.min(range.end, upTo);
      pieces.push({ type, offset: range.begin, length: end - range.begin });
      if (range.end <= upTo) open.delete(type);
      else range.begin = upTo;
    }
  };
  const advance = (upTo: number): void => {
    for (let entity = sorted[next]; entity !== undefined && entity.offset < upTo; entity = sorted[next]) {
      next += 1;
      const range = open.get(entity.type);
      if (range !== undefined && entity.offset <= range.end) range.end = Math.max(range.end, endOf(entity));
      else {
        flush(entity.offset);
        open.set(entity.type, { begin: entity.offset, end: endOf(entity) });
      }
    }
    flush(upTo);
  };

  const around: MessageEntity[] = [];
  const leaveUpTo = (offset: number): void => {
    for (let inner = around.at(-1); inner !== undefined && endOf(inner) <= offset; inner = around.at(-1)) {
      const before = pieces.length;
      advance(endOf(inner));
      if (CODE.includes(inner.type)) {
        for (const lost of pieces.splice(before))
          complain(`${nameOf(lost)} is dropped: it lies within ${nameOf(inner)}`);
      }
      around.pop();
    }
    advance(offset);
  };
  for (const other of others) {
    leaveUpTo(other.offset);
    around.push(other);
  }
  leaveUpTo(Infinity);
  return pieces;
}
