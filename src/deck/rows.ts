import type { ToolState } from "../domain/transcript.ts";
import type { WireContent, WireMessage } from "../domain/wire.ts";
import type { Conversation } from "./state.ts";

/** A tool's call with what came of it. */
export interface ToolCard {
  readonly type: "tool";
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** What the agent's side says that it is about; absent where nobody saw it start. */
  readonly summary?: string;
  /** `stopped`: the turn was interrupted before it had ended. */
  readonly state: "called" | "running" | "done" | "failed" | "stopped";
  readonly output: string;
  /** The key of the message that has all of the output, when this is its head and tail. */
  readonly shortenedFrom?: string;
  /** Milliseconds since 1970 by evie's clock; absent likewise. */
  readonly startedAt?: number;
  /** Milliseconds that it took, where that is known. */
  readonly took?: number;
}

export type Part = Exclude<WireContent, { type: "toolCall" }> | ToolCard;

/** One message as it is shown: a tool's result is shown with its call. */
export interface Row {
  readonly key: string;
  readonly message: WireMessage;
  readonly parts: readonly Part[];
}

/** One row, or all in succession of what an agent said after its turn was interrupted. */
export type RowGroup =
  { readonly key: string; readonly row: Row } | { readonly key: string; readonly afterStop: readonly Row[] };

/** The rows as they are laid out, in order. */
export function groupsOf(rows: readonly Row[]): readonly RowGroup[] {
  const groups: RowGroup[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (row.message.afterStop !== true) groups.push({ key: row.key, row });
    else if (last === undefined || "row" in last) groups.push({ key: row.key, afterStop: [row] });
    else groups[groups.length - 1] = { ...last, afterStop: [...last.afterStop, row] };
  }
  return groups;
}

/** What is shown of a conversation, one row a message. Rows whose message and tools are as before are the very same. */
export function rowsOf(
  { older, transcript, durations }: Conversation,
  before: readonly Row[] = [],
): readonly Row[] {
  const messages: readonly WireMessage[] = [...older, ...transcript.messages];
  const tools = new Map(transcript.tools.map((tool) => [tool.id, tool]));
  const called = new Set<string>();
  const results = new Map<string, WireMessage>();
  for (const message of messages) {
    if (message.role === "toolResult" && message.toolCallId !== undefined) {
      results.set(message.toolCallId, message);
    }
    for (const part of message.content) if (part.type === "toolCall") called.add(part.id);
  }
  const known = new Map(before.map((row) => [row.key, row]));
  const cardOf = (id: string, name: string, args: string, by: WireMessage): ToolCard => {
    const result = results.get(id);
    const isStopped = tools.get(id)?.cutOff === true || (result?.afterStop === true && by.afterStop !== true);
    const card = toolCard({ id, name, args }, tools.get(id), result, durations[id]);
    return isStopped ? { ...card, state: "stopped" } : card;
  };

  const rows: Row[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      const id = message.toolCallId ?? message.key;
      // Its call was cut off with the messages before.
      if (called.has(id)) continue;
      rows.push({ key: message.key, message, parts: [cardOf(id, message.toolName ?? "tool", "", message)] });
    } else if (message.role === "user" || message.role === "assistant") {
      const parts = message.content.map((part): Part =>
        part.type === "toolCall" ? cardOf(part.id, part.name, part.args, message) : part,
      );
      rows.push({ key: message.key, message, parts });
    }
  }
  return rows.map((row) => {
    const old = known.get(row.key);
    return old !== undefined && isSame(old, row) ? old : row;
  });
}

function toolCard(
  { id, name, args }: Pick<ToolCard, "id" | "name" | "args">,
  tool: ToolState | undefined,
  result: WireMessage | undefined,
  duration: number | undefined,
): ToolCard {
  const took = duration ?? (tool?.endedAt === undefined ? undefined : tool.endedAt - tool.startedAt);
  const text = result?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
  const isError = result?.isError ?? tool?.isError ?? false;
  const isOver = result !== undefined || tool?.endedAt !== undefined;
  return {
    type: "tool",
    id,
    name: tool?.name ?? name,
    args,
    state: isOver ? (isError ? "failed" : "done") : tool === undefined ? "called" : "running",
    output: text === "" ? (tool?.output ?? "") : text,
    ...(result?.shortened === true ? { shortenedFrom: result.key } : {}),
    ...(tool === undefined ? {} : { startedAt: tool.startedAt, summary: tool.summary }),
    ...(took === undefined ? {} : { took }),
  };
}

function isSame(one: Row, other: Row): boolean {
  return (
    one.message === other.message &&
    one.parts.length === other.parts.length &&
    one.parts.every((part, index) => {
      const against = other.parts[index];
      if (part === against) return true;
      if (part.type !== "tool" || against?.type !== "tool") return false;
      return (
        part.state === against.state &&
        part.output === against.output &&
        part.took === against.took &&
        part.startedAt === against.startedAt
      );
    })
  );
}
