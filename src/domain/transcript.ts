import type { Content, Message, MessageDelta, Notice, ReplayEvent } from "./events.ts";
import type { TurnId } from "./ids.ts";
import type { InterruptedOutcome, TurnOutcome } from "./turn.ts";

/** A tool while it runs and after. Times are milliseconds since 1970. */
export interface ToolState {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly output: string;
  readonly isError: boolean;
  /** It had no end of its own before the turn was interrupted or ended. */
  readonly cutOff?: true;
}

export interface TurnState {
  readonly id: TurnId;
  readonly startedAt: number;
  /** How it ends, once it was interrupted. Nothing of it changes from then on, but for its end. */
  readonly interrupted?: InterruptedOutcome;
  readonly endedAt?: number;
  readonly outcome?: TurnOutcome;
}

/**
 * How the turn ends, as far as a person sees it: from an interruption on that is settled, whatever its agent does until
 * it has ended. Undefined while it goes on.
 */
export function endOf(turn: TurnState | undefined): TurnOutcome | undefined {
  const { interrupted, outcome } = turn ?? {};
  if (interrupted === undefined) return outcome;
  // The same in the end may say more of it: that the agent never had the prompt.
  return interrupted.type === outcome?.type ? { ...outcome, ...interrupted } : interrupted;
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
    case "agent_interrupted":
      if (state.turn === undefined) return { ...state, seq };
      return {
        ...closed(state, event.at),
        seq,
        turn: { ...state.turn, interrupted: event.outcome },
      };
    case "agent_end":
      if (state.turn === undefined) return { ...state, seq };
      return {
        ...closed(state, event.at),
        seq,
        turn: { ...state.turn, endedAt: event.at, outcome: event.outcome },
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
  return ["retrying", "compacting", "waiting_for_agent", "question_open"].includes(notice.type);
}

/** Whether more of a message may come. */
export function isPending(message: Message): boolean {
  return message.stopReason === "pending";
}

/** What was under way is over: an agent that is stopped, or dies, may never end its message or its tool. */
function closed(state: Omit<Transcript, "seq">, at: number): Omit<Transcript, "seq"> {
  const { messages, tools } = state;
  return {
    ...withoutNotice(state),
    messages: messages.some(isPending) ? messages.map(cutOff) : messages,
    tools: tools.some(isRunning) ? tools.map((tool) => cutOffTool(tool, at)) : tools,
  };
}

function cutOff(message: Message): Message {
  return isPending(message) ? { ...message, stopReason: "aborted" } : message;
}

function isRunning({ endedAt }: ToolState): boolean {
  return endedAt === undefined;
}

function cutOffTool(tool: ToolState, at: number): ToolState {
  return isRunning(tool) ? { ...tool, endedAt: at, cutOff: true } : tool;
}

function withoutNotice(state: Omit<Transcript, "seq">): Omit<Transcript, "seq"> {
  if (state.notice === undefined) return state;
  const { notice: _passed, ...rest } = state;
  return rest;
}

/** The messages with this one in the place of the one with its key, or behind all others. */
export function upsert(messages: readonly Message[], message: Message): readonly Message[] {
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
