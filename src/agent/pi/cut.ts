import type { Cut } from "../../domain/cut.ts";
import type { PiMessage } from "./message.ts";

/** Says why an assistant's message that has ended, and not in an error, is not whole; undefined when it is, or when a person ended it. */
export function cutOf({ stopReason, rawStopReason = "", content }: PiMessage): Cut | undefined {
  switch (stopReason) {
    case "length":
      return /context/i.test(rawStopReason) ? { type: "full" } : { type: "length" };
    case "toolUse":
      return content.some((part) => part.type === "toolCall") ? undefined : { type: "no_tool" };
    case "stop":
      return PAUSED.has(rawStopReason) ? { type: "paused" } : undefined;
    case undefined:
    case "pending":
    case "error":
    case "aborted":
      return undefined;
    default:
      return { type: "unknown", reason: stopReason.slice(0, 60) };
  }
}

/** What pi passes on as an ordinary end, and what Anthropic and OpenAI say of an answer that they have not finished. */
const PAUSED: ReadonlySet<string> = new Set(["pause_turn", "in_progress", "queued"]);
