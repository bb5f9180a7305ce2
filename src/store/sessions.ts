import type { DatabaseSync } from "node:sqlite";
import type { Face, Usage } from "../domain/events.ts";
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

/** What becomes known of a session while it is used. */
interface SessionFacts {
  /** Absent until the first prompt, or until a person names it. */
  readonly name?: string;
  /** The model that answered last. */
  readonly model?: string;
  /** What it has cost so far. */
  readonly usage?: Usage;
  /** True when its last turn failed. */
  readonly failed?: boolean;
}

interface StoredSession extends Required<NewSession>, SessionFacts {
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
  /** Notes what is named in `facts`. Nothing happens for an unknown session. */
  note(id: SessionId, facts: SessionFacts): void;
  /** Removes a session with its messages and requests. Throws while a chat points to it. Nothing happens for an unknown one. */
  remove(id: SessionId): void;
}

export function createStoredSessions(database: DatabaseSync): StoredSessions {
  const insert = database.prepare(
    `INSERT INTO sessions (id, cwd, face, created_at, last_used_at, file)
     VALUES (:id, :cwd, :face, :createdAt, :createdAt, :file)`,
  );
  const columns =
    "id, cwd, face, created_at AS createdAt, last_used_at AS lastUsedAt, file, name, model, usage, failed";
  const selectOne = database.prepare(`SELECT ${columns} FROM sessions WHERE id = ?`);
  const selectAll = database.prepare(
    `SELECT ${columns} FROM sessions ORDER BY last_used_at DESC, created_at DESC, id`,
  );
  const updateFacts = database.prepare(
    `UPDATE sessions SET name = coalesce(:name, name), model = coalesce(:model, model),
       usage = coalesce(:usage, usage), failed = coalesce(:failed, failed) WHERE id = :id`,
  );
  const remove = database.prepare("DELETE FROM sessions WHERE id = ?");

  return {
    add({ id, cwd, face, createdAt, file = `${id}.jsonl` }) {
      insert.run({ id, cwd, face, createdAt, file });
    },
    get(id) {
      const row = selectOne.get(id);
      return row === undefined ? undefined : readRow(row);
    },
    list: () => selectAll.all().map(readRow),
    note(id, { name, model, usage, failed }) {
      updateFacts.run({
        id,
        name: name ?? null,
        model: model ?? null,
        usage: usage === undefined ? null : JSON.stringify(usage),
        failed: failed === undefined ? null : Number(failed),
      });
    },
    remove(id) {
      remove.run(id);
    },
  };
}

const FACES: Readonly<Record<Face, true>> = { telegram: true, http: true, deck: true };

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
    ...(typeof row["name"] === "string" ? { name: row["name"] } : {}),
    ...(typeof row["model"] === "string" ? { model: row["model"] } : {}),
    ...(typeof row["usage"] === "string" ? { usage: JSON.parse(row["usage"]) as Usage } : {}),
    ...(row["failed"] === 1 ? { failed: true } : {}),
  };
}

export function isFace(value: unknown): value is Face {
  return typeof value === "string" && Object.hasOwn(FACES, value);
}
