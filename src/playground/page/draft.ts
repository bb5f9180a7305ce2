import type { ChatMessage } from "../wire.ts";

/** What the composer is about, besides a new message. */
export type About =
  | { readonly type: "reply"; readonly to: ChatMessage; readonly quote?: string }
  | { readonly type: "edit"; readonly message: ChatMessage };

/** A file that is about to be sent. */
export interface ChosenFile {
  readonly id: number;
  readonly file: File;
  /** Of a picture; undefined for anything else. */
  readonly preview?: string;
  /** `800x600`, once it is known. */
  readonly size?: string;
}

/** Characters of one message at Telegram. */
const LONGEST_MESSAGE = 4_096;

/** In how many messages a text arrives, roughly: the client may cut a little earlier. */
export function messagesFor(text: string): number {
  return Math.ceil(text.trim().length / LONGEST_MESSAGE);
}
