import type { AgentEvent, Content, Message, SessionEvent, TurnEvent } from "../../src/domain/events.ts";
import { makeTurnId } from "../../src/domain/ids.ts";
import { applyEvent, emptyTranscript, type Transcript } from "../../src/domain/transcript.ts";
import type { Interruption, TurnOutcome } from "../../src/domain/turn.ts";

/** When the first event of a test's session is received; each later one comes a second after the one before. */
export const T0 = 1_000_000;
export const SECOND = 1_000;

const turnId = makeTurnId();

export const begin: TurnEvent = { type: "agent_start", turnId, face: "telegram" };

export function end(outcome: TurnOutcome): TurnEvent {
  return { type: "agent_end", turnId, outcome };
}

export function interrupted(type: Interruption): TurnEvent {
  return { type: "agent_interrupted", turnId, outcome: { type } };
}

/** A message of the agent's that is still being written. */
export function opens(key: string): AgentEvent {
  return { type: "message_start", key, message: assistant(key, [], { stopReason: "pending" }) };
}

export function says(key: string, text: string, contentIndex = 0): AgentEvent {
  return { type: "message_update", key, delta: { contentIndex, kind: "text", text } };
}

export function thinks(key: string, text: string, contentIndex = 0): AgentEvent {
  return { type: "message_update", key, delta: { contentIndex, kind: "thinking", text } };
}

/** A whole message of the agent's. */
export function said(key: string, ...content: readonly (string | Content)[]): AgentEvent {
  const parts = content.map((part): Content =>
    typeof part === "string" ? { type: "text", text: part } : part,
  );
  return { type: "message_end", key, message: assistant(key, parts, { stopReason: "stop" }) };
}

/** What the agent was asked, as it takes it into its history. */
export function asked(what: string | Content): AgentEvent {
  const content: Content = typeof what === "string" ? { type: "text", text: what } : what;
  return {
    type: "message_end",
    key: "asked",
    message: { key: "asked", role: "user", at: T0, content: [content] },
  };
}

export function assistant(key: string, content: readonly Content[], fields: Partial<Message> = {}): Message {
  return { key, role: "assistant", at: T0, content, ...fields };
}

export function toolStarts(toolCallId: string, toolName: string, summary: string): AgentEvent {
  return { type: "tool_execution_start", toolCallId, toolName, summary };
}

export function toolEnds(toolCallId: string, toolName = "bash"): AgentEvent {
  return { type: "tool_execution_end", toolCallId, toolName, output: "", isError: false };
}

/** Events as a session numbers them. */
export function numbered(events: readonly (AgentEvent | TurnEvent)[]): readonly SessionEvent[] {
  return events.map((event, index) => ({ ...event, seq: index + 1, at: T0 + index * SECOND }));
}

export function fold(events: readonly SessionEvent[], from: Transcript = emptyTranscript): Transcript {
  return events.reduce(applyEvent, from);
}

export function transcriptOf(...events: readonly (AgentEvent | TurnEvent)[]): Transcript {
  return fold(numbered(events));
}
