import { Marked, type Token, type Tokens, type TokensList } from "marked";
import { html } from "./markdown/html.ts";
import { readInline } from "./markdown/inline.ts";
import { syntax } from "./markdown/syntax.ts";
import { widenTable } from "./markdown/table.ts";

/** Markdown that has been turned into HTML, block by block. */
export interface Rendered {
  readonly text: string;
  /** HTML of each block at the top level. A block that stands keeps its very string while the text grows. */
  readonly blocks: readonly string[];
  /** How many of the blocks stand, and how much of the text they are. */
  readonly standing: number;
  readonly standingText: number;
}

export interface Markdown {
  /**
   * Renders a text. Given what an earlier text, with which this one begins, was rendered to, it parses only what does
   * not stand yet. Raw HTML comes out as text, pictures as links, and links lead to http, https and mailto only.
   */
  render(text: string, before?: Rendered): Rendered;
}

/** `clean` is the last gate for each block of HTML, whatever the renderer let through. */
export function createMarkdown(clean: (html: string) => string): Markdown {
  const marked = new Marked({ gfm: true, tokenizer: syntax, renderer: html });

  const tokensOf = (text: string): TokensList => {
    const tokens = marked.lexer(text);
    void marked.walkTokens(tokens, (token) => {
      if (token.type === "table") readTable(token as Tokens.Table);
      else if (isWords(token)) token.tokens = readInline(token.tokens);
    });
    return tokens;
  };

  const readTable = (table: Tokens.Table): void => {
    widenTable(table, (text) => marked.Lexer.lexInline(text, marked.defaults));
    for (const cell of [table.header, ...table.rows].flat()) cell.tokens = readInline(cell.tokens);
  };

  const htmlOf = (token: Token, links: TokensList["links"]): string =>
    clean(marked.parser(Object.assign([token], { links })));

  return {
    render: (text, before) => {
      const grows = before !== undefined && text.startsWith(before.text);
      const kept = grows ? before.blocks.slice(0, before.standing) : [];
      const keptText = grows ? before.standingText : 0;
      const tokens = tokensOf(text.slice(keptText));
      const stand = standing(tokens);
      const blocks = [...kept];
      let standingBlocks = kept.length;
      let standingText = keptText;
      for (const [index, token] of tokens.entries()) {
        if (token.type !== "space") blocks.push(htmlOf(token, tokens.links));
        if (index >= stand) continue;
        standingBlocks = blocks.length;
        standingText += token.raw.length;
      }
      return { text, blocks, standing: standingBlocks, standingText };
    },
  };
}

/**
 * How many of the tokens no further text can change: all before the last blank line, once the first line after it is
 * whole. Before that, `2` may become the second item of the list above, and `-` the underline of a heading.
 */
function standing(tokens: readonly Token[]): number {
  for (let index = tokens.length - 1; index > 0; index -= 1) {
    const after = tokens.slice(index + 1);
    const firstLine = /\S[^\n]*\n/.test(after.map(({ raw }) => raw).join(""));
    if (tokens[index]?.type === "space" && firstLine) return index + 1;
  }
  return 0;
}

/** A block whose tokens are words, as opposed to further blocks. */
function isWords(
  token: Token,
): token is Tokens.Paragraph | Tokens.Heading | (Tokens.Text & { tokens: Token[] }) {
  return (
    ["paragraph", "heading", "text"].includes(token.type) && "tokens" in token && token.tokens !== undefined
  );
}
