import type { DatabaseSync } from "node:sqlite";

/**
 * Does `work` as one transaction: all of what it writes is kept when this returns, or nothing of it is and this throws.
 * Work inside work belongs to the outer one.
 */
export type Together = <Value>(work: () => Value) => Value;

export interface Transactions {
  /** What it writes is on the disk when it returns. */
  readonly together: Together;
  /**
   * Does not wait for the disk, which takes longer than all the rest: what it writes outlives evie at once, and the
   * machine's power as soon as anything was done `together` after it.
   */
  readonly unsynced: Together;
}

export function createTransactions(database: DatabaseSync): Transactions {
  const together: Together = (work) => {
    if (database.isTransaction) return work();
    database.exec("BEGIN IMMEDIATE");
    try {
      const value = work();
      database.exec("COMMIT");
      return value;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };
  return {
    together,
    unsynced(work) {
      if (database.isTransaction) return work();
      database.exec("PRAGMA synchronous = NORMAL");
      try {
        return together(work);
      } finally {
        database.exec("PRAGMA synchronous = FULL");
      }
    },
  };
}
