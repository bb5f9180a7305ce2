import type { Clock } from "../domain/clock.ts";
import type { AnswerValue, Question, QuestionClosed } from "../domain/question.ts";
import type { Answered } from "../domain/sessions.ts";

export interface QuestionsOptions {
  readonly clock: Clock;
  /** Called when a question was added, and when one was closed. The list is up to date then. */
  readonly opened: (question: Question) => void;
  readonly closed: (question: Question, reason: QuestionClosed) => void;
}

/** What the agent of one session asks and waits for. */
export interface Questions {
  /** Those that are open, the oldest first. */
  readonly open: readonly Question[];
  /** Holds a question until somebody answers it or nobody will. `answer` is called exactly once; with null when nobody did. */
  ask(question: Question, answer: (value: AnswerValue) => void): void;
  /** The first answer wins. */
  answer(id: string, value: AnswerValue): Answered;
  /** Closes all that are open: nobody will answer them. */
  cancelAll(): void;
}

interface Held {
  readonly question: Question;
  readonly answer: (value: AnswerValue) => void;
  readonly closing: AbortController;
}

/** Closed questions that are remembered, to tell late answers what became of them. */
const REMEMBERED = 100;

/** The registry of a session's questions. The agent says nothing when one has timed out, so they expire here. */
export function createQuestions({ clock, opened, closed }: QuestionsOptions): Questions {
  const held = new Map<string, Held>();
  const past = new Map<string, QuestionClosed>();

  function close(id: string, reason: QuestionClosed, value: AnswerValue): void {
    const one = held.get(id);
    if (one === undefined) return;
    held.delete(id);
    one.closing.abort();
    past.set(id, reason);
    for (const oldest of past.keys()) if (past.size > REMEMBERED) past.delete(oldest);
    // The agent first: whoever hears that the question is closed may count on it.
    one.answer(value);
    closed(one.question, reason);
  }

  async function expire({ id, expiresAt }: Question, closing: AbortSignal): Promise<void> {
    if (expiresAt === undefined) return;
    await clock.sleep(Math.max(0, expiresAt - clock.date()), closing);
    if (!closing.aborted) close(id, "expired", null);
  }

  return {
    get open() {
      return [...held.values()].map(({ question }) => question);
    },
    ask(question, answer) {
      // An agent that asks under an id that is taken does not wait for the older one any more.
      close(question.id, "cancelled", null);
      past.delete(question.id);
      const closing = new AbortController();
      held.set(question.id, { question, answer, closing });
      opened(question);
      void expire(question, closing.signal);
    },
    answer(id, value) {
      const one = held.get(id);
      if (one === undefined) {
        const reason = past.get(id);
        return reason === undefined ? "unknown" : reason === "answered" ? "already answered" : "closed";
      }
      if (!fits(one.question, value)) return "wrong kind";
      close(id, value === null ? "cancelled" : "answered", value);
      return "taken";
    },
    cancelAll() {
      for (const id of held.keys()) close(id, "cancelled", null);
    },
  };
}

function fits({ kind }: Question, value: AnswerValue): boolean {
  return value === null || typeof value === (kind === "confirm" ? "boolean" : "string");
}
