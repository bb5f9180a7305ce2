import type { TurnId } from "../domain/ids.ts";
import type { Prompt, PromptDraft } from "../domain/prompt.ts";
import type { Attachment } from "./attachments.ts";
import { isSameFile } from "./carried-file.ts";
import { collate, type Part } from "./collate.ts";
import { labels } from "./words.ts";

/** One content message as it waits in its burst: its file may still be on its way. */
export interface WaitingPart {
  /** The updates that it came with: the message, and what its author changed in it. */
  readonly sources: readonly number[];
  readonly messageId: number;
  readonly text: string;
  /** Present where a command was cut off in front of the text. */
  readonly behindCommand?: true;
  readonly context?: string;
  readonly attachment?: Attachment;
  /** The file of the message that this one replies to. */
  readonly replied?: Attachment;
}

/**
 * Makes the prompt of a burst that was flushed. It is collated as soon as its files have settled, each at its own place.
 * With `continued` it says that it goes on with the prompt of that turn, where the agent has that one.
 */
export function createDraft(parts: readonly WaitingPart[], continued?: TurnId): PromptDraft {
  return {
    sources: sourcesOf(parts),
    ready: readyPrompt(parts),
    release: () => releaseParts(parts),
    ...(continued === undefined ? {} : { continues: { turn: continued, label: labels.continues } }),
  };
}

async function readyPrompt(parts: readonly WaitingPart[]): Promise<Prompt> {
  const doubled = doubledIn(parts);
  for (const attachment of doubled) attachment.release();
  const settled = await Promise.all(
    parts.map(async ({ text, context, attachment, replied }): Promise<Part> => ({
      text,
      ...(context === undefined ? {} : { context }),
      ...(replied === undefined
        ? {}
        : { replied: doubled.has(replied) ? { type: "here" } : await replied.settled }),
      ...(attachment === undefined ? {} : { attached: await attachment.settled }),
    })),
  );
  return collate(settled);
}

/** The files of messages replied to that come with these parts anyway. */
function doubledIn(parts: readonly WaitingPart[]): ReadonlySet<Attachment> {
  const here = parts.flatMap(({ attachment }) => attachment?.file ?? []);
  const doubled = new Set<Attachment>();
  for (const { replied } of parts) {
    if (replied === undefined) continue;
    if (here.some((file) => isSameFile(file, replied.file))) doubled.add(replied);
    here.push(replied.file);
  }
  return doubled;
}

/** The updates that these parts came with. */
export function sourcesOf(parts: readonly WaitingPart[]): readonly number[] {
  return parts.flatMap(({ sources }) => sources);
}

/** Returns `after`, which takes the place of `before`. A file that is in that one alone is released. */
export function inPlaceOf<Part extends WaitingPart>(before: WaitingPart, after: Part): Part {
  if (before.attachment !== after.attachment) before.attachment?.release();
  return after;
}

/** Nobody needs these parts any more: their downloads stop and their pictures go. */
export function releaseParts(parts: readonly WaitingPart[]): void {
  for (const { attachment, replied } of parts) {
    attachment?.release();
    replied?.release();
  }
}
