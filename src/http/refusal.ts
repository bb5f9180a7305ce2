import { type DiskWatch, eachForItself } from "../domain/disk.ts";
import { RequestIdError, SessionRemovedError, TooManyPromptsError } from "../domain/sessions.ts";
import { clip } from "../domain/text.ts";

/** What a request is refused with. The message says what is wrong and what to do. */
export class Refusal extends Error {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 503 | 507;
  /** For programs, in snake case. */
  readonly code: string;

  constructor(status: Refusal["status"], code: string, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
  }
}

export const LOCKED =
  "evie does not know you. Open the link that evie printed at its start or that /deck gives in the chat, or send the token as a bearer token.";

export function noSession(id: string): Refusal {
  return new Refusal(404, "no_session", `There is no session ${JSON.stringify(clip(id, 80))}.`);
}

const DISK_CODES = { full: "disk_full", quota: "disk_quota", "read-only": "disk_read_only" } as const;

/** The refusal that an error of a session's means; undefined for a fault of evie's own. */
export function refusalFor(error: unknown, disk: DiskWatch = eachForItself): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof RequestIdError) return new Refusal(409, "request_id_used", error.message);
  if (error instanceof TooManyPromptsError)
    return new Refusal(error.where === "session" ? 429 : 503, "too_many_prompts", error.message);
  if (error instanceof SessionRemovedError) return noSession(error.session);
  const outage = disk.notice(error);
  if (outage !== undefined)
    return new Refusal(507, DISK_CODES[outage.trouble], `${outage.sentence} Then send it again.`);
  return undefined;
}
