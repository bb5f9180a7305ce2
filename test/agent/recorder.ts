import type { AgentEvent } from "../../src/domain/events.ts";
import type { Question } from "../../src/domain/question.ts";
import { applyEvent, emptyTranscript } from "../../src/domain/transcript.ts";
import type { Transcript } from "../../src/domain/transcript.ts";

/** Keeps what an agent says, and lets a test wait for it. */
export interface Recorder {
  readonly emit: (event: AgentEvent) => void;
  readonly events: readonly AgentEvent[];
  readonly ask: (question: Question) => void;
  readonly questions: readonly Question[];
  /** Resolves with the first question, that came or will. */
  readonly question: Promise<Question>;
  /** Resolves with the first event that is so, of those that came and those that will. */
  readonly next: (wanted: (event: AgentEvent) => boolean) => Promise<AgentEvent>;
  /** Forgets what came. */
  readonly clear: () => void;
}

export function createRecorder(): Recorder {
  let events: AgentEvent[] = [];
  const waiting = new Set<(event: AgentEvent) => void>();
  const questions: Question[] = [];
  const first = Promise.withResolvers<Question>();
  return {
    ask: (question) => {
      questions.push(question);
      first.resolve(question);
    },
    questions,
    question: first.promise,
    emit: (event) => {
      events.push(event);
      for (const look of waiting) look(event);
    },
    get events() {
      return events;
    },
    next: (wanted) =>
      new Promise((resolve) => {
        const found = events.find(wanted);
        if (found !== undefined) return resolve(found);
        const look = (event: AgentEvent): void => {
          if (!wanted(event)) return;
          waiting.delete(look);
          resolve(event);
        };
        waiting.add(look);
      }),
    clear: () => {
      events = [];
    },
  };
}

/** What a face would know after these events. */
export function fold(events: readonly AgentEvent[], before: Transcript = emptyTranscript): Transcript {
  return events.reduce(
    (state, event) => applyEvent(state, { ...event, seq: state.seq + 1, at: state.seq + 1 }),
    before,
  );
}

/** The text of each message of a role, in order. */
export function textsOf(
  { messages }: Transcript,
  role: "user" | "assistant" | "toolResult",
): readonly string[] {
  return messages
    .filter((message) => message.role === role)
    .map(({ content }) => content.map((part) => (part.type === "text" ? part.text : "")).join(""));
}
