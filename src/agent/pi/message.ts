import type { Usage } from "../../domain/events.ts";
import { isRecord } from "../jsonl.ts";

export type PiContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  | { readonly type: "toolCall"; readonly id: string; readonly name: string; readonly arguments: unknown };

/** A message that people see. pi has others (system, custom, summaries), which are no records here. */
export interface PiMessage {
  readonly role: "user" | "assistant" | "toolResult";
  readonly content: readonly PiContent[];
  /** Milliseconds since 1970. */
  readonly timestamp?: number;
  readonly stopReason?: string;
  /** The provider's own word for it. */
  readonly rawStopReason?: string;
  readonly errorMessage?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly model?: string;
  readonly usage?: Usage;
}

/** Undefined for what is no message, or one that people do not see. */
export function readMessage(value: unknown): PiMessage | undefined {
  if (!isRecord(value)) return undefined;
  const { role, timestamp, stopReason, rawStopReason, errorMessage } = value;
  const { toolCallId, toolName, isError } = value;
  if (role !== "user" && role !== "assistant" && role !== "toolResult") return undefined;
  const { provider, model } = value;
  const usage = readUsage(value["usage"]);
  return {
    role,
    content: readContent(value["content"]),
    ...(typeof timestamp === "number" ? { timestamp } : {}),
    ...(typeof stopReason === "string" ? { stopReason } : {}),
    ...(typeof rawStopReason === "string" ? { rawStopReason } : {}),
    ...(typeof errorMessage === "string" ? { errorMessage } : {}),
    ...(typeof toolCallId === "string" ? { toolCallId } : {}),
    ...(typeof toolName === "string" ? { toolName } : {}),
    ...(typeof isError === "boolean" ? { isError } : {}),
    ...(typeof model === "string"
      ? { model: typeof provider === "string" ? `${provider}/${model}` : model }
      : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}

function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const { input, output, cacheRead, cacheWrite, cost } = value;
  return {
    input: countOf(input),
    output: countOf(output),
    cacheRead: countOf(cacheRead),
    cacheWrite: countOf(cacheWrite),
    cost: countOf(isRecord(cost) ? cost["total"] : undefined),
  };
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Text comes as a list of parts or as one string. Pictures and what is not known are left out. */
function readContent(value: unknown): readonly PiContent[] {
  if (typeof value === "string") return value === "" ? [] : [{ type: "text", text: value }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((part: unknown): PiContent[] => {
    if (!isRecord(part)) return [];
    switch (part["type"]) {
      case "text":
        return [{ type: "text", text: textOf(part["text"]) }];
      case "thinking":
        return [{ type: "thinking", thinking: textOf(part["thinking"]) }];
      case "toolCall": {
        const { id, name } = part;
        return [{ type: "toolCall", id: textOf(id), name: textOf(name), arguments: part["arguments"] }];
      }
      default:
        return [];
    }
  });
}

/** The text of a tool's result. */
export function readOutput(result: unknown): string {
  if (!isRecord(result)) return "";
  return readContent(result["content"])
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}

/** A field that should be text; none where it is not. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
