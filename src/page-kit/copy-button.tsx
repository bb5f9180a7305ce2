import { useState } from "preact/hooks";
import type { Clock } from "../domain/clock.ts";
import { Icon } from "./icon.tsx";
import { useLater } from "./use-later.ts";

const SHOWN_MS = 1_500;

export interface CopyButtonProps {
  readonly text: string;
  /** Names the text for those who cannot see it. */
  readonly what: string;
  /** Whether it says in words what it does. */
  readonly labelled?: boolean;
  readonly clock: Clock;
}

/** Copies `text`, and shows for a while that it did. */
export function CopyButton({ text, what, labelled = false, clock }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useLater(clock, copied, SHOWN_MS, () => setCopied(false));
  const copy = (): void => {
    // Refused only where the browser keeps the clipboard from this page; then nothing is shown as copied.
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button type="button" class="copy" aria-label={copied ? "Copied" : `Copy ${what}`} onClick={copy}>
      <Icon name={copied ? "check" : "copy"} />
      {labelled ? <span>{copied ? "Copied" : "Copy"}</span> : null}
    </button>
  );
}
