import type { TurnId } from "./ids.ts";

/** A picture for the model, kept in a file of evie's own until its turn has ended. */
export interface PromptImage {
  readonly mimeType: "image/jpeg" | "image/png" | "image/webp" | "image/gif";
  /** Absolute path; the driver reads it when the prompt is handed over. */
  readonly path: string;
}

/** A file that the agent can read by its path. Its line is part of the prompt's text already. */
export interface PromptFile {
  readonly path: string;
  /** The sender's name for it: data, never a path. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** What the agent is asked: one text, the pictures that go with it, the files that it mentions. */
export interface Prompt {
  readonly text: string;
  readonly images: readonly PromptImage[];
  readonly files: readonly PromptFile[];
}

/** A prompt with its pictures in it, for one that cannot be made again from anything else. */
export interface WholePrompt {
  readonly text: string;
  /** `data` is base64. */
  readonly images: readonly { readonly mimeType: string; readonly data: string }[];
}

/** A draft as the ledger keeps it until the agent has it: by the numbers of its sources, or whole. */
export type KeptDraft = { readonly sources: readonly number[] } | WholePrompt;

/** A prompt that may still be on its way, because files of it are being fetched. */
export interface PromptDraft {
  /** The numbers of what it is made of, for the ledger; whoever made it knows what they mean. */
  readonly sources?: readonly number[];
  /** What it is, for the ledger, where no sources are kept to make it of again. */
  readonly whole?: WholePrompt;
  /**
   * The turn whose prompt this one goes on with, and the line that is put in front of it where the agent has that prompt
   * in its history when this one's turn begins. Data, not a promise: a draft that waited for a turn could wait for one
   * that cannot run before it.
   */
  readonly continues?: { readonly turn: TurnId; readonly label: string };
  /** Never rejects: what could not be fetched is named in the prompt's text. */
  readonly ready: Promise<Prompt>;
  /** Says that nobody needs the prompt any more (its turn ended, or it was discarded): downloads stop, picture files go. Idempotent. */
  release(): void;
}

/** Whether there is anything to ask at all. */
export function isEmptyPrompt(prompt: Prompt): boolean {
  return prompt.text.trim() === "" && prompt.images.length === 0 && prompt.files.length === 0;
}

/**
 * Puts prompts that were never sent in front of the one that replaced them, in the order they were written, so
 * that nothing a person said is lost. Texts are joined by a blank line; a blank text adds nothing.
 */
export function joinPrompts(prompts: readonly Prompt[]): Prompt {
  const [only] = prompts;
  if (only !== undefined && prompts.length === 1) return only;
  return {
    text: joinTexts(prompts.map((prompt) => prompt.text)),
    images: prompts.flatMap((prompt) => prompt.images),
    files: prompts.flatMap((prompt) => prompt.files),
  };
}

/** Joins texts by a blank line, in order, leaving out those that say nothing. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== "").join("\n\n");
}
