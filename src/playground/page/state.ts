import type { ChatMessage, Frame, Snapshot, Step } from "../wire.ts";

/** What the page knows. Immutable. */
export interface State {
  readonly connected: boolean;
  /** Whether the server does not take the key of this browser, or there is none. */
  readonly locked: boolean;
  /** Undefined until the first connection. */
  readonly chat?: Snapshot;
  /** Milliseconds that the server's clock is ahead of the browser's. */
  readonly ahead: number;
  readonly toast?: string;
}

export const emptyState: State = { connected: false, locked: false, ahead: 0 };

/** The one fold. `now` is the browser's time. */
export function fold(state: State, frame: Frame, now: number): State {
  if (frame.type === "snapshot") {
    return { ...state, connected: true, locked: false, chat: frame.snapshot, ahead: frame.now - now };
  }
  if (frame.type === "toast") return { ...state, toast: frame.text };
  return state.chat === undefined ? state : { ...state, chat: foldChat(state.chat, frame) };
}

function foldChat(chat: Snapshot, frame: Exclude<Frame, { type: "snapshot" | "toast" }>): Snapshot {
  switch (frame.type) {
    case "message":
      return { ...chat, messages: upsert<ChatMessage>(chat.messages, frame.message) };
    case "gone":
      return { ...chat, messages: chat.messages.filter(({ id }) => id !== frame.id) };
    case "typing":
      return { ...chat, typingUntil: frame.until };
    case "commands":
      return { ...chat, commands: frame.commands };
    case "step":
      return { ...chat, steps: upsert<Step>(chat.steps, frame.step) };
    case "troubles":
      return { ...chat, troubles: frame.troubles };
    case "deck":
      return { ...chat, deck: frame.link };
  }
}

function upsert<Item extends { readonly id: number }>(items: readonly Item[], item: Item): readonly Item[] {
  const at = items.findLastIndex(({ id }) => id === item.id);
  return at === -1 ? [...items, item] : items.with(at, item);
}
