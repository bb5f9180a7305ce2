import { memo } from "preact/compat";
import { useState } from "preact/hooks";
import { trimLines } from "../domain/text.ts";
import { CopyButton } from "../page-kit/copy-button.tsx";
import { Icon } from "../page-kit/icon.tsx";
import { MarkdownView } from "./markdown-view.tsx";
import { usePage } from "./page.ts";
import { Picture } from "./picture.tsx";
import type { Part, Row } from "./rows.ts";
import { ShowWhole } from "./show-whole.tsx";
import { ToolCardView } from "./tool-card.tsx";
import { timeOf, troubleWords, usageWords } from "./words.ts";

/** One message with the tools that it called. */
export const MessageRow = memo(DrawnRow);

function DrawnRow({ row: { key, message, parts } }: { readonly row: Row }) {
  const { clock } = usePage();
  const { role, at, stopReason, usage } = message;
  const isMine = role === "user";
  const isOpen = stopReason === "pending";
  const words = trimLines(parts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n"));
  const trouble = troubleWords(message);
  const shown = parts.filter(
    (part) => part.type === "tool" || part.type === "image" || part.text.trim() !== "",
  );
  // The agent's messages that say nothing: they only carried results to it.
  if (shown.length === 0 && trouble === undefined && !isOpen) return null;
  return (
    <li class={isMine ? "row mine" : "row theirs"} data-key={key}>
      <article class={isMine ? "bubble" : "said"} aria-label={`${isMine ? "You" : "evie"}, ${timeOf(at)}`}>
        {parts.map((part, index) => (
          <PartView
            key={index}
            part={part}
            isMine={isMine}
            isOpen={isOpen}
            isLast={index === parts.length - 1}
          />
        ))}
        {message.shortened === true && message.role !== "toolResult" ? <ShowWhole messageKey={key} /> : null}
        {trouble === undefined ? null : (
          <p class="trouble">
            <Icon name="problem" />
            <span>{trouble}</span>
          </p>
        )}
        {words === "" || isOpen ? null : (
          <footer class="meta">
            <time dateTime={new Date(at).toISOString()}>{timeOf(at)}</time>
            {usage === undefined ? null : <span>{usageWords(usage)}</span>}
            <CopyButton text={words} what="the message" clock={clock} />
          </footer>
        )}
      </article>
    </li>
  );
}

interface PartProps {
  readonly part: Part;
  readonly isMine: boolean;
  /** Whether more of the message may come. */
  readonly isOpen: boolean;
  readonly isLast: boolean;
}

function PartView({ part, isMine, isOpen, isLast }: PartProps) {
  switch (part.type) {
    case "text":
      if (part.text.trim() === "") return null;
      // What a person wrote is shown as it was written.
      return isMine ? <p class="words">{part.text}</p> : <MarkdownView text={part.text} isOpen={isOpen} />;
    case "thinking":
      return part.text.trim() === "" ? null : <Thinking text={part.text} isOpen={isOpen && isLast} />;
    case "image":
      return <Picture path={part.url} />;
    case "tool":
      return <ToolCardView card={part} />;
    default:
      // A newer evie may send what this page cannot show.
      return null;
  }
}

function Thinking({ text, isOpen }: { readonly text: string; readonly isOpen: boolean }) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <div class="thinking">
      <button type="button" class="fold" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
        <Icon name="open" />
        <span>{isOpen ? "Thinking…" : "Thought"}</span>
      </button>
      {unfolded ? <p class="words">{text.trim()}</p> : null}
    </div>
  );
}
