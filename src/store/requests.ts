import type { DatabaseSync } from "node:sqlite";
import type { SessionId, TurnId } from "../domain/ids.ts";
import type { TurnEnding } from "../domain/sessions.ts";
import type { TurnOutcome } from "../domain/turn.ts";

/** A prompt that somebody sent under an id of their own, so that sending it again does not run it again. */
export interface StoredRequest {
  readonly turnId: TurnId;
  /** A digest of what it said; absent where an earlier evie took it. */
  readonly body?: string;
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
  add(
    session: SessionId,
    requestId: string,
    request: {
      readonly turnId: TurnId;
      readonly body: string;
      readonly at: number;
      readonly oldest: number;
    },
  ): void;
  begin(session: SessionId, requestId: string): void;
  end(session: SessionId, requestId: string, ending: TurnEnding): void;
  /** The requests of a turn that have no end, the oldest first. */
  of(session: SessionId, turnId: TurnId): readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

export function createStoredRequests(database: DatabaseSync): StoredRequests {
  const select = database.prepare(
    `SELECT requests.turn_id AS turnId, requests.body, requests.at, requests.begun, requests.ending, turns.outcome, turns.final
     FROM requests LEFT JOIN turns ON turns.id = requests.turn_id
     WHERE requests.session_id = ? AND requests.request_id = ?`,
  );
  const selectOf = database.prepare(
    "SELECT request_id AS requestId FROM requests WHERE session_id = ? AND turn_id = ? AND ending IS NULL ORDER BY rowid",
  );
  const insert = database.prepare(
    "INSERT OR REPLACE INTO requests (session_id, request_id, turn_id, body, at) VALUES (?, ?, ?, ?, ?)",
  );
  const sweep = database.prepare("DELETE FROM requests WHERE at < ?");
  const begin = database.prepare("UPDATE requests SET begun = 1 WHERE session_id = ? AND request_id = ?");
  const end = database.prepare("UPDATE requests SET ending = ? WHERE session_id = ? AND request_id = ?");

  return {
    get(session, requestId) {
      const row = select.get(session, requestId);
      if (row === undefined) return undefined;
      const { turnId, body, at } = row;
      const begun = row["begun"] === 1;
      const ending = readEnding(row, begun);
      return {
        turnId: String(turnId) as TurnId,
        ...(typeof body === "string" ? { body } : {}),
        at: Number(at),
        begun,
        ...(ending === undefined ? {} : { ending }),
      };
    },
    add(session, requestId, { turnId, body, at, oldest }) {
      sweep.run(oldest);
      insert.run(session, requestId, turnId, body, at);
    },
    begin(session, requestId) {
      begin.run(session, requestId);
    },
    end(session, requestId, ending) {
      end.run(JSON.stringify(ending), session, requestId);
    },
    of: (session, turnId) => selectOf.all(session, turnId).map(({ requestId }) => String(requestId)),
  };
}

/**
 * How a request ended: as it was kept, or else as its turn did, for evie may have died between the two, and what has
 * ended must not run when it is sent again. A turn that had begun and is `stopped` says nothing: that is also how one
 * ends that was cut off by evie's own end.
 */
function readEnding(row: Row, begun: boolean): TurnEnding | undefined {
  const { ending, outcome, final } = row;
  if (typeof ending === "string") return JSON.parse(ending) as TurnEnding;
  if (typeof outcome !== "string" || typeof final !== "string") return undefined;
  const ended = JSON.parse(outcome) as TurnOutcome;
  // One that failed without having begun was not known any more.
  if (ended.type === (begun ? "stopped" : "failed")) return undefined;
  return { outcome: ended, text: (JSON.parse(final) as string[]).at(-1) ?? "" };
}
