import type { KeptDraft, Prompt, PromptDraft } from "./domain/prompt.ts";
import type { MakeDraft } from "./http/drafts.ts";

/** Makes a draft of updates again; undefined when nobody may ask them any more. */
export type DraftOf = (updates: readonly number[]) => PromptDraft | undefined;

/** A turn that was kept with its prompt and runs again, once. */
export interface Resumption {
  /** Has it run. What is made of updates in it comes when `resume` brings it. Does nothing the second time. */
  begin(): void;
  /** Has it run, with what is made of updates in it. */
  readonly resume: (draftOf: DraftOf) => void;
  /** Resolves when it was tried. */
  readonly begun: Promise<void>;
}

export interface ResumptionOptions {
  readonly makeDraft: MakeDraft;
  /** Called once. Throws when the turn cannot be written down. */
  readonly resume: (drafts: readonly PromptDraft[]) => void;
}

const NOTHING: Prompt = { text: "", images: [], files: [] };

/** Stands for a chat's message that cannot be read from the store any more. */
const LOST: PromptDraft = {
  ready: Promise.resolve({
    text: "[A message of the chat that belongs here could not be read on this machine.]",
    images: [],
    files: [],
  }),
  release: () => undefined,
};

export function createResumption(prompt: readonly KeptDraft[], options: ResumptionOptions): Resumption {
  const { makeDraft, resume } = options;
  const begun = Promise.withResolvers<void>();
  let parts = prompt.map((kept) => ("sources" in kept ? createLateDraft(kept.sources) : { whole: kept }));
  let isBegun = false;

  function begin(): void {
    if (isBegun) return;
    isBegun = true;
    begun.resolve();
    const all = parts;
    // The pictures of the others are not to stay in memory for as long as evie runs.
    parts = all.filter((part) => "bring" in part);
    resume(all.map((part) => ("whole" in part ? makeDraft(part.whole) : part.draft)));
  }

  return {
    begun: begun.promise,
    begin,
    resume(draftOf) {
      begin();
      const faults: unknown[] = [];
      for (const part of parts) {
        if (!("bring" in part)) continue;
        try {
          part.bring(draftOf(part.sources));
        } catch (error) {
          // The turn runs already, and would wait for this draft for ever.
          part.bring(LOST);
          faults.push(error);
        }
      }
      if (faults.length > 0) throw faults[0];
    },
  };
}

interface LateDraft {
  readonly sources: readonly number[];
  readonly draft: PromptDraft;
  readonly bring: (draft: PromptDraft | undefined) => void;
}

/** A draft that somebody makes who is not there yet. */
function createLateDraft(sources: readonly number[]): LateDraft {
  const brought = Promise.withResolvers<PromptDraft | undefined>();
  return {
    sources,
    bring: brought.resolve,
    draft: {
      sources,
      ready: brought.promise.then(async (draft) => (await draft?.ready) ?? NOTHING),
      release: () => void brought.promise.then((draft) => draft?.release()),
    },
  };
}
