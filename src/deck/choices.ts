import type { AnswerValue, Question } from "../domain/question.ts";

export interface Choice {
  readonly label: string;
  readonly value: AnswerValue;
}

/** What a question can be answered with by one press; none where words are wanted. */
export function choicesOf({ kind, options }: Pick<Question, "kind" | "options">): readonly Choice[] {
  switch (kind) {
    case "select":
      return (options ?? []).map((option) => ({ label: option, value: option }));
    case "confirm":
      return [
        { label: "Yes", value: true },
        { label: "No", value: false },
      ];
    case "input":
    case "editor":
      return [];
  }
}
