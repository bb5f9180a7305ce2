import { Marked, type Token, type TokensList } from "marked";
import { endOfAddress } from "../domain/address.ts";

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

/** A host with braces, a dollar sign or a star is a template's, and leads nowhere. */
const SAFE_LINK = /^(?:https?:\/\/[^\s/?#{}$*]+(?:[/?#]|$)|mailto:)/i;

/** `clean` is the last gate for each block of HTML, whatever the renderer let through. */
export function createMarkdown(clean: (html: string) => string): Markdown {
  const marked = new Marked({
    gfm: true,
    tokenizer: {
      url(text) {
        const end = endOfAddress(text, 0);
        if (end === undefined) return undefined;
        const raw = text.slice(0, end);
        const href = /^www\./i.test(raw) ? `http://${raw}` : raw;
        return {
          type: "link",
          raw,
          text: raw,
          href,
          tokens: [{ type: "text", raw, text: raw, escaped: false }],
        };
      },
    },
    renderer: {
      html: ({ text }) => escape(text),
      image: ({ href, text }) => anchor(href, `picture: ${escape(text === "" ? href : text)}`),
      link({ href, tokens }) {
        return anchor(href, this.parser.parseInline(tokens));
      },
      code: ({ text, lang }) => codeBlock(text, lang ?? ""),
      table(token) {
        const rows = [token.header, ...token.rows].map((cells, row) => {
          const inside = cells.map(({ tokens, align }) => {
            const name = row === 0 ? "th" : "td";
            const how = align === null ? "" : ` align="${align}"`;
            return `<${name}${how}>${this.parser.parseInline(tokens)}</${name}>`;
          });
          return `<tr>${inside.join("")}</tr>`;
        });
        return `<div class="table" tabindex="0"><table>${rows.join("")}</table></div>`;
      },
      checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    },
  });

  const htmlOf = (token: Token, links: TokensList["links"]): string =>
    clean(marked.parser(Object.assign([token], { links })));

  return {
    render: (text, before) => {
      const grows = before !== undefined && text.startsWith(before.text);
      const kept = grows ? before.blocks.slice(0, before.standing) : [];
      const keptText = grows ? before.standingText : 0;
      const tokens = marked.lexer(text.slice(keptText));
      const stand = standing(tokens);
      const blocks = [...kept];
      let standingBlocks = kept.length;
      let standingText = keptText;
      for (const [index, token] of tokens.entries()) {
        if (token.type !== "space" && token.type !== "def") blocks.push(htmlOf(token, tokens.links));
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

function anchor(href: string, inside: string): string {
  if (!SAFE_LINK.test(href)) return inside;
  return `<a href="${escape(href)}" target="_blank" rel="noopener noreferrer" title="${escape(href)}">${inside}</a>`;
}

/** The button is pressed by whoever shows the block: HTML has no hands. */
function codeBlock(code: string, language: string): string {
  const name = escape(/^\S{0,24}/.exec(language)?.[0] ?? "");
  return (
    `<figure class="code-block"><figcaption><span>${name}</span>` +
    `<button type="button" class="copy" data-copy aria-label="Copy the code">Copy</button></figcaption>` +
    `<pre tabindex="0"><code>${escape(code)}</code></pre></figure>`
  );
}

export function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
