import type { TurnOutcome } from "../domain/turn.ts";
import type { BotCommand, MessageEntity } from "./bot-api/shapes.ts";

/* What travels between the playground's server and its page. Moments are milliseconds since 1970 on the server. */

export interface SharedFile {
  readonly kind: "photo" | "document" | "audio" | "video" | "voice" | "animation";
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Where the page gets it. */
  readonly url: string;
  readonly width?: number;
  readonly height?: number;
}

export interface ChatButton {
  readonly text: string;
  readonly data?: string;
  readonly url?: string;
}

/** One message as the chat shows it now. */
export interface ChatMessage {
  readonly id: number;
  /** Whether the person wrote it, and not the bot. */
  readonly mine: boolean;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly buttons: readonly (readonly ChatButton[])[];
  readonly at: number;
  readonly edited: boolean;
  /** The bot's, sent without a sound. */
  readonly silent: boolean;
  /** One's own, and with evie already. */
  readonly received: boolean;
  readonly file?: SharedFile;
  /** Messages of one album share it. */
  readonly album?: string;
  readonly replyTo?: { readonly id: number; readonly mine: boolean; readonly text: string };
  readonly reaction?: string;
}

/** One thing that happened between the chat and the agent. Replaced as a whole when it goes on. */
export type Step = { readonly id: number; readonly at: number } & StepDetail;

export type StepDetail =
  /** Content messages that arrived in quick succession. */
  | {
      readonly kind: "burst";
      readonly parts: readonly { readonly messageId: number; readonly what: string; readonly at: number }[];
      readonly state: "open" | "flushed" | "discarded";
    }
  | { readonly kind: "command"; readonly text: string }
  | {
      readonly kind: "turn";
      /** As the agent got it, cut when it is very long; undefined until it has. */
      readonly prompt?: { readonly text: string; readonly length: number };
      readonly tools: readonly string[];
      /** Calls that made, changed and took away messages. */
      readonly sent: number;
      readonly edited: number;
      readonly deleted: number;
      readonly endedAt?: number;
      readonly outcome?: TurnOutcome;
    }
  /** The Bot API refused a call; `until` is the end of the rest that it asked for. */
  | { readonly kind: "refusal"; readonly words: string; readonly until?: number }
  | { readonly kind: "remark"; readonly words: string };

/** What is made to go wrong at the moment. */
export interface Troubles {
  /** The next call that speaks will be refused. */
  readonly flood: boolean;
  readonly outageUntil?: number;
  readonly slowFiles: boolean;
}

/** Who answers: the model of the person's own agent, or the stand-in. */
export type AnsweredBy = { readonly kind: "model"; readonly name: string } | { readonly kind: "stand-in" };

export interface Snapshot {
  readonly bot: string;
  readonly answeredBy: AnsweredBy;
  readonly workspace: string;
  /** The address of evie's deck, with the key to it; absent where there is none. */
  readonly deck?: string;
  /** Milliseconds of quiet after which a burst is flushed. */
  readonly windowMs: number;
  readonly messages: readonly ChatMessage[];
  readonly commands: readonly BotCommand[];
  /** Until when the bot's "typing" is shown; 0 for not at all. */
  readonly typingUntil: number;
  readonly steps: readonly Step[];
  readonly troubles: Troubles;
}

/** What the event stream carries; the first one is always a snapshot. `now` is the server's time. */
export type Frame =
  | { readonly type: "snapshot"; readonly now: number; readonly snapshot: Snapshot }
  | { readonly type: "message"; readonly message: ChatMessage }
  | { readonly type: "gone"; readonly id: number }
  | { readonly type: "typing"; readonly until: number }
  | { readonly type: "commands"; readonly commands: readonly BotCommand[] }
  | { readonly type: "step"; readonly step: Step }
  | { readonly type: "troubles"; readonly troubles: Troubles }
  /** Evie serves its deck there from now on. */
  | { readonly type: "deck"; readonly link: string }
  /** The answer to a button that was pressed. */
  | { readonly type: "toast"; readonly text: string };

/** Bodies of the page's actions, `POST /do/<name>`. Files go as a form to `POST /do/send`. */
export interface Actions {
  readonly say: { readonly text: string; readonly replyTo?: number; readonly quote?: string };
  readonly edit: { readonly id: number; readonly text: string };
  readonly delete: { readonly id: number };
  readonly press: { readonly id: number; readonly data: string };
  readonly trouble: { readonly name: "flood" | "outage" | "slowFiles"; readonly on: boolean };
}

/** Characters (UTF-16 units) of one text that the page takes: a megabyte, some 256 messages. */
export const LONGEST_TEXT = 2 ** 20;

/** Bytes of one file, as much as a bot may send; evie itself can fetch 20 MB. */
export const LARGEST_FILE = 50 * 2 ** 20;
