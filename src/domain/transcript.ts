import type { Content, Message, MessageDelta, Notice, ReplayEvent } from "./events.ts";
import type { TurnId } from "./ids.ts";
import type { TurnOutcome } from "./turn.ts";

/** A tool while it runs and after. Times are milliseconds since 1970. */
export interface ToolState {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly output: string;
  readonly isError: boolean;
}

export interface TurnState {
  readonly id: TurnId;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outcome?: TurnOutcome;
}

/** What a face knows of a conversation: the result of folding its events. Immutable. */
export interface Transcript {
  /** The number of the last event folded; 0 before any. */
  readonly seq: number;
  readonly turn?: TurnState;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolState[];
  /** What the person is being told at the moment; it passes when the agent speaks again. */
  readonly notice?: Notice;
  /** Notices that stay true for the whole turn, in order. */
  readonly remarks: readonly Notice[];
}

export const emptyTranscript: Transcript = { seq: 0, messages: [], tools: [], remarks: [] };

/**
 * The one fold. Pure: ids and times come from the event. An event at or below `state.seq` changes nothing, so a
 * batch that overlaps live events is harmless.
 */
export function applyEvent(state: Transcript, event: ReplayEvent): Transcript {
  if (event.seq <= state.seq) return state;
  return step(state, event);
}

/** To the fold a state has no number of its own: each step has to give it the event's. */
function step(state: Omit<Transcript, "seq">, event: ReplayEvent): Transcript {
  const { seq } = event;
  switch (event.type) {
    case "agent_start":
      return {
        ...withoutNotice(state),
        seq,
        turn: { id: event.turnId, startedAt: event.at },
        tools: [],
        remarks: [],
      };
    case "agent_end":
      if (state.turn === undefined) return { ...state, seq };
      return {
        ...withoutNotice(state),
        seq,
        turn: { ...state.turn, endedAt: event.at, outcome: event.outcome },
        messages: state.messages.some(isPending) ? state.messages.map(cutOff) : state.messages,
      };
    case "turn_start":
    case "turn_end":
      return { ...state, seq };
    case "message_start":
    case "message_end":
      return { ...withoutNotice(state), seq, messages: upsert(state.messages, event.message) };
    case "message_update":
      return { ...withoutNotice(state), seq, messages: update(state.messages, event) };
    case "message_discard":
      return { ...state, seq, messages: state.messages.filter((message) => message.key !== event.key) };
    case "tool_execution_start":
      return {
        ...withoutNotice(state),
        seq,
        tools: [
          ...state.tools,
          {
            id: event.toolCallId,
            name: event.toolName,
            summary: event.summary,
            startedAt: event.at,
            output: "",
            isError: false,
          },
        ],
      };
    case "tool_execution_update":
      return {
        ...state,
        seq,
        tools: replaceTool(state.tools, event.toolCallId, (tool) => ({ ...tool, output: event.output })),
      };
    case "tool_execution_end":
      return {
        ...state,
        seq,
        tools: replaceTool(state.tools, event.toolCallId, (tool) => ({
          ...tool,
          output: event.output,
          isError: event.isError,
          endedAt: event.at,
        })),
      };
    case "notice":
      return isPassing(event.notice)
        ? { ...state, seq, notice: event.notice }
        : { ...state, seq, remarks: [...state.remarks, event.notice] };
  }
}

function isPassing(notice: Notice): boolean {
  return notice.type === "retrying" || notice.type === "compacting" || notice.type === "question_open";
}

function isPending(message: Message): boolean {
  return message.stopReason === "pending";
}

/** An agent that dies in the middle of a message never ends it: with its turn it has ended. */
function cutOff(message: Message): Message {
  return isPending(message) ? { ...message, stopReason: "aborted" } : message;
}

function withoutNotice(state: Omit<Transcript, "seq">): Omit<Transcript, "seq"> {
  if (state.notice === undefined) return state;
  const { notice: _passed, ...rest } = state;
  return rest;
}

function upsert(messages: readonly Message[], message: Message): readonly Message[] {
  const at = messages.findLastIndex((other) => other.key === message.key);
  return at === -1 ? [...messages, message] : messages.with(at, message);
}

function update(
  messages: readonly Message[],
  event: ReplayEvent & { readonly type: "message_update" },
): readonly Message[] {
  const at = messages.findLastIndex((message) => message.key === event.key);
  const message = messages[at];
  if (message === undefined) return messages;
  return messages.with(at, "message" in event ? event.message : append(message, event.delta));
}

function replaceTool(
  tools: readonly ToolState[],
  id: string,
  change: (tool: ToolState) => ToolState,
): readonly ToolState[] {
  const at = tools.findLastIndex((tool) => tool.id === id);
  const tool = tools[at];
  return tool === undefined ? tools : tools.with(at, change(tool));
}

function append(message: Message, { contentIndex, kind, text, toolCall }: MessageDelta): Message {
  const content = [...message.content];
  // An agent that opens content 2 before content 1 must not leave a hole that later folds trip over.
  while (content.length < contentIndex) content.push({ type: "text", text: "" });
  content[contentIndex] = extend(content[contentIndex], kind, text, toolCall);
  return { ...message, content };
}

function extend(
  old: Content | undefined,
  kind: MessageDelta["kind"],
  text: string,
  toolCall: MessageDelta["toolCall"],
): Content {
  if (kind === "toolCall") {
    if (old?.type === "toolCall") return { ...old, args: old.args + text };
    return { type: "toolCall", id: toolCall?.id ?? "", name: toolCall?.name ?? "", args: text };
  }
  return { type: kind, text: (old?.type === kind ? old.text : "") + text };
}
