import type { DatabaseSync } from "node:sqlite";
import type { SessionId, TurnId } from "../domain/ids.ts";
import type { TurnEnding } from "../domain/sessions.ts";

/** A prompt that somebody sent under an id of their own, so that sending it again does not run it again. */
export interface StoredRequest {
  readonly turnId: TurnId;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether its turn has begun: then the agent may have acted on it. */
  readonly begun: boolean;
  /** How its turn ended, once it has. */
  readonly ending?: TurnEnding;
}

/** The requests of the last day. Each call throws when the database does, and what it wrote is durable when it returns. */
export interface StoredRequests {
  get(session: SessionId, requestId: string): StoredRequest | undefined;
  /** Notes a request, in the place of one of the same id. Forgets those of before `oldest` (milliseconds since 1970). */
  add(session: SessionId, requestId: string, turnId: TurnId, times: { at: number; oldest: number }): void;
  begin(session: SessionId, requestId: string): void;
  end(session: SessionId, requestId: string, ending: TurnEnding): void;
}

export function createStoredRequests(database: DatabaseSync): StoredRequests {
  const select = database.prepare(
    "SELECT turn_id AS turnId, at, begun, ending FROM requests WHERE session_id = ? AND request_id = ?",
  );
  const insert = database.prepare(
    "INSERT OR REPLACE INTO requests (session_id, request_id, turn_id, at) VALUES (?, ?, ?, ?)",
  );
  const sweep = database.prepare("DELETE FROM requests WHERE at < ?");
  const begin = database.prepare("UPDATE requests SET begun = 1 WHERE session_id = ? AND request_id = ?");
  const end = database.prepare("UPDATE requests SET ending = ? WHERE session_id = ? AND request_id = ?");

  return {
    get(session, requestId) {
      const row = select.get(session, requestId);
      if (row === undefined) return undefined;
      const { turnId, at, begun, ending } = row;
      return {
        turnId: String(turnId) as TurnId,
        at: Number(at),
        begun: begun === 1,
        ...(typeof ending === "string" ? { ending: JSON.parse(ending) as TurnEnding } : {}),
      };
    },
    add(session, requestId, turnId, { at, oldest }) {
      sweep.run(oldest);
      insert.run(session, requestId, turnId, at);
    },
    begin(session, requestId) {
      begin.run(session, requestId);
    },
    end(session, requestId, ending) {
      end.run(JSON.stringify(ending), session, requestId);
    },
  };
}
