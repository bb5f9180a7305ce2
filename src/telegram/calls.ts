import { GrammyError, HttpError } from "grammy";
import type { ChatPlace } from "../domain/ids.ts";
import type { FormattedText } from "./entities.ts";

/** Something that evie does in a chat. */
export type Call =
  | {
      readonly type: "send";
      readonly content: FormattedText;
      readonly silent: boolean;
      /** The message that this one answers; when it is gone, the message goes without. */
      readonly replyTo?: number;
      readonly button?: Button;
    }
  | { readonly type: "edit"; readonly messageId: number; readonly content: FormattedText }
  | { readonly type: "delete"; readonly messageId: number }
  /** A text as a file. */
  | { readonly type: "document"; readonly name: string; readonly text: string }
  | { readonly type: "typing" }
  /** Changes nothing; an answer tells that Telegram can be reached. */
  | { readonly type: "probe" };

/** One button below a message. */
export interface Button {
  readonly text: string;
  /** What a press of it says: 1 to 64 bytes. */
  readonly data: string;
}

/** What became of a call. */
export type Answer =
  /** Done, or it was so already. `messageId` with a send. */
  | { readonly type: "done"; readonly messageId?: number }
  /** Telegram did not take the entities; the text alone may do. */
  | { readonly type: "entities_refused"; readonly description: string }
  /** The message to edit is not there, or cannot be edited any more. */
  | { readonly type: "target_gone" }
  /** The thread is not there any more, or closed. */
  | { readonly type: "thread_gone" }
  /** Telegram will not do it, however often it is asked. */
  | { readonly type: "refused"; readonly description: string }
  /** The chat must rest for so many seconds. */
  | { readonly type: "flood"; readonly retryAfter: number }
  /** The person has blocked the bot, or it was thrown out. */
  | { readonly type: "blocked" }
  /** No answer, or none from Telegram itself: it may or may not have happened. */
  | { readonly type: "unreachable"; readonly reason: string };

/** Does one call, within its own deadline. Never rejects. */
export type PerformCall = (place: ChatPlace, call: Call) => Promise<Answer>;

const NOT_MODIFIED = /message is not modified/i;
const TARGET_GONE = /message to edit not found|message can't be edited|message_id_invalid/i;
const DELETED = /message to delete not found|message can't be deleted/i;
const THREAD_GONE = /message thread not found|topic_(closed|deleted)/i;
/** A text has no address but those of its entities. */
const ENTITIES = /entit(y|ies)|\bURL\b/i;

/** Sorts what grammY throws. Descriptions are Telegram's own texts; a new one counts as a refusal. */
export function classifyError(error: unknown): Answer {
  if (error instanceof GrammyError) return classifyDescription(error);
  if (error instanceof HttpError) return { type: "unreachable", reason: `${error.message}${codeOf(error)}` };
  // A fault of evie's own would be the same the next time: tried for ever, it would hold up the whole chat.
  return { type: "refused", description: error instanceof Error ? error.message : String(error) };
}

function classifyDescription({ error_code: code, description, parameters }: GrammyError): Answer {
  if (code === 429) return { type: "flood", retryAfter: parameters.retry_after ?? 1 };
  if (code === 403) return { type: "blocked" };
  if (code >= 500 || code === 401) return { type: "unreachable", reason: description };
  // Others may have words in common: "Request Entity Too Large" is a 413.
  if (code !== 400) return { type: "refused", description };
  if (NOT_MODIFIED.test(description) || DELETED.test(description)) return { type: "done" };
  if (TARGET_GONE.test(description)) return { type: "target_gone" };
  if (THREAD_GONE.test(description)) return { type: "thread_gone" };
  if (ENTITIES.test(description)) return { type: "entities_refused", description };
  return { type: "refused", description };
}

/** ` (ECONNREFUSED)`, where the network says as much. Nothing else of the inner error: it may hold the address with the token. */
function codeOf({ error }: HttpError): string {
  const causes = [error, error instanceof Error ? error.cause : undefined];
  const code = causes.map((each) => (each instanceof Error ? Reflect.get(each, "code") : undefined));
  const text: unknown = code.find((each) => typeof each === "string");
  return typeof text === "string" ? ` (${text})` : "";
}
