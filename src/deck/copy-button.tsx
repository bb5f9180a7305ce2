import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { useLater } from "./page.ts";

const SHOWN_MS = 1_500;

/** Copies `text`; `what` names it for those who cannot see it. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [copied, setCopied] = useState(false);
  useLater(copied, SHOWN_MS, () => setCopied(false));
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
    </button>
  );
}
