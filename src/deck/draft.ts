import { emptyDraft, type DeckState, type Draft, type DraftImage } from "./state.ts";

/** Changes what is written to a session. */
export function write(state: DeckState, sessionId: string, change: Partial<Draft>): DeckState {
  const draft = { ...(state.drafts[sessionId] ?? emptyDraft), ...change };
  const { [sessionId]: _old, ...others } = state.drafts;
  const isEmpty = draft.text === "" && draft.images.length === 0;
  return { ...state, drafts: isEmpty ? others : { ...others, [sessionId]: draft } };
}

/** Adds pictures behind those that are there already. */
export function addImages(state: DeckState, sessionId: string, images: readonly DraftImage[]): DeckState {
  const { images: there } = state.drafts[sessionId] ?? emptyDraft;
  return write(state, sessionId, { images: [...there, ...images] });
}

/** What a key means in the composer. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  /** Whether an input method is composing: then Enter only picks a word. */
  readonly isComposing: boolean;
}

/** Enter sends and Shift+Enter breaks the line; on a touch screen, whose keyboard has no Shift+Enter, the other way round. */
export function sends({ key, shiftKey, isComposing }: Key, isTouch: boolean): boolean {
  return key === "Enter" && !isComposing && shiftKey === isTouch;
}
