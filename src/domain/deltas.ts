import type { SessionEvent } from "./events.ts";

/** The event of one delta. */
export type Delta = SessionEvent & { readonly type: "message_update" };

/** Deltas that wait to be folded, at the most: an answer that nobody looks at must not lie in memory a second time. */
export const MOST_DELTAS = 100;

/**
 * The deltas as few: those that go on one text as one, which bears the number and the time of the last of them. They
 * fold to the same transcript.
 */
export function joinDeltas(deltas: readonly Delta[]): readonly Delta[] {
  const joined: Delta[] = [];
  let texts: string[] = [];
  deltas.forEach((last, at) => {
    texts.push(last.delta.text);
    const next = deltas[at + 1];
    if (next !== undefined && goesOn(last, next)) return;
    const first = deltas[at + 1 - texts.length] ?? last;
    joined.push({ ...last, delta: { ...first.delta, text: texts.join("") } });
    texts = [];
  });
  return joined;
}

function goesOn({ key, delta }: Delta, next: Delta): boolean {
  return (
    next.key === key &&
    next.delta.contentIndex === delta.contentIndex &&
    next.delta.kind === delta.kind &&
    next.delta.toolCall === undefined
  );
}
