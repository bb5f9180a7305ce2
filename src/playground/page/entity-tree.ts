import type { MessageEntity } from "../bot-api/shapes.ts";

/** A formatted text as a tree: entities inside of entities, and plain text. */
export type Piece = string | { readonly entity: MessageEntity; readonly pieces: readonly Piece[] };

/** Entities that stand on lines of their own. */
const BLOCKS = new Set(["pre", "blockquote", "expandable_blockquote"]);

/**
 * Nests the entities of a text. One that crosses the end of another is cut there; the line breaks that set a block
 * apart are taken out, since the block does that.
 */
export function entityTree(text: string, entities: readonly MessageEntity[]): readonly Piece[] {
  const sorted = entities
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  return withoutBreaks(pieces(text, sorted, 0, text.length));
}

function pieces(text: string, sorted: readonly MessageEntity[], from: number, to: number): readonly Piece[] {
  const found: Piece[] = [];
  let at = from;
  let rest = sorted;
  while (rest.length > 0) {
    const [entity, ...others] = rest;
    if (entity === undefined || entity.offset >= to) break;
    const start = Math.max(at, entity.offset);
    const end = Math.min(to, entity.offset + entity.length);
    const inside = others.filter(({ offset }) => offset < end);
    rest = others.filter(({ offset, length }) => offset + length > end);
    if (end <= start) continue;
    if (start > at) found.push(text.slice(at, start));
    found.push({ entity, pieces: pieces(text, inside, start, end) });
    at = end;
  }
  if (at < to) found.push(text.slice(at, to));
  return found;
}

function withoutBreaks(found: readonly Piece[]): readonly Piece[] {
  return found.flatMap((piece, index): readonly Piece[] => {
    if (typeof piece !== "string") return [piece];
    let text = piece;
    if (isBlock(found[index - 1])) text = text.replace(/^\n/, "");
    if (isBlock(found[index + 1])) text = text.replace(/\n$/, "");
    return text === "" ? [] : [text];
  });
}

function isBlock(piece: Piece | undefined): boolean {
  return typeof piece === "object" && BLOCKS.has(piece.entity.type);
}

/** The text of a piece, without its formatting. */
export function plain(piece: Piece): string {
  return typeof piece === "string" ? piece : piece.pieces.map(plain).join("");
}
