import type { SessionEvent } from "./events.ts";

/** A piece of a message that is being written. */
export type Piece = SessionEvent & { readonly type: "message_update" };

/** Pieces that wait to be folded, at the most: an answer that nobody looks at must not lie in memory a second time. */
export const MOST_PIECES = 100;

/**
 * The pieces as few: those that go on one text in one piece, which bears the number and the time of the last of them.
 * They fold to the same transcript.
 */
export function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  let texts: string[] = [];
  pieces.forEach((piece, at) => {
    texts.push(piece.delta.text);
    const next = pieces[at + 1];
    if (next !== undefined && goesOn(piece, next)) return;
    const first = pieces[at + 1 - texts.length] ?? piece;
    joined.push({ ...piece, delta: { ...first.delta, text: texts.join("") } });
    texts = [];
  });
  return joined;
}

function goesOn({ key, delta }: Piece, next: Piece): boolean {
  return (
    next.key === key &&
    next.delta.contentIndex === delta.contentIndex &&
    next.delta.kind === delta.kind &&
    next.delta.toolCall === undefined
  );
}
