import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { createBackoff } from "./backoff.ts";
import { type Budget, createBudget, GROUP_BUDGET, PRIVATE_BUDGET } from "./budget.ts";
import type { PerformCall } from "./calls.ts";
import { createOutbox, type Outbox } from "./outbox.ts";

export interface OutboxesOptions {
  readonly perform: PerformCall;
  /** What all chats may send together. */
  readonly shared: Budget;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

/** The outbox of a chat: one a chat, made when first asked for, all under one budget. */
export interface Outboxes {
  (chatId: number): Outbox;
  /** Every outbox that was made. */
  all(): readonly Outbox[];
}

export function createOutboxes({ perform, shared, clock, log, random }: OutboxesOptions): Outboxes {
  const outboxes = new Map<number, Outbox>();

  function outboxOf(chatId: number): Outbox {
    const known = outboxes.get(chatId);
    if (known !== undefined) return known;
    const own = createBudget(isGroup(chatId) ? GROUP_BUDGET : PRIVATE_BUDGET);
    const outbox = createOutbox({
      perform,
      clock,
      log,
      budget: own,
      shared,
      backoff: createBackoff(random),
    });
    outboxes.set(chatId, outbox);
    return outbox;
  }

  return Object.assign(outboxOf, { all: () => [...outboxes.values()] });
}

/** Telegram's groups and channels have negative ids. */
function isGroup(chatId: number): boolean {
  return chatId < 0;
}
