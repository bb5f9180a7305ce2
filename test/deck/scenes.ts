import type { Content, Message } from "../../src/domain/events.ts";
import type { Question } from "../../src/domain/question.ts";
import type { ClientFrame, ServerFrame, SessionInfo, Snapshot, WireEvent } from "../../src/domain/wire.ts";
import { assistant, numbered, T0 } from "../domain/events.ts";

/** A session as evie would describe it. */
export interface Scene {
  readonly snapshot: Snapshot;
  readonly seq: number;
  readonly questions: readonly Question[];
  /** The running step; none when it is empty. */
  readonly events: readonly WireEvent[];
}

export function info(id: string, fields: Partial<SessionInfo> = {}): SessionInfo {
  return {
    id,
    name: `Session ${id}`,
    cwd: "/home/ada/work",
    face: "deck",
    state: "idle",
    updatedAt: T0,
    ...fields,
  };
}

export function snapshotOf(sessionId: string, fields: Partial<Snapshot> = {}): Snapshot {
  return {
    sessionId,
    name: `Session ${sessionId}`,
    cwd: "/home/ada/work",
    state: "idle",
    messages: [],
    queue: [],
    ...fields,
  };
}

export function scene(
  sessionId: string,
  { snapshot = {}, ...fields }: Partial<Omit<Scene, "snapshot">> & { snapshot?: Partial<Snapshot> } = {},
): Scene {
  return { snapshot: snapshotOf(sessionId, snapshot), seq: 0, questions: [], events: [], ...fields };
}

/** The frames of an attach, in their order. */
export function attachFrames({ snapshot, seq, questions, events }: Scene): readonly ServerFrame[] {
  const { sessionId } = snapshot;
  return [
    { type: "subscribed", sessionId, snapshot, seq, turnEvents: events.length },
    ...questions.map((question): ServerFrame => ({ type: "question", sessionId, question })),
    ...(events.length === 0 ? [] : [{ type: "session_events" as const, sessionId, events }]),
  ];
}

/** Answers as evie would: attaches, and takes every prompt. */
export function answers(...scenes: readonly Scene[]): (frame: ClientFrame) => readonly ServerFrame[] {
  return (frame) => {
    switch (frame.type) {
      case "subscribe": {
        const found = scenes.find(({ snapshot }) => snapshot.sessionId === frame.sessionId);
        if (found !== undefined) return attachFrames(found);
        return [
          {
            type: "error",
            code: "unknown_session",
            message: "There is no such session.",
            sessionId: frame.sessionId,
          },
        ];
      }
      case "prompt":
        return [{ type: "accepted", sessionId: frame.sessionId, requestId: frame.requestId }];
      case "answer":
        return [
          {
            type: "question_closed",
            sessionId: frame.sessionId,
            questionId: frame.questionId,
            reason: "answered",
          },
        ];
      case "ping":
        return [{ type: "pong" }];
      case "unsubscribe":
      case "withdraw":
      case "abort":
        return [];
    }
  };
}

export function user(key: string, text: string, at = T0): Message {
  return { key, role: "user", at, content: [{ type: "text", text }] };
}

export function answered(key: string, ...content: readonly (string | Content)[]): Message {
  const parts = content.map((part): Content =>
    typeof part === "string" ? { type: "text", text: part } : part,
  );
  return assistant(key, parts, { stopReason: "stop" });
}

export function result(toolCallId: string, toolName: string, text: string, isError = false): Message {
  return {
    key: `result-${toolCallId}`,
    role: "toolResult",
    at: T0,
    content: [{ type: "text", text }],
    toolCallId,
    toolName,
    isError,
  };
}

export const QUESTION: Question = {
  id: "q-1",
  kind: "select",
  title: "Which way shall we go?",
  options: ["The short way", "The long way", "Not at all"],
};

/** A long text in paragraphs, `length` characters or a little more, that begins with `first` and ends with `last`. */
export function longText(length: number, first = "The beginning.", last = "The very end."): string {
  const paragraphs = [first];
  let size = first.length;
  for (let number = 1; size < length; number += 1) {
    const words = `Paragraph ${number} says **something** about \`part_${number}\`, and goes on for a while after that.`;
    paragraphs.push(words);
    size += words.length + 2;
  }
  return [...paragraphs, last].join("\n\n");
}

/** A session that has written `text` long ago and waits for an answer since, in the middle of its step. */
export function parked(sessionId: string, text: string): Scene {
  const message = assistant(
    "a-1",
    [
      { type: "text", text },
      { type: "toolCall", id: "t-ask", name: "ask", args: "{}" },
    ],
    { stopReason: "toolUse" },
  );
  return scene(sessionId, {
    snapshot: { state: "waiting", turn: { id: "t-1", startedAt: T0 } },
    seq: 1,
    questions: [QUESTION],
    events: numbered([
      { type: "notice", notice: { type: "compacting" } },
      { type: "turn_start" },
      { type: "message_start", key: "u-1", message: user("u-1", "Where to?") },
      { type: "message_start", key: "a-1", message: assistant("a-1", [], { stopReason: "pending" }) },
      { type: "message_end", key: "a-1", message },
      {
        type: "tool_execution_start",
        toolCallId: "t-ask",
        toolName: "ask",
        summary: "Which way shall we go?",
      },
    ]).slice(1),
  });
}
