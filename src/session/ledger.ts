import type { Face } from "../domain/events.ts";
import type { SessionId } from "../domain/ids.ts";

/** What is remembered of a session while evie is down. */
export interface SessionRecord {
  readonly id: SessionId;
  readonly cwd: string;
  readonly face: Face;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** What the sessions need of a store. Both calls are durable when they return. */
export interface SessionLedger {
  add(record: SessionRecord): void;
  get(id: SessionId): SessionRecord | undefined;
}
