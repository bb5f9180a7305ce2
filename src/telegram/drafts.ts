import type { ChatKey, TurnId } from "../domain/ids.ts";
import type { PromptDraft } from "../domain/prompt.ts";
import { createDraft, type WaitingPart } from "./draft.ts";

/** A prompt that a session has, and what it is made of. */
export interface HeldDraft {
  readonly draft: PromptDraft;
  readonly parts: readonly WaitingPart[];
  /** The turn whose prompt it goes on with. */
  readonly continued?: TurnId;
}

/** The prompts of chats that sessions have, as long as their turns have not ended. */
export interface Drafts {
  /** Makes the prompt of a burst that was flushed, and holds it until it is released. */
  make(key: ChatKey, parts: readonly WaitingPart[], continued?: TurnId): PromptDraft;
  /** Returns the prompt that a message of that chat is in; undefined when none is held. */
  holding(key: ChatKey, messageId: number): HeldDraft | undefined;
  /** Holds a prompt no more, without releasing it: another one has its files. */
  forget(key: ChatKey, draft: PromptDraft): void;
}

export function createDrafts(): Drafts {
  const held = new Map<ChatKey, readonly HeldDraft[]>();

  function forget(key: ChatKey, draft: PromptDraft): void {
    const others = (held.get(key) ?? []).filter((each) => each.draft !== draft);
    if (others.length === 0) held.delete(key);
    else held.set(key, others);
  }

  return {
    make(key, parts, continued) {
      const made = createDraft(parts, continued);
      const draft: PromptDraft = {
        ...made,
        release() {
          forget(key, draft);
          made.release();
        },
      };
      const one: HeldDraft = { draft, parts, ...(continued === undefined ? {} : { continued }) };
      held.set(key, [...(held.get(key) ?? []), one]);
      return draft;
    },
    holding: (key, id) =>
      held.get(key)?.findLast(({ parts }) => parts.some(({ messageId }) => messageId === id)),
    forget,
  };
}
