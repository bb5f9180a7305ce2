import type { Message } from "../domain/events.ts";
import type { SessionId } from "../domain/ids.ts";
import { SNAPSHOT_BYTES, SNAPSHOT_MESSAGES } from "./bounds.ts";
import type { MessageLedger } from "./ledger.ts";

/**
 * Returns the stored messages that come before those in `held`, as many as a snapshot has room for, the oldest first, and
 * whether there are more. Throws when the store does.
 */
export function earlierThan(
  held: readonly Message[],
  session: SessionId,
  ledger: MessageLedger,
): { readonly earlier: readonly Message[]; readonly more: boolean } {
  const keys = new Set(held.map(({ key }) => key));
  const first = held.find(({ key }) => ledger.get(session, key) !== undefined);
  const { messages, more } = ledger.page(session, SNAPSHOT_MESSAGES, first?.key, SNAPSHOT_BYTES);
  // They are stored in the order of their ends, so one that is held may lie before the first of them.
  return { earlier: messages.filter(({ key }) => !keys.has(key)), more };
}
