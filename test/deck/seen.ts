/** What a browser shows of the deck's HTML, styles in braces as in the table of cases that both faces share. */
export function seen(html: string): string {
  const out = { text: "" };
  const lists: { ordered: boolean; parens: boolean; number: number }[] = [];
  let hidden = 0;
  const line = (): void => {
    if (/(?:^|\n|\{blockquote: |[•.)] )$/.test(out.text)) return;
    out.text = `${out.text.replace(/[^\S\n]*$/, "")}\n`;
  };
  for (const [whole, closing, name = "", attributes = ""] of html.matchAll(
    /<(\/?)([a-z]+\d?)([^>]*)>|[^<]+/g,
  )) {
    const isEnd = closing === "/";
    const style = styles[name];
    if (name === "") {
      if (hidden === 0 && !/^\s*\n\s*$/.test(whole)) out.text += decode(whole);
    } else if (name === "figcaption" || name === "button") {
      hidden += isEnd ? -1 : 1;
      if (name === "figcaption" && !isEnd) line();
    } else if (name === "pre") {
      const language = /<figcaption><span>([^<]*)<\/span>/.exec(html)?.[1] ?? "";
      out.text += isEnd ? "}\n" : `{pre${language === "" ? "" : ` ${language}`}: `;
    } else if (name === "code" && /\{pre[^}:]*: [^}]*$/.test(out.text)) {
      // The code of a block has no style of its own.
    } else if (name === "a") {
      out.text += isEnd ? "}" : `{text_link ${decode(/href="([^"]*)"/.exec(attributes)?.[1] ?? "")}: `;
    } else if (/^h\d$/.test(name)) {
      out.text += isEnd ? "}\n" : "{bold: ";
    } else if (name === "blockquote") {
      if (isEnd) out.text = `${out.text.trimEnd()}}\n`;
      else {
        line();
        out.text += "{blockquote: ";
      }
    } else if (name === "ul" || name === "ol") {
      line();
      if (isEnd) lists.pop();
      else lists.push({ ordered: name === "ol", parens: attributes.includes("parens"), number: 0 });
    } else if (name === "li") {
      line();
      const list = lists.at(-1);
      if (isEnd || list === undefined) continue;
      const value = /value="(\d+)"/.exec(attributes)?.[1];
      list.number = value === undefined ? list.number + 1 : Number(value);
      const bullet = attributes.includes("task") ? "" : "• ";
      out.text += "   ".repeat(lists.length - 1);
      out.text += list.ordered ? `${list.number}${list.parens ? ")" : "."} ` : bullet;
    } else if (name === "hr") {
      line();
      out.text += "──\n";
    } else if (name === "th" || name === "td") {
      if (isEnd) out.text += " ";
    } else if (name === "p" || name === "div" || name === "tr") {
      line();
    } else if (style !== undefined) {
      out.text += isEnd ? "}" : `{${style}: `;
    }
  }
  return out.text.trim();
}

const styles: Readonly<Record<string, string>> = {
  strong: "bold",
  em: "italic",
  del: "strikethrough",
  code: "code",
};

const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };

function decode(html: string): string {
  return html.replace(/&(?:#(\d+)|(\w+));/g, (whole, number: string | undefined, name: string | undefined) =>
    number === undefined ? (names[name ?? ""] ?? whole) : String.fromCodePoint(Number(number)),
  );
}

/** The text alone. Braces of its own are gone, too. */
export function withoutStyles(shown: string): string {
  const opening = /\{(?:bold|italic|strikethrough|code|pre(?: [^:]*)?|blockquote|text_link \S+):\s?/g;
  return shown.replace(opening, "").replace(/[{}]/g, "");
}
