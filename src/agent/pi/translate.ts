import type { AgentEvent, Content, Message, StopReason } from "../../domain/events.ts";
import { repairText } from "../../domain/text.ts";
import { cutSentence } from "../../domain/cut.ts";
import { cutOf } from "./cut.ts";
import { readErrorText } from "./error-text.ts";
import { oneLine } from "./one-line.ts";
import type { PiContent, PiMessage } from "./message.ts";
import type { PiRecord } from "./protocol.ts";
import { explainReason, reasonOf } from "./reason.ts";
import { toolSummary } from "./tool-summary.ts";

export interface Translator {
  /** A new prompt was handed over: what the last one left open is forgotten. `text` is what was asked. */
  begin(text: string): void;
  /** What a record means in a session, in order; `at` is for messages that carry no time (milliseconds since 1970). */
  translate(record: PiRecord, at: number): readonly AgentEvent[];
}

/** The assistant message in flight. */
interface Open {
  readonly key: string;
  /** What has been said of each block, by its content index. */
  readonly blocks: Map<number, string>;
  /** The first halves of characters, by the same, whose second ones are in the next delta. */
  readonly halves: Map<number, string>;
}

/** How pi says, inside the person's own message, that it left a picture out. */
const OMITTED = "[Image omitted";

/** Characters of what an extension says. */
const LONGEST_NOTICE = 500;

/**
 * Turns pi's records into events. `keyPrefix` begins the key of each message: make a fresh one for each process, or
 * messages after a restart would take the place of those before it.
 */
export function createTranslator(keyPrefix: string): Translator {
  let made = 0;
  let asked = "";
  let open: Open | undefined;
  let resultKey: string | undefined;
  /** The key of a message that ended in an error, while the agent may still try once more. */
  let failed: string | undefined;
  /** The key of the last message, when it was cut off: the agent may take it back, to try with a shorter history. */
  let cutOff: string | undefined;

  const newKey = (): string => {
    made += 1;
    return `${keyPrefix}-${made}`;
  };

  const discardFailed = (): AgentEvent[] => {
    if (failed === undefined) return [];
    const event: AgentEvent = { type: "message_discard", key: failed };
    failed = undefined;
    return [event];
  };

  const startMessage = (piMessage: PiMessage, at: number): AgentEvent[] => {
    const key = newKey();
    const message = toMessage(piMessage, key, at);
    const start: AgentEvent = { type: "message_start", key, message };
    switch (piMessage.role) {
      case "assistant": {
        open = { key, blocks: new Map(), halves: new Map() };
        return [...discardFailed(), start];
      }
      case "toolResult":
        resultKey = key;
        return [start];
      case "user":
        // It is whole at its start; its end would bring all its pictures once more and is not read.
        return [start, { type: "message_end", key, message }, ...omittedNotice(piMessage, asked)];
    }
  };

  const endMessage = (piMessage: PiMessage, at: number): AgentEvent[] => {
    if (piMessage.role === "user") return [];
    const key = (piMessage.role === "assistant" ? open?.key : resultKey) ?? newKey();
    if (piMessage.role === "assistant") {
      open = undefined;
      failed = piMessage.stopReason === "error" ? key : undefined;
      cutOff = cutOf(piMessage) === undefined ? undefined : key;
    } else {
      resultKey = undefined;
    }
    return [{ type: "message_end", key, message: toMessage(piMessage, key, at) }];
  };

  /** Adds to a block. Blocks end in any order, and long after the next one began: only the index says which is meant. */
  const append = (
    record: PiRecord & { readonly type: "block_delta" | "block_end" },
    said: string | undefined,
    text: string,
  ): AgentEvent[] => {
    if (open === undefined || text === "") return [];
    const { block, index } = record;
    open.blocks.set(index, (said ?? "") + text);
    return [{ type: "message_update", key: open.key, delta: { contentIndex: index, kind: block, text } }];
  };

  /** What a delta says up to its last whole character, with the half that the one before it ended in. */
  const whole = (index: number, text: string): string => {
    const joined = (open?.halves.get(index) ?? "") + text.replaceAll("\0", "");
    const half = /[\ud800-\udbff]$/.exec(joined)?.[0] ?? "";
    open?.halves.set(index, half);
    return repairText(joined.slice(0, joined.length - half.length));
  };

  return {
    begin: (text) => {
      asked = text;
      open = undefined;
      resultKey = undefined;
      failed = undefined;
      cutOff = undefined;
    },
    translate: (record, at) => {
      switch (record.type) {
        case "block_delta":
          return append(record, open?.blocks.get(record.index), whole(record.index, record.text));
        case "block_end": {
          // What the deltas left out is said now. A contradiction is left to the message's end, which replaces all.
          const said = open?.blocks.get(record.index) ?? "";
          return record.text.startsWith(said) ? append(record, said, record.text.slice(said.length)) : [];
        }
        case "block_start": {
          const { block, index, toolCall } = record;
          if (open === undefined || toolCall === undefined) return [];
          const delta = { contentIndex: index, kind: block, text: "", toolCall };
          return [{ type: "message_update", key: open.key, delta }];
        }
        case "message_start":
          return startMessage(record.message, at);
        case "message_end":
          return endMessage(record.message, at);
        case "turn_start":
        case "turn_end":
          return [{ type: record.type }];
        case "tool_execution_start": {
          const { toolCallId, toolName, args } = record;
          return [{ type: record.type, toolCallId, toolName, summary: toolSummary(toolName, args) }];
        }
        case "tool_execution_update":
        case "tool_execution_end":
          return [record];
        case "auto_retry_start": {
          const { attempt, maxAttempts, delayMs } = record;
          const reason = explainReason(record.errorMessage).what;
          // An attempt that was cut off without an end of its own has failed no less.
          failed ??= open?.key;
          open = undefined;
          return [
            ...discardFailed(),
            { type: "notice", notice: { type: "retrying", attempt, maxAttempts, delayMs, reason } },
          ];
        }
        case "compaction_start":
          return [{ type: "notice", notice: { type: "compacting" } }];
        case "compaction_end":
          if (record.willRetry) failed ??= cutOff;
          return [];
        case "extension_message": {
          const text = oneLine(withoutPage(record.text), LONGEST_NOTICE);
          return text === "" ? [] : [{ type: "notice", notice: { type: "extension_message", text } }];
        }
        case "response":
        case "dialog":
        case "agent_start":
        case "agent_end":
        case "agent_settled":
        case "auto_retry_end":
        case "cumulative_update":
          return [];
      }
    },
  };
}

/** An extension may pass on a web page that a server answered it with. */
function withoutPage(text: string): string {
  const { form, words, before } = readErrorText(text);
  return form === "page" ? `${before} ${words}` : text;
}

/** A person may have written those words; only what pi added counts. */
function omittedNotice({ content }: PiMessage, asked: string): AgentEvent[] {
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const added = text.startsWith(asked) ? text.slice(asked.length) : text;
  return added.includes(OMITTED) ? [{ type: "notice", notice: { type: "image_omitted" } }] : [];
}

function toMessage(message: PiMessage, key: string, at: number): Message {
  const { role, content, timestamp, stopReason, toolCallId, toolName, isError, model, usage } = message;
  const error = role === "assistant" ? errorOf(message) : undefined;
  const stopped = stopReason === undefined ? undefined : toStopReason(stopReason);
  return {
    key,
    role,
    at: timestamp ?? at,
    content: content.filter((part) => role === "assistant" || part.type === "text").map(toContent),
    ...(stopped === undefined ? {} : { stopReason: stopped }),
    ...(error === undefined ? {} : { error }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(toolName === undefined ? {} : { toolName }),
    ...(isError === undefined ? {} : { isError }),
    ...(model === undefined ? {} : { model }),
    // While it streams it is counted up, and says nothing yet.
    ...(usage === undefined || stopReason === "pending" ? {} : { usage }),
  };
}

/** One line on what is wrong with a message: why it failed, or why it is not whole. */
function errorOf(message: PiMessage): string | undefined {
  const { stopReason, rawStopReason, errorMessage } = message;
  const cut = cutOf(message);
  if (cut !== undefined) return cutSentence(cut);
  if (stopReason !== "error" && errorMessage === undefined) return undefined;
  const words = reasonOf(errorMessage ?? "", rawStopReason);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function toContent(part: PiContent): Content {
  switch (part.type) {
    case "text":
      return part;
    case "thinking":
      return { type: "thinking", text: part.thinking };
    case "toolCall":
      return {
        type: "toolCall",
        id: part.id,
        name: part.name,
        args: JSON.stringify(part.arguments ?? {}),
      };
  }
}

function toStopReason(stopReason: string): StopReason | undefined {
  switch (stopReason) {
    case "pending":
    case "stop":
    case "length":
    case "toolUse":
    case "error":
    case "aborted":
      return stopReason;
    default:
      // What a newer pi may say, such as `deferred`: the message is over, and that is all we know.
      return "stop";
  }
}
