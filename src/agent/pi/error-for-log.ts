import { maskKeys } from "./error-text.ts";
import type { PiRecord } from "./protocol.ts";

/** Characters of an error that are logged: the beginning of a page tells whose it is. */
const LONGEST_LOGGED = 4_000;

/**
 * The error of a model, or of a prompt that was refused, as the agent tells it, without what looks like a key; undefined
 * for a record that tells of none. People are told what it means instead.
 */
export function errorForLog(record: PiRecord): string | undefined {
  const raw = errorIn(record);
  return raw === undefined ? undefined : maskKeys(raw.slice(0, 2 * LONGEST_LOGGED)).slice(0, LONGEST_LOGGED);
}

function errorIn(record: PiRecord): string | undefined {
  if (record.type === "response") return record.command === "prompt" ? record.error : undefined;
  return record.type === "message_end" && record.message.stopReason === "error"
    ? record.message.errorMessage
    : undefined;
}
