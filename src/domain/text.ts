import { checkLevels } from "./levels.ts";

/*
 * Half of a surrogate pair is no character: UTF-8 has no bytes for it, programs that read it in JSON refuse the line or
 * the message, and databases keep something else. NUL ends a text for whatever is written in C. Both come in through
 * JSON alone, and go out through it alone, so that is where they are looked for.
 */

/** How JSON writes either of them. A whole pair may be written so, too: it only costs a second look. */
const SUSPECT = /\\u(?:d[89a-f]|0000)/i;

/** The text without NUL, and with U+FFFD in the place of each half of a surrogate pair. */
export function repairText(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed();
}

/** A value as JSON has them, each of its texts repaired, names of fields included. */
export function repairValue<Value>(value: Value): Value {
  return repaired(value) as Value;
}

function repaired(value: unknown): unknown {
  if (typeof value === "string") return repairText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(repaired);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [repairText(name), repaired(field)]),
  );
}

/** Whether a text in a piece of JSON may need to be repaired. */
export function isSuspect(json: string): boolean {
  // Nearly every piece of JSON is done with the first look, which costs next to nothing.
  return json.includes("\\u") && SUSPECT.test(json);
}

/** What a piece of JSON from outside says, its texts repaired. Throws what `JSON.parse` throws, and a LevelsError where it nests too deeply. */
export function parseJson(json: string): unknown {
  checkLevels(json);
  const value: unknown = JSON.parse(json);
  return isSuspect(json) ? repairValue(value) : value;
}

/** A value as JSON for others, its texts repaired. */
export function toJson(value: object): string {
  const json = JSON.stringify(value);
  return isSuspect(json) ? JSON.stringify(parseJson(json)) : json;
}

/** The beginning of a text, at most so many UTF-16 units, without half a character at its end. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
}

/** The end of a text, likewise. */
export function clipStart(text: string, most: number): string {
  return text.length <= most ? text : text.slice(text.length - most).replace(/^[\udc00-\udfff]/, "");
}

/** The text without blank lines in front and white space behind. The first line's indentation stays: in code it means something. */
export function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}
