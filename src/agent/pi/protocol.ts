import type { Question } from "../../domain/question.ts";
import { isSuspect, repairValue } from "../../domain/text.ts";
import { isRecord, parseRecord } from "../jsonl.ts";
import type { Response } from "../rpc.ts";
import { readMessage, readOutput, textOf } from "./message.ts";
import type { PiMessage } from "./message.ts";

/*
 * What evie reads of pi's rpc mode, on one page (pi 0.84 and newer; docs/json.md and docs/rpc.md of its package). What
 * is not here is ignored: pi gains records with each version.
 */

type Block = "text" | "thinking" | "toolCall";

export type PiRecord =
  | ({ readonly type: "response" } & Response)
  | { readonly type: "agent_start" }
  /** One run of pi's loop; more may follow in the same turn. Without `willRetry` it is pi before 0.75. */
  | { readonly type: "agent_end"; readonly saysWillRetry: boolean }
  | { readonly type: "agent_settled"; readonly aborted: boolean }
  | { readonly type: "turn_start" }
  | { readonly type: "turn_end" }
  | { readonly type: "message_start" | "message_end"; readonly message: PiMessage }
  | {
      readonly type: "block_start";
      readonly block: Block;
      readonly index: number;
      readonly toolCall?: { readonly id: string; readonly name: string };
    }
  | { readonly type: "block_delta"; readonly block: Block; readonly index: number; readonly text: string }
  /** `text` is the whole of the block. */
  | { readonly type: "block_end"; readonly block: Block; readonly index: number; readonly text: string }
  /** An update that carries the whole message so far: pi before 0.84. */
  | { readonly type: "cumulative_update" }
  | {
      readonly type: "tool_execution_start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  | {
      readonly type: "tool_execution_update";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: string;
    }
  | {
      readonly type: "tool_execution_end";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: string;
      readonly isError: boolean;
    }
  | {
      readonly type: "auto_retry_start";
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | { readonly type: "auto_retry_end"; readonly finalError?: string }
  | { readonly type: "compaction_start" }
  /** With `willRetry` what the model said last is taken back, and asked for once more. */
  | { readonly type: "compaction_end"; readonly willRetry: boolean }
  /** A question that waits for an answer. */
  | ({ readonly type: "dialog"; readonly timeoutMs?: number } & Omit<Question, "expiresAt">)
  /** Something that an extension wants said, its faults included. */
  | { readonly type: "extension_message"; readonly text: string };

/** What a line of pi's says: a record, nothing that concerns evie, or no record at all. */
export type PiLine = PiRecord | "ignored" | "bad";

/**
 * Records that evie needs the name of at most, and that are long: the system prompt, and all of what was said before
 * once more, pictures included. They are known by how they begin, and not parsed.
 */
const LONG: readonly { readonly head: string; readonly read: (line: string) => PiLine }[] = [
  { head: '{"type":"turn_end",', read: () => ({ type: "turn_end" }) },
  {
    head: '{"type":"agent_end",',
    read: (line) => ({ type: "agent_end", saysWillRetry: line.includes('"willRetry":', line.length - 40) }),
  },
  { head: '{"type":"message_start","message":{"role":"system"', read: () => "ignored" },
  { head: '{"type":"message_end","message":{"role":"system"', read: () => "ignored" },
  // A user's message is whole at its start.
  { head: '{"type":"message_end","message":{"role":"user"', read: () => "ignored" },
];

/** Reads one line of pi's stdout. */
export function readLine(line: string): PiLine {
  const long = LONG.find(({ head }) => line.startsWith(head));
  if (long !== undefined) return long.read(line);
  const record = parseRecord(line);
  if (record === undefined) return "bad";
  return readRecord(isSuspect(line) && !isDelta(record) ? repairValue(record) : record);
}

type Fields = Readonly<Record<string, unknown>>;

/** A character may come in two deltas, half in each: what is whole is seen only when they are joined. */
function isDelta(record: Fields): boolean {
  const event = record["assistantMessageEvent"];
  return isRecord(event) && typeof event["type"] === "string" && event["type"].endsWith("_delta");
}

function readRecord(record: Fields): PiRecord | "ignored" {
  switch (record["type"]) {
    case "message_update":
      return readUpdate(record);
    case "response":
      return readResponse(record);
    case "agent_start":
    case "turn_start":
    case "turn_end":
    case "compaction_start":
      return { type: record["type"] };
    case "compaction_end":
      return { type: "compaction_end", willRetry: record["willRetry"] === true };
    case "agent_end":
      return { type: "agent_end", saysWillRetry: "willRetry" in record };
    case "agent_settled":
      return { type: "agent_settled", aborted: record["aborted"] === true };
    case "message_start":
    case "message_end": {
      const message = readMessage(record["message"]);
      return message === undefined ? "ignored" : { type: record["type"], message };
    }
    case "tool_execution_start":
      return { type: "tool_execution_start", ...readTool(record), args: record["args"] };
    case "tool_execution_update":
      return {
        type: "tool_execution_update",
        ...readTool(record),
        output: readOutput(record["partialResult"]),
      };
    case "tool_execution_end":
      return {
        type: "tool_execution_end",
        ...readTool(record),
        output: readOutput(record["result"]),
        isError: record["isError"] === true,
      };
    case "auto_retry_start":
      return {
        type: "auto_retry_start",
        attempt: numberOf(record["attempt"]),
        maxAttempts: numberOf(record["maxAttempts"]),
        delayMs: numberOf(record["delayMs"]),
        errorMessage: textOf(record["errorMessage"]),
      };
    case "auto_retry_end": {
      const { finalError } = record;
      return typeof finalError === "string"
        ? { type: "auto_retry_end", finalError }
        : { type: "auto_retry_end" };
    }
    case "extension_ui_request":
      return readExtensionRequest(record);
    case "extension_error":
      return { type: "extension_message", text: textOf(record["error"]) };
    default:
      return "ignored";
  }
}

/** The hot one: an answer of 12 kB is 2,000 of these. */
function readUpdate(record: Fields): PiRecord | "ignored" {
  const event = record["assistantMessageEvent"];
  if ("message" in record) return { type: "cumulative_update" };
  if (!isRecord(event)) return "ignored";
  if ("partial" in event) return { type: "cumulative_update" };
  const index = event["contentIndex"];
  if (typeof index !== "number" || !Number.isSafeInteger(index) || index < 0 || index > MOST_BLOCKS)
    return "ignored";
  switch (event["type"]) {
    case "text_delta":
      return { type: "block_delta", block: "text", index, text: textOf(event["delta"]) };
    case "thinking_delta":
      return { type: "block_delta", block: "thinking", index, text: textOf(event["delta"]) };
    case "toolcall_delta":
      return { type: "block_delta", block: "toolCall", index, text: textOf(event["delta"]) };
    case "text_start":
      return { type: "block_start", block: "text", index };
    case "thinking_start":
      return { type: "block_start", block: "thinking", index };
    case "toolcall_start": {
      const toolCall = { id: textOf(event["id"]), name: textOf(event["toolName"]) };
      return { type: "block_start", block: "toolCall", index, toolCall };
    }
    case "text_end":
      return { type: "block_end", block: "text", index, text: textOf(event["content"]) };
    case "thinking_end":
      return { type: "block_end", block: "thinking", index, text: textOf(event["content"]) };
    case "toolcall_end": {
      const call = event["toolCall"];
      const text = isRecord(call) ? (JSON.stringify(call["arguments"]) ?? "") : "";
      return { type: "block_end", block: "toolCall", index, text };
    }
    default:
      return "ignored";
  }
}

/** A content index beyond this is rubbish: who folds it would fill the gap before it with as many blocks. */
const MOST_BLOCKS = 10_000;

function readResponse(record: Fields): PiRecord {
  const { id, error } = record;
  return {
    type: "response",
    ...(typeof id === "string" ? { id } : {}),
    command: textOf(record["command"]),
    success: record["success"] === true,
    data: record["data"],
    ...(typeof error === "string" ? { error } : {}),
  };
}

function readTool(record: Fields): { readonly toolCallId: string; readonly toolName: string } {
  return { toolCallId: textOf(record["toolCallId"]), toolName: textOf(record["toolName"]) };
}

function readExtensionRequest(record: Fields): PiRecord | "ignored" {
  const { id, method } = record;
  switch (method) {
    case "select":
    case "confirm":
    case "input":
    case "editor":
      return typeof id === "string" ? readDialog(id, method, record) : "ignored";
    case "notify":
      return { type: "extension_message", text: textOf(record["message"]) };
    default:
      return "ignored";
  }
}

function readDialog(id: string, kind: Question["kind"], record: Fields): PiRecord {
  const { message, options, placeholder, prefill, timeout } = record;
  return {
    type: "dialog",
    id,
    kind,
    title: textOf(record["title"]),
    ...(typeof message === "string" ? { message } : {}),
    ...(Array.isArray(options) ? { options: options.map(textOf) } : {}),
    ...(typeof placeholder === "string" ? { placeholder } : {}),
    ...(typeof prefill === "string" ? { prefill } : {}),
    ...(typeof timeout === "number" ? { timeoutMs: timeout } : {}),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
