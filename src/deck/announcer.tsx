import { useEffect, useRef, useState } from "preact/hooks";
import { clip } from "../domain/text.ts";
import { endOf } from "../domain/transcript.ts";
import { isWorking, type Conversation } from "./state.ts";
import { outcomeWords } from "./words.ts";

const LONGEST_SPOKEN = 400;

/** Tells a screen reader what changes: an answer once it stands, for the transcript that grows is silent. */
export function Announcer({ conversation }: { readonly conversation: Conversation | undefined }) {
  const [words, setWords] = useState("");
  const runs = conversation !== undefined && isWorking(conversation);
  const question = conversation?.questions[0];
  const before = useRef({ id: conversation?.about.sessionId, runs, question: question?.id });

  useEffect(() => {
    const { id, runs: ran, question: asked } = before.current;
    before.current = { id: conversation?.about.sessionId, runs, question: question?.id };
    // Another session is another conversation, not news of this one.
    if (conversation === undefined || id !== conversation.about.sessionId) return setWords("");
    if (question !== undefined && question.id !== asked) setWords(`evie asks: ${question.title}`);
    else if (runs && !ran) setWords("evie is working.");
    else if (!runs && ran) setWords(lastWords(conversation));
  }, [conversation?.about.sessionId, runs, question?.id]);

  return (
    <p class="unseen" role="status" aria-live="polite">
      {words}
    </p>
  );
}

function lastWords({ transcript }: Conversation): string {
  const outcome = endOf(transcript.turn);
  if (outcome !== undefined && outcome.type !== "done") return outcomeWords(outcome) ?? "";
  const said =
    transcript.messages.findLast(({ role, afterStop }) => role === "assistant" && afterStop !== true)
      ?.content ?? [];
  const text = said.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return `evie: ${text.length > LONGEST_SPOKEN ? `${clip(text, LONGEST_SPOKEN)}… and more` : text}`;
}
