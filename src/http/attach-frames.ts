import type { Observation } from "../domain/sessions.ts";
import type { ServerFrame } from "../domain/wire.ts";

/** What somebody who attaches is sent, in order: the snapshot, the open questions, and the running step in one frame. */
export function attachFrames(sessionId: string, observation: Observation): readonly ServerFrame[] {
  const { snapshot, seq, questions, replay } = observation;
  return [
    { type: "subscribed", sessionId, snapshot, seq, turnEvents: replay.length },
    ...questions.map((question): ServerFrame => ({ type: "question", sessionId, question })),
    ...(replay.length === 0 ? [] : [{ type: "session_events", sessionId, events: replay } as const]),
  ];
}
