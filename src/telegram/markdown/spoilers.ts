import type { PhrasingContent, Text } from "mdast";

/** Neighbours in a paragraph, cut at the `||` that hide and show them. */
export interface Piece {
  readonly type: "plain" | "spoiler";
  readonly nodes: readonly PhrasingContent[];
}

type Token =
  | { readonly type: "node"; readonly node: PhrasingContent }
  | { readonly type: "marker"; readonly opens: boolean; readonly closes: boolean };

/**
 * Finds `||hidden||`, also around other markdown. As with emphasis, the markers touch what they hide and stand at
 * a word's edge, so that `a || b || c` and `x||y||z` stay what a programmer meant. Code holds no markers.
 */
export function splitSpoilers(nodes: readonly PhrasingContent[], open: boolean): readonly Piece[] {
  if (!nodes.some((node) => node.type === "text" && node.value.includes("||"))) {
    return [{ type: "plain", nodes }];
  }
  const tokens = nodes.flatMap((node): readonly Token[] =>
    node.type === "text" ? tokenize(node) : [{ type: "node", node }],
  );
  const pieces: Piece[] = [];
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    if (token === undefined) break;
    const end = token.type === "marker" && token.opens ? closing(tokens, at, open) : -1;
    if (end === -1) {
      pieces.push({ type: "plain", nodes: [nodeOf(token)] });
      at += 1;
    } else {
      pieces.push({ type: "spoiler", nodes: tokens.slice(at + 1, end).map(nodeOf) });
      at = end + 1;
    }
  }
  return pieces;
}

function closing(tokens: readonly Token[], from: number, open: boolean): number {
  const end = tokens.findIndex((token, at) => at > from + 1 && token.type === "marker" && token.closes);
  return end === -1 && open && from + 1 < tokens.length ? tokens.length : end;
}

function nodeOf(token: Token): PhrasingContent {
  return token.type === "node" ? token.node : { type: "text", value: "||" };
}

function tokenize({ value }: Text): readonly Token[] {
  const tokens: Token[] = [];
  let done = 0;
  for (const { index } of value.matchAll(/\|\|/g)) {
    if (index > done) tokens.push(textToken(value.slice(done, index)));
    const before = value.charAt(index - 1);
    const after = value.charAt(index + 2);
    tokens.push({
      type: "marker",
      opens: !/[\w)\]]/.test(before) && !/\s/.test(after),
      closes: !/\s/.test(before) && !/[\w([]/.test(after),
    });
    done = index + 2;
  }
  if (done < value.length) tokens.push(textToken(value.slice(done)));
  return tokens;
}

function textToken(value: string): Token {
  return { type: "node", node: { type: "text", value } };
}
