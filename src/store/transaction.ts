import type { DatabaseSync } from "node:sqlite";

/**
 * Does `work` as one transaction: all of what it writes is durable when this returns, or nothing of it is and this
 * throws. Work inside work belongs to the outer one.
 */
export type Together = <Value>(work: () => Value) => Value;

export function createTogether(database: DatabaseSync): Together {
  return (work) => {
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
}
