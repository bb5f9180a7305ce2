import type { MarkedExtension, Tokens } from "marked";
import { numberBehind, type Numbered } from "../../domain/markdown/numbers.ts";

type Renderer = NonNullable<MarkedExtension["renderer"]>;

/** A host with braces, a dollar sign or a star is a template's, and leads nowhere. */
const SAFE_LINK = /^(?:https?:\/\/[^\s/?#{}$*]+(?:[/?#]|$)|mailto:)/i;

/** Data in an address says nothing to a reader. */
const LONGEST_DATA = 60;

/** How each block and each part of a line becomes HTML. */
export const html: Renderer = {
  image: ({ href, text }) =>
    anchor(href, text === "" ? "" : `🖼 ${text}`, escape(text === "" ? "" : `🖼 ${text}`)),
  link({ href, text, tokens }) {
    return anchor(href, text, this.parser.parseInline(tokens));
  },
  code: ({ text, lang = "" }) => {
    const name = /^[\w#+.-]{1,24}/.exec(lang)?.[0] ?? "";
    // A fence without code may hold its only line behind the backticks.
    return text.trim() === "" && lang !== name ? codeBlock(lang, "") : codeBlock(text, name);
  },
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
  def: ({ raw, href }) => {
    const at = raw.indexOf(href);
    if (href === "" || at === -1) return `<p>${escape(raw)}</p>\n`;
    const behind = raw.slice(at + href.length);
    return `<p>${escape(raw.slice(0, at))}${anchor(href, href, escape(href))}${escape(behind)}</p>\n`;
  },
  list(token) {
    const name = token.ordered ? "ol" : "ul";
    const numbers = token.ordered ? numbersOf(token.items) : [];
    const items = token.items.map((item, at) => {
      const how = token.ordered ? valueOf(numbers, at) : item.task ? ' class="task"' : "";
      return `<li${how}>${this.parser.parse(item.tokens)}</li>\n`;
    });
    const how = token.ordered && /^\s*\d+\)/.test(token.raw) ? ' class="parens"' : "";
    return `<${name}${how}>\n${items.join("")}</${name}>\n`;
  },
  // The words of an item, which keep their line breaks.
  text(token) {
    if (token.type !== "text" || token.tokens === undefined) return false;
    return `<span class="words">${this.parser.parseInline(token.tokens)}</span>`;
  },
};

function numbersOf(items: readonly Tokens.ListItem[]): readonly Numbered[] {
  const numbers: Numbered[] = [];
  for (const { raw } of items) {
    numbers.push(numberBehind(numbers.at(-1), Number.parseInt(raw.trimStart(), 10)));
  }
  return numbers;
}

/** An item that does not simply count on says its number. */
function valueOf(numbers: readonly Numbered[], at: number): string {
  const shown = numbers[at]?.shown ?? 0;
  return shown === (numbers[at - 1]?.shown ?? 0) + 1 ? "" : ` value="${shown}"`;
}

/**
 * A link to the web or to mail, with nothing handed on. Anything else is its words with the target behind them, unless
 * they say it already; a section of the same text is its words.
 */
function anchor(href: string, words: string, inside: string): string {
  if (SAFE_LINK.test(href)) {
    const where = escape(href);
    return `<a href="${where}" target="_blank" rel="noopener noreferrer" title="${where}">${inside || where}</a>`;
  }
  if (href.startsWith("#") || words.includes(href)) return inside;
  const shown = /^data:/i.test(href) && href.length > LONGEST_DATA ? `${href.slice(0, LONGEST_DATA)}…` : href;
  return inside === "" ? escape(shown) : `${inside} (${escape(shown)})`;
}

/** The button is pressed by whoever shows the block: HTML has no hands. */
function codeBlock(code: string, name: string): string {
  return (
    `<figure class="code-block"><figcaption><span>${escape(name)}</span>` +
    `<button type="button" class="copy" data-copy aria-label="Copy the code">Copy</button></figcaption>` +
    `<pre tabindex="0"><code>${escape(code)}</code></pre></figure>`
  );
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
