import type { Transformer } from "grammy";
import { repairText } from "../domain/text.ts";

/**
 * Sends no text to Telegram that holds half a character or NUL, whoever made it: each gives its place to U+FFFD, so that
 * entities stay where they are.
 */
export const wholeTexts: Transformer = (call, method, payload, signal) =>
  call(method, whole(payload) as typeof payload, signal);

function whole(value: unknown): unknown {
  if (typeof value === "string") return repairText(value.replaceAll("\0", "\ufffd"));
  if (Array.isArray(value)) return value.map(whole);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, whole(field)]));
}
