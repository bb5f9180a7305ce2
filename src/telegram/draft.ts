import type { PromptDraft } from "../domain/prompt.ts";
import type { Attachment } from "./attachments.ts";
import { collate } from "./collate.ts";

/** One content message as it waits in its burst: its file may still be on its way. */
export interface WaitingPart {
  readonly messageId: number;
  readonly text: string;
  readonly context?: string;
  readonly attachment?: Attachment;
}

/** The prompt of a burst that was flushed. It is collated as soon as its files have settled, each at its own place. */
export function createDraft(parts: readonly WaitingPart[]): PromptDraft {
  return {
    ready: Promise.all(
      parts.map(async ({ text, context, attachment }) => ({
        text,
        ...(context === undefined ? {} : { context }),
        ...(attachment === undefined ? {} : { attached: await attachment.settled }),
      })),
    ).then(collate),
    release: () => releaseParts(parts),
  };
}

/** Nobody needs these parts any more: their downloads stop and their pictures go. */
export function releaseParts(parts: readonly WaitingPart[]): void {
  for (const part of parts) part.attachment?.release();
}
