import type { FormattedText } from "./entities.ts";
import { cleanMarkdown, cleanOpenMarkdown, cleanText } from "./markdown/clean.ts";
import { composeDocument, joinBlocks } from "./markdown/document.ts";
import { unlessTooDeep } from "./markdown/depth.ts";
import { noReferences, parseMarkdown } from "./markdown/parse.ts";

export interface MarkdownOptions {
  /** The markdown is the beginning of more: what is unfinished at its end is shown as it will most likely become. */
  readonly streaming: boolean;
}

/**
 * Renders an agent's markdown (CommonMark and GFM, `||spoilers||`, HTML as text) as Telegram's text and entities,
 * of any length. Never throws: markdown nested so deeply that the parser gives up becomes its own source as text.
 * Offsets are UTF-16 units. Every entity is one that Telegram accepts as it is.
 */
export function renderMarkdown(markdown: string, { streaming }: MarkdownOptions): FormattedText {
  const source = streaming ? cleanOpenMarkdown(markdown) : cleanMarkdown(markdown);
  return (
    unlessTooDeep(() => {
      const parsed = parseMarkdown(source, noReferences, { streaming });
      return joinBlocks(composeDocument(source, parsed, { streaming }));
    }) ?? plain(source)
  );
}

function plain(source: string): FormattedText {
  return { text: cleanText(source), entities: [] };
}
