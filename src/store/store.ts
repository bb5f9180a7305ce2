import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../domain/clock.ts";
import { createStoredBubbles } from "./bubbles.ts";
import type { StoredBubbles } from "./bubbles.ts";
import { createStoredChats } from "./chats.ts";
import type { StoredChats } from "./chats.ts";
import { createStoredDeckKeys } from "./deck-keys.ts";
import type { StoredDeckKeys } from "./deck-keys.ts";
import { createStoredMessages } from "./messages.ts";
import type { StoredMessages } from "./messages.ts";
import { asStoreError, openDatabase, wasSetAside } from "./open-database.ts";
import { createOwnerFile } from "./owner-file.ts";
import { createOldRows, type OldRows } from "./old-rows.ts";
import { createStoredOwner } from "./owner.ts";
import type { StoredOwner } from "./owner.ts";
import { createStoredRequests } from "./requests.ts";
import type { StoredRequests } from "./requests.ts";
import { createStoredSessions } from "./sessions.ts";
import type { StoredSessions } from "./sessions.ts";
import { createTransactions } from "./transaction.ts";
import type { Together } from "./transaction.ts";
import { createStoredTurns } from "./turns.ts";
import type { StoredTurns } from "./turns.ts";
import { createStoredUpdates } from "./updates.ts";
import type { StoredUpdates } from "./updates.ts";

/** What evie remembers while it is down. */
export interface Store {
  readonly sessions: StoredSessions;
  readonly messages: StoredMessages;
  readonly requests: StoredRequests;
  readonly chats: StoredChats;
  readonly owner: StoredOwner;
  readonly deckKeys: StoredDeckKeys;
  readonly updates: StoredUpdates;
  readonly turns: StoredTurns;
  readonly bubbles: StoredBubbles;
  /** What is old, to be removed. */
  readonly old: OldRows;
  readonly together: Together;
  /** Idempotent. Nothing may be asked of the store afterwards. */
  close(): void;
}

/**
 * Opens the store in the file at `path`. `setAside` names where a damaged one lies now, when a new one was begun
 * instead. Throws a StoreError when there can be no store.
 */
export function openStore(path: string, clock: Clock): { readonly store: Store; readonly setAside?: string } {
  const { database, ...rest } = openDatabase(path, clock);
  const transactions = createTransactions(database);
  const { together } = transactions;
  const owner = openOwner(path, database, together, clock);
  return {
    ...rest,
    store: {
      sessions: createStoredSessions(database),
      messages: createStoredMessages(database),
      requests: createStoredRequests(database),
      chats: createStoredChats(database),
      owner,
      deckKeys: createStoredDeckKeys(database, together),
      updates: createStoredUpdates(database, together, clock),
      turns: createStoredTurns(database, transactions, clock),
      bubbles: createStoredBubbles(database, transactions),
      old: createOldRows(database, transactions, clock),
      together,
      close() {
        if (database.isOpen) database.close();
      },
    },
  };
}

/** The owner goes with the database, and is told by a file beside it when that is damaged. */
function openOwner(path: string, database: DatabaseSync, together: Together, clock: Clock): StoredOwner {
  const ownerPath = `${path}.owner`;
  try {
    const file = createOwnerFile(ownerPath);
    return createStoredOwner({ database, together, file, wasLost: wasSetAside(path), at: clock.date() });
  } catch (error) {
    database.close();
    throw asStoreError(ownerPath, error);
  }
}
