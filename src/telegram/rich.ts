import type { Location, RichBlock, RichBlockCaption, RichBlockListItem, RichMessage } from "grammy/types";
import { joinTexts } from "../domain/prompt.ts";
import { quoteExcerpt } from "./excerpt.ts";
import { listOf, type Loose, loose, numberOf, stringOf } from "./loose.ts";
import {
  backticks,
  buttonText,
  LEFT_OUT,
  MAX_LEVELS,
  plainText,
  richLine,
  richText,
  WORDS,
} from "./rich-text.ts";
import { richTable } from "./rich-table.ts";

type Render = (block: Readonly<Record<string, unknown>>, level: number) => string;

/**
 * What a rich message says, as markdown for the agent. Media become one bracketed line each. Blocks that are newer
 * than this code give the words that can be found in them; what nests deeper than Telegram allows becomes "…".
 * Takes any value and never throws. Empty when the message says nothing.
 */
export function flattenRich(message: RichMessage): string {
  return blocks(loose<RichMessage>(message).blocks, 0);
}

function blocks(value: unknown, level: number): string {
  return joinTexts(listOf(value).map((block) => blockOf(block, level)));
}

function blockOf(value: unknown, level: number): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  if (level > MAX_LEVELS) return LEFT_OUT;
  if (Array.isArray(value)) return blocks(value, level + 1);
  const block = value as Record<string, unknown>;
  const type = stringOf(block["type"]) ?? "";
  const render = Object.hasOwn(renderers, type) ? renderOf[type] : undefined;
  return (render ?? unknownBlock)(block, level);
}

const renderers: {
  readonly [T in RichBlock["type"]]: (block: Loose<Extract<RichBlock, { type: T }>>, level: number) => string;
} = {
  paragraph: ({ text }) => richText(text),
  footer: ({ text }) => richText(text),
  thinking: ({ text }) => richText(text),
  heading: ({ text, size }) => heading(richLine(text), numberOf(size) ?? 1),
  pre: ({ text, language }) => codeBlock(plainText(text), stringOf(language) ?? ""),
  divider: () => "---",
  mathematical_expression: ({ expression }) => `$$\n${stringOf(expression) ?? ""}\n$$`,
  anchor: () => "",
  list: ({ items }, level) =>
    listOf(items)
      .map((item) => listItem(item, level + 1))
      .join("\n"),
  blockquote: ({ blocks: content, credit }, level) => quotation(blocks(content, level + 1), credit),
  // Bot API 10.5 put blocks where the text was.
  expandable_blockquote: (block: { blocks?: unknown; text?: unknown; credit?: unknown }, level) =>
    quotation(joinTexts([richText(block.text), blocks(block.blocks, level + 1)]), block.credit),
  pullquote: ({ text, credit }) => quotation(richText(text), credit),
  collage: ({ blocks: content, caption }, level) => captioned(blocks(content, level + 1), caption),
  slideshow: ({ blocks: content, caption }, level) => captioned(blocks(content, level + 1), caption),
  table: ({ cells, caption }) => captioned(richTable(cells), caption),
  details: ({ summary, blocks: content }, level) =>
    joinTexts([`<details><summary>${richLine(summary)}</summary>`, blocks(content, level + 1), "</details>"]),
  map: ({ location, caption }) => captioned(map(location), caption),
  photo: ({ caption }) => captioned(media("Photo"), caption),
  video: ({ video, caption }) => captioned(media("Video", video), caption),
  animation: ({ animation, caption }) => captioned(media("Animation", animation), caption),
  audio: ({ audio, caption }) => captioned(media("Audio", audio), caption),
  voice_note: ({ caption }) => captioned(media("Voice note"), caption),
  document: ({ document, caption }) => captioned(media("File", document), caption),
  buttons: ({ buttons }) =>
    listOf(buttons)
      .map(buttonText)
      .filter((text) => text !== "")
      .join(" "),
};
const renderOf: Readonly<Record<string, Render>> = renderers;

function unknownBlock(block: Readonly<Record<string, unknown>>, level: number): string {
  return joinTexts(
    Object.entries(block).map(([field, value]) => {
      if (WORDS.has(field)) return richText(value);
      return typeof value === "object" ? blockOf(value, level + 1) : "";
    }),
  );
}

function heading(line: string, size: number): string {
  return line === "" ? "" : `${"#".repeat(Math.min(Math.max(Math.trunc(size), 1), 6))} ${line}`;
}

/** Code in a fence that is longer than any inside it; of the language the first word. */
export function codeBlock(code: string, language: string): string {
  const fence = backticks(code, 3);
  const info = /^[^\s`]+/.exec(language)?.[0] ?? "";
  return `${fence}${info}\n${code.replace(/\n$/, "")}\n${fence}`;
}

function listItem(value: unknown, level: number): string {
  const item = loose<RichBlockListItem>(value);
  const marker = `${bulletOf(item)} `;
  const box = item.has_checkbox === true ? (item.is_checked === true ? "[x] " : "[ ] ") : "";
  const content = Array.isArray(item.blocks) ? itemContent(item.blocks, level) : blockOf(value, level);
  return `${marker}${box}${prefixLines(content, " ".repeat(marker.length)).trimStart()}`.trimEnd();
}

function bulletOf({ label, value }: Loose<RichBlockListItem>): string {
  const shown = stringOf(label)?.trim() ?? "";
  if (/^[0-9a-z]{1,12}[.)]$/i.test(shown)) return shown;
  const number = numberOf(value);
  return number === undefined ? "-" : `${number}.`;
}

/** A list inside an item follows its words directly; a blank line between would make the whole list a loose one. */
function itemContent(content: readonly unknown[], level: number): string {
  return content.reduce<string>((above, block) => {
    const text = blockOf(block, level);
    if (text.trim() === "") return above;
    if (above === "") return text;
    return `${above}${loose<RichBlock>(block).type === "list" ? "\n" : "\n\n"}${text}`;
  }, "");
}

function quotation(content: string, credit: unknown): string {
  const from = richLine(credit);
  const said = joinTexts([content, from === "" ? "" : `— ${from}`]);
  return said === "" ? "" : prefixLines(said, "> ");
}

/** The text with something in front of each of its lines, without white space at their ends. */
export function prefixLines(text: string, prefix: string): string {
  return text
    .split("\n")
    .map((line) => `${prefix}${line}`.trimEnd())
    .join("\n");
}

/** A caption is bare text under a table, and text with a credit elsewhere. */
function captioned(content: string, caption: unknown): string {
  const isCaption =
    typeof caption === "object" && caption !== null && !("type" in caption) && "text" in caption;
  const { text, credit } = isCaption
    ? loose<RichBlockCaption>(caption)
    : { text: caption, credit: undefined };
  const lines = [content, richLine(text), richLine(credit)];
  return lines
    .flatMap((line, index) => (line.trim() === "" ? [] : index === 2 ? `— ${line}` : line))
    .join("\n");
}

function media(kind: string, file?: unknown): string {
  const name = quoteExcerpt(stringOf(loose<{ file_name: string }>(file).file_name) ?? "");
  return `[${name === undefined ? kind : `${kind} ${name}`}: not passed on]`;
}

function map(location: unknown): string {
  const { latitude, longitude } = loose<Location>(location);
  const at = [numberOf(latitude), numberOf(longitude)];
  return at.includes(undefined) ? "[Map]" : `[Map: ${at.join(", ")}]`;
}
