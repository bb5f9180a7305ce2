import type { RichMessageButton, RichText, User } from "grammy/types";
import { type Loose, loose, numberOf, stringOf } from "./loose.ts";

type Styled = Exclude<RichText, string | RichText[]>;
type Inner = (text: unknown) => string;
type Style = (styled: Readonly<Record<string, unknown>>, inner: Inner) => string;

/** How deep Telegram lets blocks nest, and formatting. What lies deeper is left out, so that no message overflows the stack. */
export const MAX_LEVELS = 16;

/** Stands for what was left out. */
export const LEFT_OUT = "…";

/** The fields that hold words, in types of today and, with luck, of tomorrow. */
export const WORDS: ReadonlySet<string> = new Set([
  "text",
  "summary",
  "title",
  "caption",
  "credit",
  "expression",
  "alternative_text",
]);

/** Formatted text as markdown. Literal text is not escaped. Takes any value and never throws. */
export function richText(text: unknown): string {
  return gather(text, 0, (styled, inner) => {
    const type = stringOf(styled["type"]) ?? "";
    const style = Object.hasOwn(styles, type) ? styleOf[type] : undefined;
    return (style ?? wordsOf)(styled, inner);
  });
}

/** The same on one line. */
export function richLine(text: unknown): string {
  return richText(text).replace(/\s+/g, " ").trim();
}

/** The words alone, for places where markup would be read as part of them. */
export function plainText(text: unknown): string {
  return gather(text, 0, wordsOf);
}

/** A button can do nothing for the agent; its words and its link can. */
export function buttonText(button: unknown): string {
  const { text, url } = loose<RichMessageButton.UrlButton>(button);
  const words = richLine(text);
  if (words === "") return "";
  return stringOf(url) === undefined ? `[${words}]` : link(words, url);
}

/** A delimiter of backticks that is longer than any inside. */
export function backticks(text: string, shortest: number): string {
  const longest = text.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  return "`".repeat(Math.max(shortest, longest + 1));
}

/** A name as a markdown label, which must not be closed by what stands inside. */
function labelOf(name: unknown): string {
  return (stringOf(name) ?? "").replace(/[\s[\]^]+/g, "-");
}

const styles: {
  readonly [T in Styled["type"]]: (styled: Loose<Extract<Styled, { type: T }>>, inner: Inner) => string;
} = {
  bold: ({ text }, inner) => wrap("**", inner(text)),
  italic: ({ text }, inner) => wrap("*", inner(text)),
  underline: ({ text }, inner) => wrap("<u>", inner(text), "</u>"),
  strikethrough: ({ text }, inner) => wrap("~~", inner(text)),
  spoiler: ({ text }, inner) => wrap("||", inner(text)),
  marked: ({ text }, inner) => wrap("==", inner(text)),
  subscript: ({ text }, inner) => wrap("<sub>", inner(text), "</sub>"),
  superscript: ({ text }, inner) => wrap("<sup>", inner(text), "</sup>"),
  code: ({ text }) => inlineCode(plainText(text)),
  mathematical_expression: ({ expression }) => wrap("$", stringOf(expression) ?? ""),
  custom_emoji: ({ alternative_text }) => stringOf(alternative_text) ?? "",
  url: ({ text, url }, inner) => link(inner(text), url),
  email_address: ({ text, email_address }, inner) => address(inner(text), "mailto:", email_address),
  phone_number: ({ text, phone_number }, inner) => address(inner(text), "tel:", phone_number),
  button: ({ button }) => buttonText(button),
  reference: ({ text, name }, inner) => `[^${labelOf(name)}]: ${inner(text)}`,
  reference_link: ({ text, reference_name }, inner) => {
    // A link that shows a bare number is the footnote's mark; any other words belong to the sentence.
    const mark = /^[[(]?\d+[\])]?$/.test(plainText(text).trim());
    return `${mark ? "" : inner(text)}[^${labelOf(reference_name)}]`;
  },
  anchor: () => "",
  anchor_link: ({ text }, inner) => inner(text),
  date_time: ({ text, unix_time }, inner) => dated(inner(text), unix_time),
  text_mention: ({ text, user }, inner) => {
    const id = numberOf(loose<User>(user).id);
    return id === undefined ? inner(text) : link(inner(text), `tg://user?id=${id}`);
  },
  mention: ({ text }, inner) => inner(text),
  hashtag: ({ text }, inner) => inner(text),
  cashtag: ({ text }, inner) => inner(text),
  bot_command: ({ text }, inner) => inner(text),
  bank_card_number: ({ text }, inner) => inner(text),
};
const styleOf: Readonly<Record<string, Style>> = styles;

function gather(text: unknown, level: number, style: Style): string {
  if (typeof text === "string") return text;
  if (typeof text !== "object" || text === null) return "";
  if (level > MAX_LEVELS) return LEFT_OUT;
  if (!Array.isArray(text)) {
    return style(text as Record<string, unknown>, (inner) => gather(inner, level + 1, style));
  }
  return text
    .flat(MAX_LEVELS)
    .map((piece: unknown) => (Array.isArray(piece) ? LEFT_OUT : gather(piece, level, style)))
    .join("");
}

function wordsOf(styled: Readonly<Record<string, unknown>>, inner: Inner): string {
  return Object.entries(styled)
    .map(([field, value]) => (WORDS.has(field) || typeof value === "object" ? inner(value) : ""))
    .join("");
}

/** Marks bind to the words: white space at the edges would keep them from being read as marks. */
function wrap(open: string, text: string, close = open): string {
  const words = text.trim();
  if (words === "") return text;
  const start = text.length - text.trimStart().length;
  return `${text.slice(0, start)}${open}${words}${close}${text.slice(start + words.length)}`;
}

function inlineCode(code: string): string {
  if (code === "") return "";
  const fence = backticks(code, 1);
  const gap = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return `${fence}${gap}${code}${gap}${fence}`;
}

function address(text: string, scheme: string, target: unknown): string {
  return typeof target === "string" ? link(text, `${scheme}${target}`) : text;
}

function link(text: string, url: unknown): string {
  const target = stringOf(url)?.trim() ?? "";
  if (target === "" || bare(text) === bare(target)) return text;
  const safe = /[\s\p{Cc}()<>\\]/u.test(target)
    ? `<${target.replace(/[\s\p{Cc}<>\\]/gu, (character) => encodeURIComponent(character))}>`
    : target;
  return text.trim() === "" ? `${text}${safe}${text}` : `[${linkWords(text)}](${safe})`;
}

/** Brackets in pairs may stand in a link's words; one alone, or a backslash at the end, would end the link elsewhere. */
function linkWords(text: string): string {
  let depth = 0;
  const paired = Array.from(text).every((sign) => {
    if (sign === "[") depth += 1;
    if (sign === "]") depth -= 1;
    return depth >= 0;
  });
  return paired && depth === 0 && !text.includes("\\") ? text : text.replace(/[\\[\]]/g, "\\$&");
}

/** The moment that a time of day stands for, which its reader sees in their own zone. */
function dated(text: string, seconds: unknown): string {
  const moment = new Date((numberOf(seconds) ?? Number.NaN) * 1_000);
  if (Number.isNaN(moment.getTime())) return text;
  return `${text} (${moment.toISOString().replace(".000", "")})`;
}

/** Telegram makes links of addresses that it finds in a text; such a link says nothing that the text does not. */
function bare(target: string): string {
  return target
    .trim()
    .replace(/^(https?:\/\/|mailto:|tel:)/i, "")
    .replace(/^[^/?#]*/, (host) => host.toLowerCase())
    .replace(/\/$/, "");
}
