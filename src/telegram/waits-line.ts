import type { ChatKey, ChatPlace, TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { deliveryLedger, type TurnStore } from "./bookkeeping.ts";
import type { Outbox } from "./outbox.ts";
import { NOW } from "./parts.ts";
import { NOW_WORD, replies } from "./words.ts";

export interface WaitsLineOptions {
  readonly key: ChatKey;
  readonly place: ChatPlace;
  readonly outbox: Pick<Outbox, "reply" | "remove">;
  readonly turns: TurnStore;
  readonly log: Log;
}

/** The line below a person's message that waits for a turn from elsewhere, with the button that lets it in. */
export interface WaitsLine {
  /**
   * Shows that a turn waits, below its newest message. A line above another message, or of another turn, is removed:
   * there is at most one, and its button does what it says. Undefined removes it.
   */
  show(waiting: WaitingMessage | undefined): void;
}

export interface WaitingMessage {
  readonly turn: TurnId;
  readonly messageId: number | undefined;
}

export function createWaitsLine({ key, place, outbox, turns, log }: WaitsLineOptions): WaitsLine {
  let wanted: WaitingMessage | undefined;
  let shown: { readonly turn: TurnId; readonly messageId: number } | undefined;

  function send(waiting: WaitingMessage): void {
    const { turn, messageId: replyTo } = waiting;
    outbox.reply({
      place,
      content: { text: replies.waits, entities: [] },
      ...(replyTo === undefined ? {} : { replyTo }),
      button: { text: NOW_WORD, data: `${NOW}${turn}` },
      isWanted: () => wanted === waiting,
      told(messageId) {
        if (messageId === undefined) return;
        if (wanted !== waiting) return remove(turn, messageId);
        shown = { turn, messageId };
        // A line that evie leaves behind when it dies is removed by the next start.
        deliveryLedger(turns, key, turn, log).shown([
          { messageId, text: replies.waits, entities: [], plain: false },
        ]);
      },
    });
  }

  function remove(turn: TurnId, messageId: number): void {
    outbox.remove({
      place,
      messageId,
      told() {
        const [only, ...others] = turns.of(turn);
        if (only?.messageId === messageId && others.length === 0)
          deliveryLedger(turns, key, turn, log).shown([]);
      },
    });
  }

  return {
    show(waiting) {
      if (waiting?.turn === wanted?.turn && waiting?.messageId === wanted?.messageId) return;
      wanted = waiting;
      if (shown !== undefined) remove(shown.turn, shown.messageId);
      shown = undefined;
      if (waiting !== undefined) send(waiting);
    },
  };
}
