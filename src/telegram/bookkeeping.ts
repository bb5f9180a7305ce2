import type { ChatKey, TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { TurnOutcome } from "../domain/turn.ts";
import type { DeliveryLedger } from "./delivery.ts";
import type { ShownMessage } from "./reconcile.ts";

/** What Telegram needs of a store to go on after a restart. Each call throws when the store does, and what it wrote outlives evie when it returns. */
export interface TurnStore {
  /** The chat shows these messages of that turn now, in order, and no others. */
  keep(
    turn: TurnId,
    chat: ChatKey,
    bubbles: readonly { readonly messageId: number; readonly content: string }[],
  ): void;
  /** What it showed last. */
  of(turn: TurnId): readonly { readonly messageId: number; readonly content: string }[];
  /** The chat shows all of the turn. */
  delivered(turn: TurnId): void;
  /** Those that ended and are not delivered, the oldest first. `said` has a text a message. */
  undelivered(): readonly {
    readonly id: TurnId;
    readonly chat: ChatKey;
    readonly outcome: TurnOutcome;
    readonly said: readonly string[];
  }[];
  /** How it ended, and what the agent said in it. */
  ended(turn: TurnId, outcome: TurnOutcome, said: readonly string[]): void;
  /** What it was made of is another turn's now. */
  giveUp(turn: TurnId): void;
  /** Updates that nobody answers before a person says so, under the name of a turn. They are spent. */
  shelved(turn: TurnId, updates: readonly number[]): void;
  /**
   * Names an update in the last turn that is made of the message of that id in that chat: its author has changed it.
   * Nothing where no turn is made of it.
   */
  edited(chat: ChatKey, messageId: number, update: number): void;
  /** The updates that it is made of. */
  get(turn: TurnId): { readonly sources: readonly number[] } | undefined;
  /** A person wants it done again. False when that was so already. */
  repeat(turn: TurnId): boolean;
}

/** Writes down what one chat shows of one turn. A store that cannot costs a message that is sent twice, at the worst. */
export function deliveryLedger(store: TurnStore, chat: ChatKey, turn: TurnId, log: Log): DeliveryLedger {
  function note(write: () => void): void {
    try {
      write();
    } catch (error) {
      log.error({ err: error, turn }, "what a chat shows could not be written down");
    }
  }
  return {
    shown: (messages) =>
      note(() =>
        store.keep(
          turn,
          chat,
          messages.map(({ messageId, ...content }) => ({ messageId, content: JSON.stringify(content) })),
        ),
      ),
    delivered: () => note(() => store.delivered(turn)),
  };
}

/** What a chat showed of a turn when it was last written down. */
export function shownBefore(store: TurnStore, turn: TurnId): readonly ShownMessage[] {
  return store.of(turn).map(({ messageId, content }) => ({
    ...(JSON.parse(content) as Omit<ShownMessage, "messageId">),
    messageId,
  }));
}
