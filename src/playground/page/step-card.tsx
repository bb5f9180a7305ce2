import type { TurnOutcome } from "../../domain/turn.ts";
import { browserClock } from "../../page-kit/browser-clock.ts";
import { CopyButton } from "../../page-kit/copy-button.tsx";
import type { Step } from "../wire.ts";
import { WindowBar } from "./window-bar.tsx";
import { useNow } from "./store.ts";
import { counted, exactTimeOf, seconds } from "./words.ts";

export interface StepCardProps {
  readonly step: Step;
  readonly windowMs: number;
  readonly ahead: number;
}

/** One thing that happened underneath. */
export function StepCard({ step, windowMs, ahead }: StepCardProps) {
  return (
    <li class={`step ${step.kind}`}>
      <time dateTime={new Date(step.at).toISOString()}>{exactTimeOf(step.at - ahead)}</time>
      <Detail step={step} windowMs={windowMs} ahead={ahead} />
    </li>
  );
}

function Detail({ step, windowMs, ahead }: StepCardProps) {
  switch (step.kind) {
    case "burst":
      return <Burst step={step} windowMs={windowMs} ahead={ahead} />;
    case "command":
      return (
        <p>
          <b>Command</b> <code>{step.text}</code>, done at once
        </p>
      );
    case "turn":
      return <Turn step={step} />;
    case "refusal":
      return <Refusal step={step} ahead={ahead} />;
    case "remark":
      return <p>{step.words}</p>;
  }
}

/** Parts of a burst that are listed before the middle is left out. */
const LISTED = 5;

function Burst({
  step,
  windowMs,
  ahead,
}: { readonly step: Extract<Step, { kind: "burst" }> } & Omit<StepCardProps, "step">) {
  const { parts, state } = step;
  const spread = (parts.at(-1)?.at ?? 0) - step.at;
  const shown = parts.length <= LISTED ? parts : parts.slice(0, LISTED - 1);
  return (
    <>
      <p>
        <b>{counted(parts.length, "message")}</b>
        {parts.length > 1 ? ` within ${spread < 1_000 ? `${spread} ms` : seconds(spread)}` : ""}
      </p>
      <ul class="parts">
        {shown.map(({ messageId, what }) => (
          <li key={messageId}>{what}</li>
        ))}
        {shown.length < parts.length ? <li>and {parts.length - shown.length} more</li> : null}
      </ul>
      {state === "open" ? <WindowBar parts={parts} windowMs={windowMs} ahead={ahead} /> : null}
      <p class="state">
        {state === "open"
          ? `waiting for ${windowMs} ms of quiet`
          : state === "flushed"
            ? "flushed as one prompt"
            : "discarded"}
      </p>
    </>
  );
}

function Turn({ step }: { readonly step: Extract<Step, { kind: "turn" }> }) {
  const { prompt, tools, sent, edited, deleted, endedAt, outcome } = step;
  const calls = [
    `${counted(sent, "message")} sent`,
    counted(edited, "edit"),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
  ];
  return (
    <>
      <p>
        <b>Turn</b> {outcome === undefined ? "running" : outcomeWords(outcome)}
        {endedAt === undefined ? "" : ` after ${seconds(endedAt - step.at)}`}
      </p>
      {prompt === undefined ? null : (
        <details>
          <summary>The prompt, {counted(prompt.length, "character")}</summary>
          <div class="prompt">
            <CopyButton text={prompt.text} what="the prompt" labelled clock={browserClock} />
            <pre tabIndex={0}>{prompt.text + (prompt.length > prompt.text.length ? "…" : "")}</pre>
          </div>
        </details>
      )}
      {tools.map((tool, index) => (
        <p class="tool" key={index}>
          <code>{tool}</code>
        </p>
      ))}
      <p class="state">{calls.join(", ")}</p>
    </>
  );
}

function outcomeWords(outcome: TurnOutcome): string {
  switch (outcome.type) {
    case "done":
      return "done";
    case "replaced":
      return "replaced by the next one";
    case "stopped":
      return "stopped";
    case "failed":
      return "failed";
  }
}

function Refusal({
  step,
  ahead,
}: {
  readonly step: Extract<Step, { kind: "refusal" }>;
  readonly ahead: number;
}) {
  const until = (step.until ?? 0) - ahead;
  const now = useNow(until > Date.now(), 250);
  return (
    <>
      <p>{step.words}</p>
      {step.until === undefined ? null : (
        <p class="state">
          {until > now ? `evie rests for ${Math.ceil((until - now) / 1_000)} s` : "the rest is over"}
        </p>
      )}
    </>
  );
}
