import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../domain/clock.ts";
import type { Face } from "../domain/events.ts";
import { makeChatKey, parseChatKey, parseSessionId, parseTurnId } from "../domain/ids.ts";
import type { ChatKey, SessionId, TurnId } from "../domain/ids.ts";
import type { KeptDraft } from "../domain/prompt.ts";
import type { Interruption, TurnOutcome } from "../domain/turn.ts";
import { isFace } from "./sessions.ts";
import type { Transactions } from "./transaction.ts";

interface NewTurn {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly face: Face;
  /** The updates that it is made of, in order. */
  readonly sources: readonly number[];
  /** All that it is made of, in order; absent where that is updates alone. */
  readonly prompt?: readonly KeptDraft[];
}

interface OpenTurn extends NewTurn {
  readonly state: "flushed" | "handed" | "accepted";
  /** Where it is shown, if anywhere. */
  readonly chat?: ChatKey;
  /** Bytes of the session's file when the prompt was handed over. */
  readonly fileSize: number;
  /** Why it was being ended. */
  readonly ending?: Interruption;
  /** What the agent had said until then, a text a message: all that its answer is. */
  readonly said?: readonly string[];
}

interface EndedTurn {
  readonly id: TurnId;
  readonly chat: ChatKey;
  readonly outcome: TurnOutcome;
  /** What the agent said in it, a text a message. */
  readonly said: readonly string[];
}

interface KnownTurn {
  readonly sources: readonly number[];
  /** Whether an agent may have seen its prompt. */
  readonly handed: boolean;
  /** Whether a person had it done again already. */
  readonly repeated: boolean;
}

/**
 * Every turn, from its flush to its delivery; when an agent has taken it, and with its end, its session was used. Each
 * call throws when the database does. What it writes is on the disk when it returns, but for a flush that is made of
 * updates alone, and a hand-over: a power cut right behind them ends the agent as well, and the updates are still there.
 */
export interface StoredTurns {
  /**
   * A turn is there. Its updates are spent in the same transaction, and a turn that it takes the place of gives its
   * updates and its prompt up to it. Told again of the same turn, it is made of what is named now, and no agent has it.
   * A prompt is kept until the turn is accepted or has ended: it may hold pictures.
   */
  flushed(turn: NewTurn, instead?: TurnId): void;
  /** What it was made of is another turn's now; it ends as replaced. */
  giveUp(id: TurnId): void;
  /** Prompts that nobody answers before a person says so: as a turn that has ended and was delivered. */
  shelved(id: TurnId, sources: readonly number[]): void;
  /**
   * Names an update in the last turn that is made of the message of that id in that chat: its author has changed it. What
   * asks the turn again asks for what it is now. Nothing where no turn is made of it.
   */
  edited(chat: ChatKey, messageId: number, update: number): void;
  /** Its prompt is about to be written to the agent, whose session file holds so many bytes. */
  handed(id: TurnId, fileSize: number): void;
  accepted(id: TurnId): void;
  /** It is being ended, which may take a while, and this is all that its answer will be, a text a message. */
  ending(id: TurnId, reason: Interruption, said: readonly string[]): void;
  /** How it ended and all that the agent said in it, a text a message. A second end changes nothing. */
  ended(id: TurnId, outcome: TurnOutcome, said: readonly string[]): void;
  /** Its chat shows all of it. */
  delivered(id: TurnId): void;
  /** A person wants it done again. False when that was so already, or the turn is not known. */
  repeat(id: TurnId): boolean;
  get(id: TurnId): KnownTurn | undefined;
  /** Those without an end, in the order of their flushes. */
  open(): readonly OpenTurn[];
  /** Those that ended and whose chat does not show all of it, in the order of their flushes. */
  undelivered(): readonly EndedTurn[];
}

/** The chat that a turn is shown in: where it was asked, or where it was shown, or the chat of its session. */
const CHAT = `COALESCE(
  (SELECT chat FROM updates WHERE id = json_extract(turns.sources, '$[0]')),
  (SELECT chat FROM bubbles WHERE turn_id = turns.id LIMIT 1),
  (SELECT key FROM chats WHERE chats.session_id = turns.session_id LIMIT 1))`;

export function createStoredTurns(
  database: DatabaseSync,
  { together, unsynced }: Transactions,
  clock: Clock,
): StoredTurns {
  const insert = database.prepare(
    `INSERT INTO turns (id, session_id, face, sources, prompt, flushed_at)
     VALUES (:id, :sessionId, :face, :sources, :prompt, :at)
     ON CONFLICT (id) DO UPDATE SET sources = excluded.sources, prompt = excluded.prompt,
       handed_at = NULL, file_size = NULL, ending = NULL, final = NULL, delivered_at = NULL`,
  );
  const spend = database.prepare("UPDATE updates SET spent = 1 WHERE id = ?");
  const touch = database.prepare(
    "UPDATE sessions SET last_used_at = :at WHERE id = (SELECT session_id FROM turns WHERE turns.id = :id)",
  );
  const giveUp = database.prepare(
    `UPDATE turns SET sources = '[]', prompt = NULL, ended_at = :at, outcome = '{"type":"replaced"}', final = '[]' WHERE id = :id`,
  );
  const nameEdit = database.prepare(
    `UPDATE turns SET sources = json_insert(sources, '$[#]', :update) WHERE place =
       (SELECT MAX(turns.place) FROM turns, json_each(turns.sources) AS source WHERE source.value IN
         (SELECT id FROM updates WHERE chat = :chat AND json_extract(body, '$.message.message_id') = :messageId))`,
  );
  const hand = database.prepare("UPDATE turns SET handed_at = :at, file_size = :fileSize WHERE id = :id");
  const accept = database.prepare("UPDATE turns SET accepted_at = :at, prompt = NULL WHERE id = :id");
  const noteEnding = database.prepare("UPDATE turns SET ending = :reason, final = :final WHERE id = :id");
  const end = database.prepare(
    `UPDATE turns SET ended_at = :at, outcome = :outcome, final = :final, prompt = NULL
     WHERE id = :id AND ended_at IS NULL`,
  );
  const deliver = database.prepare("UPDATE turns SET delivered_at = :at WHERE id = :id");
  const repeat = database.prepare(
    "UPDATE turns SET repeated_at = :at WHERE id = :id AND repeated_at IS NULL",
  );
  const select = database.prepare("SELECT sources, handed_at, repeated_at FROM turns WHERE id = ?");
  const selectOpen = database.prepare(
    `SELECT *, ${CHAT} AS chat FROM turns WHERE ended_at IS NULL ORDER BY place`,
  );
  const selectEnded = database.prepare(
    `SELECT id, outcome, final, ${CHAT} AS chat FROM turns
     WHERE ended_at IS NOT NULL AND delivered_at IS NULL ORDER BY place`,
  );

  return {
    flushed: ({ id, sessionId, face, sources, prompt }, instead) => {
      const write = prompt === undefined ? unsynced : together;
      write(() => {
        const at = clock.date();
        insert.run({
          id,
          sessionId,
          face,
          sources: JSON.stringify(sources),
          prompt: prompt === undefined ? null : JSON.stringify(prompt),
          at,
        });
        for (const source of sources) spend.run(source);
        if (instead !== undefined) giveUp.run({ id: instead, at });
      });
    },
    giveUp: (id) => void giveUp.run({ id, at: clock.date() }),
    shelved: (id, sources) =>
      together(() => {
        const at = clock.date();
        insert.run({
          id,
          sessionId: "",
          face: "telegram",
          sources: JSON.stringify(sources),
          prompt: null,
          at,
        });
        for (const source of sources) spend.run(source);
        end.run({ id, outcome: '{"type":"stopped"}', final: "[]", at });
        deliver.run({ id, at });
      }),
    edited: (chat, messageId, update) => void nameEdit.run({ chat, messageId, update }),
    handed: (id, fileSize) =>
      unsynced(() => {
        hand.run({ id, fileSize, at: clock.date() });
      }),
    accepted: (id) =>
      together(() => {
        const at = clock.date();
        accept.run({ id, at });
        touch.run({ id, at });
      }),
    ending: (id, reason, said) => void noteEnding.run({ id, reason, final: JSON.stringify(said) }),
    ended: (id, outcome, said) =>
      together(() => {
        const at = clock.date();
        end.run({ id, outcome: JSON.stringify(outcome), final: JSON.stringify(said), at });
        touch.run({ id, at });
      }),
    delivered: (id) => void deliver.run({ id, at: clock.date() }),
    repeat: (id) => repeat.run({ id, at: clock.date() }).changes === 1,
    get: (id) => {
      const row = select.get(id);
      if (row === undefined) return undefined;
      return {
        sources: readSources(row),
        handed: row["handed_at"] !== null,
        repeated: row["repeated_at"] !== null,
      };
    },
    open: () => selectOpen.all().flatMap((row) => readOpen(row) ?? []),
    undelivered: () => selectEnded.all().flatMap((row) => readEnded(row) ?? []),
  };
}

type Row = Readonly<Record<string, unknown>>;

function readSources(row: Row): readonly number[] {
  return JSON.parse(String(row["sources"])) as number[];
}

function chatOf(row: Row): { readonly chat?: ChatKey } {
  const { chat } = row;
  const place = typeof chat === "string" ? parseChatKey(chat) : undefined;
  return place === undefined ? {} : { chat: makeChatKey(place) };
}

function readOpen(row: Row): OpenTurn | undefined {
  const id = parseTurnId(String(row["id"]));
  const sessionId = parseSessionId(String(row["session_id"]));
  const { face, ending, final, prompt } = row;
  if (id === undefined || sessionId === undefined || !isFace(face)) return undefined;
  return {
    id,
    sessionId,
    face,
    sources: readSources(row),
    ...(typeof prompt === "string" ? { prompt: JSON.parse(prompt) as KeptDraft[] } : {}),
    ...chatOf(row),
    state: row["accepted_at"] !== null ? "accepted" : row["handed_at"] !== null ? "handed" : "flushed",
    fileSize: Number(row["file_size"] ?? 0),
    ...(ending === "replaced" || ending === "stopped" ? { ending } : {}),
    ...(typeof final === "string" ? { said: JSON.parse(final) as string[] } : {}),
  };
}

function readEnded(row: Row): EndedTurn | undefined {
  const id = parseTurnId(String(row["id"]));
  const { chat } = chatOf(row);
  if (id === undefined || chat === undefined) return undefined;
  return {
    id,
    chat,
    outcome: JSON.parse(String(row["outcome"])) as TurnOutcome,
    said: JSON.parse(String(row["final"])) as string[],
  };
}
