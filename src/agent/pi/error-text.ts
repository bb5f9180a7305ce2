import { isRecord } from "../jsonl.ts";
import { oneLine } from "./one-line.ts";

/** An error of a model's provider, taken apart. It may be a sentence, JSON, a web page, or a mixture of them. */
export interface ErrorText {
  /** The HTTP status that it names. */
  readonly status?: number;
  /** What it says for programs: types, codes and names, one a line, in lower case. */
  readonly codes: string;
  /** What it says for people, in one line without marks; empty when it says nothing. */
  readonly words: string;
  /** What stands in front of its JSON or its page; empty for a plain one. */
  readonly before: string;
  readonly form: "plain" | "json" | "page";
}

/** Characters of an error that are looked at. pi cuts them at 4,000. */
const LONGEST_ERROR = 20_000;

/** Characters of words for people. */
const LONGEST_WORDS = 300;

const PAGE = /<!doctype\s+html|<(?:html|head|body|title|center)[\s>]|<\?xml/i;

/** Takes an error apart. Pure, and never throws, whatever the text. */
export function readErrorText(given: string): ErrorText {
  const text = given.slice(0, LONGEST_ERROR);
  if (PAGE.test(text)) return readPage(text);
  const found = valuesIn(text);
  const said = found.values.map((value) => collect(value));
  const messages = said.flatMap(({ messages: each }) => each);
  const codes = said.flatMap(({ codes: each }) => each);
  const isJson = found.values.length > 0 || found.broken;
  const best = messages.find((message) => !SAYS_NOTHING.test(message)) ?? messages[0];
  const status = statusIn(found.before) ?? codes.map(Number).find(isStatus) ?? statusIn(best ?? "");
  return {
    ...(status === undefined ? {} : { status }),
    codes: codes.join("\n").toLowerCase(),
    words: clean(best ?? quoted(text, found.broken) ?? found.before.replace(LEADING_STATUS, "")),
    before: isJson ? clean(found.before) : "",
    form: isJson ? "json" : "plain",
  };
}

/** Hides what looks like a key or a token of an account, of the well-known makers and behind the usual names. */
export function maskKeys(text: string): string {
  return text
    .replace(/\b(?:sk|pk|rk|gsk|xai|key|ghp|gho|hf|AIza|AKIA|ASIA|ya29)[-_.]?[\w*.-]{12,}/g, "<key>")
    .replace(/\beyJ[\w-]{10,}\.[\w.-]+/g, "<key>")
    .replace(
      /((?:bearer|api[-_]?key|x-api-key|authorization|token|key)["']?\s*[:=]\s*["']?(?:bearer )?)[\w*.~+/-]{12,}/gi,
      "$1<key>",
    )
    .replace(/(bearer )[\w*.~+/-]{12,}/gi, "$1<key>");
}

/** What gateways say in place of what they were told. */
const SAYS_NOTHING =
  /^(?:provider returned (?:an )?error|error|unknown(?: error)?|bad request|null|\s*)\.?$/i;

const LEADING_STATUS =
  /^\s*(?:error:?\s*)?[45]\d\d(?![\w.])\s*[:\-–]?\s*(?:status code\b)?(?:\s*\(no body\))?/i;

const STATUS_SPOTS = [
  LEADING_STATUS,
  /\bAPI error \(([45]\d\d)\)/i,
  /\b(?:status(?:[ _]?code)?|http(?:\/[\d.]+)?|error code)\s*[:=]?\s*"?([45]\d\d)\b/i,
  /\(([45]\d\d)\)/,
  // A delay that was asked for stands in front of what was said with it.
  /retry delay \(max: \d+s\)\. ([45]\d\d)\b/i,
];

function statusIn(text: string): number | undefined {
  for (const spot of STATUS_SPOTS) {
    const found = spot
      .exec(text)?.[0]
      .match(/[45]\d\d(?!\d)/g)
      ?.at(-1);
    if (found !== undefined) return Number(found);
  }
  return undefined;
}

function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value < 600;
}

function readPage(text: string): ErrorText {
  const inside = (tag: string): string | undefined =>
    new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, "i").exec(text)?.[1];
  const words = clean(inside("title") ?? inside("h1") ?? inside("Message") ?? "");
  const before = text.slice(0, text.indexOf("<"));
  const status = statusIn(before) ?? statusIn(words);
  return {
    ...(status === undefined ? {} : { status }),
    codes: clean(inside("Code") ?? "").toLowerCase(),
    words,
    before: clean(before),
    form: "page",
  };
}

/** The JSON objects in a text, in order, what stands in front of the first, and whether there is one that is broken. */
function valuesIn(text: string) {
  const values: Readonly<Record<string, unknown>>[] = [];
  let broken = false;
  let first = text.length;
  for (let at = text.indexOf("{"); at !== -1;) {
    const end = endOfObject(text, at);
    const value = parse(text.slice(at, end));
    if (isRecord(value)) values.push(value);
    else broken ||= /^\{\s*["'\\]/.test(text.slice(at, at + 50));
    if (isRecord(value) || broken) first = Math.min(first, at);
    at = text.indexOf("{", isRecord(value) ? end : at + 1);
    if (broken) break;
  }
  return { values, broken, before: text.slice(0, first).replace(/\[\s*$/, "") };
}

function endOfObject(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{") depth += 1;
    else if (character === "}" && (depth -= 1) === 0) return at + 1;
  }
  return text.length;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const FOR_PEOPLE = [
  "raw",
  "message",
  "error_description",
  "detail",
  "error",
  "msg",
  "Message",
  "reason",
  "title",
];
const FOR_PROGRAMS = [
  "type",
  "code",
  "status",
  "statusCode",
  "http_code",
  "name",
  "__type",
  "errorCode",
  "reason",
];

/** Levels of an error that are looked at: it comes inside a text, so nobody has looked how deep it nests. */
const DEEPEST = 12;

/** Gathers what an object says, its parts and the JSON in its texts included; what lies deeper says it better. */
function collect(value: unknown, depth = 0): { readonly messages: string[]; readonly codes: string[] } {
  const messages: string[] = [];
  const codes: string[] = [];
  if (Array.isArray(value)) {
    if (depth < DEEPEST) for (const part of value.slice(0, 5)) merge(collect(part, depth + 1));
  } else if (isRecord(value) && depth < DEEPEST) {
    for (const part of Object.values(value)) if (typeof part === "object") merge(collect(part, depth + 1));
    for (const name of FOR_PROGRAMS) {
      const field = value[name];
      if (typeof field === "string" || typeof field === "number") codes.push(String(field).slice(0, 200));
    }
    for (const name of FOR_PEOPLE) {
      const field = value[name];
      if (typeof field !== "string" || field.trim() === "") continue;
      const inner = field.trimStart().startsWith("{") ? parse(field) : undefined;
      if (isRecord(inner)) merge(collect(inner, depth + 1));
      else messages.push(PAGE.test(field) ? readPage(field).words : field);
    }
  }
  function merge(inner: ReturnType<typeof collect>): void {
    messages.push(...inner.messages);
    codes.push(...inner.codes);
  }
  return { messages, codes };
}

/** The message in JSON that was cut, or that is none but looks so. */
function quoted(text: string, broken: boolean): string | undefined {
  if (!broken) return undefined;
  const [, one, other] =
    /["']message\\?["']\s*:\s*\\?(?:"((?:[^"\\]|\\.)*)|'((?:[^'\\]|\\.)*))/.exec(text) ?? [];
  return (one ?? other)?.replace(/\\[nrt]/g, " ").replace(/\\(.)/g, "$1");
}

/** Words for a person: no tags, no frames of a stack, no JSON behind them. */
function clean(text: string): string {
  const lines = maskKeys(text)
    .replace(/<[a-z!/?][^<>]*>/gi, " ")
    .replace(/&(?:amp|#38);/g, "&")
    .replace(/&(?:nbsp|#160);/g, " ")
    .replace(/&(?:quot|#34);/g, '"')
    .replace(/&(?:#39|apos);/g, "'")
    .split("\n")
    .filter((line) => !/^\s*at .*[:(]\d+/.test(line))
    .join(" ");
  const json = lines.search(/[{[]\s*["'\\{[]|<[a-z!/?]/i);
  const words = json === -1 ? lines : lines.slice(0, json);
  return oneLine(words.replace(/\s*[:;,=\-–]\s*$/, ""), LONGEST_WORDS);
}
