import { useState } from "preact/hooks";
import { CopyButton } from "../page-kit/copy-button.tsx";
import { Icon } from "../page-kit/icon.tsx";
import { DiffView } from "./diff-view.tsx";
import { useNow, usePage } from "./page.ts";
import type { ToolCard } from "./rows.ts";
import { ShowWhole } from "./show-whole.tsx";
import { plainOutput } from "./terminal-text.ts";
import { readToolCall } from "./tool-call.ts";
import { runningSeconds, seconds } from "./words.ts";

const STATES: Readonly<Record<ToolCard["state"], string>> = {
  called: "not run yet",
  running: "running",
  done: "done",
  failed: "failed",
  stopped: "stopped",
};

/** The states that everybody is to read, and not only who cannot see the mark. */
const TOLD: readonly ToolCard["state"][] = ["failed", "stopped"];

/** A tool on one line; opened, what it was called with and what it said. */
export function ToolCardView({ card }: { readonly card: ToolCard }) {
  const [open, setOpen] = useState(false);
  const { name, args, state } = card;
  return (
    <div class={`tool ${state}`}>
      <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="open" />
        <b>{name}</b>
        <code>{card.summary ?? readToolCall(name, args).summary}</code>
        <Time card={card} />
        <i class={`mark ${state}`} aria-hidden="true" />
        <span class={TOLD.includes(state) ? `phase ${state}` : "unseen"}>{STATES[state]}</span>
      </button>
      {open ? <Inside card={card} /> : null}
    </div>
  );
}

function Time({ card: { state, startedAt, took } }: { readonly card: ToolCard }) {
  const isRunning = state === "running" && startedAt !== undefined;
  const now = useNow(isRunning, 1_000);
  if (took !== undefined) return <span class="took">{seconds(took)}</span>;
  return isRunning ? <span class="took">{runningSeconds(Math.max(0, now - startedAt))}</span> : null;
}

function Inside({ card }: { readonly card: ToolCard }) {
  const call = readToolCall(card.name, card.args);
  const output = plainOutput(card.output).replace(/\n+$/, "");
  return (
    <div class="inside">
      {call.command === undefined ? null : <Block label="Command" text={call.command} />}
      {call.edits.map((edit, index) => (
        <DiffView key={index} edit={edit} path={call.path ?? ""} />
      ))}
      {call.rest === undefined ? null : <Block label="Called with" text={call.rest} />}
      {output === "" ? (
        <p class="quiet">{card.state === "done" ? "No output." : "No output yet."}</p>
      ) : (
        <Block label={card.state === "failed" ? "Error" : "Output"} text={output} />
      )}
      {card.shortenedFrom === undefined ? null : <ShowWhole messageKey={card.shortenedFrom} />}
    </div>
  );
}

function Block({ label, text }: { readonly label: string; readonly text: string }) {
  const { clock } = usePage();
  return (
    <figure class="code-block">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={text} what={`the ${label.toLowerCase()}`} clock={clock} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
