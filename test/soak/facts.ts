import type { StrangersFacts } from "./strangers.ts";

/** What a soak has seen from Telegram's side. */
export interface TelegramFacts {
  readonly strangers: StrangersFacts;
  readonly chats: readonly ChatFacts[];
  readonly calls: number;
  /** By their HTTP status; `lost` for those that were never answered. */
  readonly answers: Readonly<Record<string, number>>;
  readonly outages: number;
  /** Calls into a rest that Telegram had asked for, and calls that it refused as wrong: one line each. */
  readonly violations: readonly string[];
  readonly refusals: readonly string[];
}

export interface ChatFacts {
  readonly id: number;
  /** What its person wrote. */
  readonly written: readonly { readonly messageId: number; readonly tag: string }[];
  /** What the bot shows in the end. */
  readonly shown: readonly { readonly messageId: number; readonly text: string }[];
  /** The texts of sends that had their effect and whose answer was lost: the bot may send each once more. */
  readonly unknown: readonly string[];
}

/** A line of the fake agents' record. */
export interface AgentNote {
  readonly at: number;
  readonly pid: number;
  readonly event: string;
  readonly record?: { readonly type: string; readonly message?: string };
}
