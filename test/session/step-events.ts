import * as fc from "fast-check";
import type { AgentEvent, SessionEvent } from "../../src/domain/events.ts";
import { applyEvent, type Transcript } from "../../src/domain/transcript.ts";
import { type BufferedEvent } from "../../src/session/turn-buffer.ts";
import { assistant, opens, said, says, thinks, toolEnds, toolStarts } from "../domain/events.ts";

export const turnStart: AgentEvent = { type: "turn_start" };

export function toolSays(toolCallId: string, output: string): AgentEvent {
  return { type: "tool_execution_update", toolCallId, toolName: "bash", output };
}

export function discards(key: string): AgentEvent {
  return { type: "message_discard", key };
}

/** The entry that stands for a message in flight. */
export function whole(key: string, text: string, seq = 1): BufferedEvent {
  return {
    type: "message_update",
    key,
    seq,
    at: 0,
    message: assistant(key, [{ type: "text", text }], { stopReason: "pending" }),
  };
}

/**
 * Walks events of a step as a session does: folds each, and gives what is to be buffered for it, with whole messages
 * in place of pieces.
 */
export function walkStep(
  base: Transcript,
  events: readonly SessionEvent[],
  take: (event: BufferedEvent) => void,
): Transcript {
  let state = base;
  for (const event of events) {
    state = applyEvent(state, event);
    if (event.type === "message_update") {
      const { key, seq, at } = event;
      const message = state.messages.findLast((other) => other.key === key);
      if (message !== undefined) take({ type: "message_update", key, seq, at, message });
    } else if (isOfStep(event)) {
      take(event);
    }
  }
  return state;
}

function isOfStep(event: SessionEvent): event is SessionEvent & BufferedEvent {
  return event.type !== "notice" && !event.type.startsWith("agent_");
}

const key = fc.constantFrom("a", "b", "c");
const tool = fc.constantFrom("t1", "t2", "t3");
const text = fc.string({ maxLength: 12, unit: "grapheme" });

/** Events of one step in any order, likely or not. */
export const stepEvents: fc.Arbitrary<readonly AgentEvent[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: key.map(opens) },
    { weight: 8, arbitrary: fc.tuple(key, text, fc.nat(2)).map(([k, t, index]) => says(k, t, index)) },
    { weight: 2, arbitrary: fc.tuple(key, text).map(([k, t]) => thinks(k, t)) },
    { weight: 2, arbitrary: fc.tuple(key, text).map(([k, t]) => said(k, t)) },
    { weight: 1, arbitrary: key.map(discards) },
    { weight: 3, arbitrary: tool.map((id) => toolStarts(id, "bash", "ls")) },
    { weight: 8, arbitrary: fc.tuple(tool, text).map(([id, output]) => toolSays(id, output)) },
    { weight: 2, arbitrary: tool.map((id) => toolEnds(id)) },
  ),
  { maxLength: 60 },
);
