import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AnswerValue, Question } from "../domain/question.ts";
import { Icon } from "../page-kit/icon.tsx";
import { isEditable, takeFocus } from "./focus.ts";
import { useDeck, useNow, usePage } from "./page.ts";
import { choicesOf } from "./choices.ts";
import { runningSeconds } from "./words.ts";

export interface QuestionProps {
  readonly sessionId: string;
  readonly question: Question;
  /** How many more are open. */
  readonly others: number;
}

/** What the agent asks, in place; number keys choose. It takes the focus unless somebody is writing, and gives it back. */
export function QuestionDialog({ sessionId, question, others }: QuestionProps) {
  const { deck } = usePage();
  const frame = useRef<HTMLDivElement>(null);
  const isOpen = useDeck(({ link }) => link === "open");
  const isAnswered = useDeck(({ answering }) => answering.includes(question.id));
  // Not the attribute `disabled`: it would take the focus away from the button that was pressed.
  const isShut = !isOpen || isAnswered;
  const { id, title, message } = question;
  const answer = (value: AnswerValue): void => deck.answer(sessionId, id, value);
  const choices = choicesOf(question);

  useLayoutEffect(() => takeFocus(frame.current), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isEditable(event.target)) return;
      const choice = /^[1-9]$/.test(event.key) ? choices[Number(event.key) - 1] : undefined;
      if (choice === undefined) return;
      event.preventDefault();
      answer(choice.value);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });

  return (
    <div
      class="question"
      role="dialog"
      aria-labelledby={`title-${id}`}
      data-question={id}
      ref={frame}
      tabIndex={-1}
      aria-busy={isAnswered}
    >
      <header>
        <Icon name="question" />
        <h3 id={`title-${id}`}>{title}</h3>
        <Expiry at={question.expiresAt} />
        {others > 0 ? <small>and {others} more</small> : null}
        <button
          type="button"
          class="round"
          aria-label="Dismiss the question"
          title="Dismiss"
          aria-disabled={isShut}
          onClick={() => answer(null)}
        >
          <Icon name="close" />
        </button>
      </header>
      {message === undefined || message === "" ? null : <p class="words">{message}</p>}
      {choices.length > 0 ? (
        <ol class="choices">
          {choices.map(({ label, value }, index) => (
            <li key={index}>
              <button type="button" aria-disabled={isShut} onClick={() => answer(value)}>
                {index < 9 ? <kbd>{index + 1}</kbd> : null}
                <span>{label}</span>
              </button>
            </li>
          ))}
        </ol>
      ) : question.kind === "input" || question.kind === "editor" ? (
        <Words question={question} isShut={isShut} onAnswer={answer} />
      ) : (
        <p class="quiet">There is nothing to choose from.</p>
      )}
      {isOpen ? null : <p class="quiet">It can be answered when evie is back.</p>}
    </div>
  );
}

interface WordsProps {
  readonly question: Question;
  readonly isShut: boolean;
  readonly onAnswer: (words: string) => void;
}

function Words({ question: { id, kind, placeholder, prefill }, isShut, onAnswer }: WordsProps) {
  const [words, setWords] = useState(prefill ?? "");
  const field = {
    value: words,
    placeholder: placeholder ?? "",
    "aria-labelledby": `title-${id}`,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      setWords(event.currentTarget.value),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.isComposing) return;
    // In an editor Enter is a part of the text.
    if (kind === "editor" && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    onAnswer(words);
  };
  return (
    <div class="reply">
      {kind === "editor" ? (
        <textarea rows={6} onKeyDown={onKeyDown} {...field} />
      ) : (
        <input type="text" onKeyDown={onKeyDown} {...field} />
      )}
      <button type="button" class="primary" aria-disabled={isShut} onClick={() => onAnswer(words)}>
        Answer
      </button>
    </div>
  );
}

function Expiry({ at }: { readonly at: number | undefined }) {
  const now = useNow(at !== undefined, 1_000);
  if (at === undefined) return null;
  return <small class="took">{runningSeconds(Math.max(0, at - now))} left</small>;
}
