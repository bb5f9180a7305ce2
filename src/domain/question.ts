/** Something that the agent asks the person and waits for. */
export interface Question {
  readonly id: string;
  readonly kind: "select" | "confirm" | "input" | "editor";
  readonly title: string;
  readonly message?: string;
  /** With `select`: what may be chosen. */
  readonly options?: readonly string[];
  readonly placeholder?: string;
  /** With `editor`: the text to begin with. */
  readonly prefill?: string;
  /** Milliseconds since 1970 at which nobody waits for the answer any more. */
  readonly expiresAt?: number;
}

/** What a person makes of a question: a text (the option chosen, the words), yes or no to `confirm`, or nothing. */
export type AnswerValue = string | boolean | null;

/** Why a question is no longer open. */
export type QuestionClosed = "answered" | "cancelled" | "expired";
