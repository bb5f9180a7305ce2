import type { DatabaseSync } from "node:sqlite";
import type { Face } from "../domain/events.ts";
import { parseSessionId } from "../domain/ids.ts";
import type { SessionId } from "../domain/ids.ts";

/** A session that begins. */
interface NewSession {
  readonly id: SessionId;
  /** The folder that its agent works in. */
  readonly cwd: string;
  /** Where it was begun. */
  readonly face: Face;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The name of its file in the sessions folder; `<id>.jsonl` when left out. */
  readonly file?: string;
}

interface StoredSession extends Required<NewSession> {
  /** Milliseconds since 1970; the time of its creation until it is touched. */
  readonly lastUsedAt: number;
}

/** The sessions on disk. Each call throws when the database does, and what it wrote is durable when it returns. */
export interface StoredSessions {
  /** Throws for an id that is there already. */
  add(session: NewSession): void;
  get(id: SessionId): StoredSession | undefined;
  /** All of them, the last used first. */
  list(): readonly StoredSession[];
  /** Notes that the session was used at `at` (milliseconds since 1970). Nothing happens for an unknown one. */
  touch(id: SessionId, at: number): void;
}

export function createStoredSessions(database: DatabaseSync): StoredSessions {
  const insert = database.prepare(
    `INSERT INTO sessions (id, cwd, face, created_at, last_used_at, file)
     VALUES (:id, :cwd, :face, :createdAt, :createdAt, :file)`,
  );
  const columns = "id, cwd, face, created_at AS createdAt, last_used_at AS lastUsedAt, file";
  const selectOne = database.prepare(`SELECT ${columns} FROM sessions WHERE id = ?`);
  const selectAll = database.prepare(
    `SELECT ${columns} FROM sessions ORDER BY last_used_at DESC, created_at DESC, id`,
  );
  const update = database.prepare("UPDATE sessions SET last_used_at = ? WHERE id = ?");

  return {
    add({ id, cwd, face, createdAt, file = `${id}.jsonl` }) {
      insert.run({ id, cwd, face, createdAt, file });
    },
    get(id) {
      const row = selectOne.get(id);
      return row === undefined ? undefined : readRow(row);
    },
    list: () => selectAll.all().map(readRow),
    touch(id, at) {
      update.run(at, id);
    },
  };
}

const FACES: Readonly<Record<Face, true>> = { telegram: true, http: true, deck: true, schedule: true };

function readRow(row: Readonly<Record<string, unknown>>): StoredSession {
  const id = parseSessionId(String(row["id"]));
  const face = row["face"];
  if (id === undefined || !isFace(face))
    throw new Error(`The session ${String(row["id"])} in the store is damaged.`);
  return {
    id,
    cwd: String(row["cwd"]),
    face,
    createdAt: Number(row["createdAt"]),
    lastUsedAt: Number(row["lastUsedAt"]),
    file: String(row["file"]),
  };
}

function isFace(value: unknown): value is Face {
  return typeof value === "string" && Object.hasOwn(FACES, value);
}
