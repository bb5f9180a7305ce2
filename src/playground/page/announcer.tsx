import { useEffect, useRef, useState } from "preact/hooks";
import { clip } from "../../domain/text.ts";
import type { ChatMessage, Snapshot } from "../wire.ts";

const LONGEST_SPOKEN = 400;

/**
 * Says the bot's messages to a screen reader once they stand: an answer that grows would be read out again with
 * each edit, so the chat itself is silent.
 */
export function Announcer({ chat }: { readonly chat: Snapshot }) {
  const said = useRef(new Set(chat.messages.map(({ id }) => id)));
  const [words, setWords] = useState("");
  const runs = chat.steps.some((step) => step.kind === "turn" && step.endedAt === undefined);
  const fresh = chat.messages.filter(({ id, mine }) => !mine && !said.current.has(id));
  const settled = fresh.map(({ id, text }) => `${id}${text}`).join();

  useEffect(() => {
    if (fresh.length === 0) return undefined;
    if (runs) {
      setWords("evie is answering.");
      return undefined;
    }
    // The last edit comes a moment after the turn's end.
    const timer = setTimeout(() => {
      for (const { id } of fresh) said.current.add(id);
      setWords(spoken(fresh));
    }, 1_500);
    return () => clearTimeout(timer);
  }, [runs, settled]);

  return (
    <p class="unseen" role="status" aria-live="polite">
      {words}
    </p>
  );
}

function spoken(messages: readonly ChatMessage[]): string {
  const text = messages.map((message) => message.text || (message.file?.name ?? "")).join("\n");
  return `evie: ${text.length > LONGEST_SPOKEN ? `${clip(text, LONGEST_SPOKEN)}… and more` : text}`;
}
