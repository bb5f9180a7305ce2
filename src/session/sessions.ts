import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { StartAgent } from "../domain/agent.ts";
import type { Clock } from "../domain/clock.ts";
import type { Face } from "../domain/events.ts";
import { makeSessionId, type SessionId, type TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { PromptDraft } from "../domain/prompt.ts";
import type { SessionDirectory } from "../domain/sessions.ts";
import type { SessionInfo } from "../domain/wire.ts";
import { createAgentPlaces } from "./agent-places.ts";
import { placeOf } from "./facts.ts";
import { folderInside } from "./folder.ts";
import type { Ledgers, SessionRecord, UnusedLedger } from "./ledger.ts";
import { addLoads } from "./room.ts";
import { createSession, type OwnedSession } from "./session.ts";
import { release } from "./waiting-turn.ts";

export interface SessionsOptions {
  readonly ledgers: Ledgers;
  /** Where the conversations' files are kept, one a session. */
  readonly folder: string;
  /** The folder of a session that names none. */
  readonly workspace: string;
  readonly startAgent: StartAgent;
  /** How many agents may run at once; without it there is no bound. */
  readonly maxAgents?: number;
  /** Where a person answers the questions of a session; undefined when there is no such place. */
  readonly answerAt?: (id: SessionId) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The registry of sessions, and the end of them all. */
export interface SessionRegistry extends SessionDirectory {
  /**
   * Has a turn that no agent had when evie was last ended run, as the last of its session. False when the session is
   * gone. Throws when it cannot be written down. The drafts are released by the session.
   */
  resume(
    turn: { readonly id: TurnId; readonly sessionId: SessionId; readonly face: Face },
    drafts: readonly PromptDraft[],
  ): boolean;
  /**
   * Removes the sessions that nobody has used since `before` (milliseconds since 1970), with their files, until `stopped`.
   * One in which something runs, waits or is asked, whose agent is there, or that somebody watches in a browser, stays. A
   * chat that spoke with one begins anew. Gives how many are gone. Rejects when the store fails.
   */
  removeUnused(before: number, unused: UnusedLedger, stopped: AbortSignal): Promise<number>;
  /** Resolves when no turn of any session runs or waits. */
  idle(): Promise<void>;
  /**
   * Ends every turn and dismisses every agent because evie ends; resolves when all were seen to exit. What was not
   * answered is left to the next start.
   */
  leaveAll(): Promise<void>;
}

export function createSessions(options: SessionsOptions): SessionRegistry {
  const { ledgers, folder, workspace, startAgent, answerAt, clock, log } = options;
  const places = createAgentPlaces(options.maxAgents ?? Number.POSITIVE_INFINITY);
  const open = new Map<SessionId, OwnedSession>();
  /** Those whose removal has begun: for everybody else they are gone. */
  const removing = new Set<SessionId>();
  let isLeaving = false;
  const watchers = new Set<() => void>();

  const fileOf = (id: SessionId): string => join(folder, `${id}.jsonl`);

  function changed(): void {
    for (const watcher of watchers) {
      try {
        watcher();
      } catch (error) {
        watchers.delete(watcher);
        log.error({ err: error }, "a face failed while it heard of the sessions and was detached");
      }
    }
  }

  function bring(record: SessionRecord): OwnedSession {
    const { id } = record;
    const session = createSession({
      record,
      sessionFile: fileOf(id),
      startAgent,
      places,
      ledgers,
      inEvie: () => addLoads([...open.values()].map(({ load }) => load)),
      answerAt: answerAt?.(id),
      changed,
      clock,
      log,
    });
    open.set(id, session);
    if (isLeaving)
      session
        .leave()
        .catch((error: unknown) => log.error({ err: error, session: id }, "a session was not left"));
    return session;
  }

  /** Removes one for good. Whoever asks for it from now on is told that it is gone. */
  async function end(id: SessionId, unpoint: () => void, messages: Iterable<undefined>): Promise<void> {
    removing.add(id);
    try {
      unpoint();
      changed();
      await open.get(id)?.remove();
      for (const _ of messages) await setImmediate();
      ledgers.sessions.remove(id);
      ledgers.pictures.drop(id);
      removeFiles(id);
    } finally {
      // Where it is still stored, the next one who asks for it gets it anew: this one takes nothing any more.
      open.delete(id);
      removing.delete(id);
      changed();
    }
  }

  /** The history, and what was set aside of it. Nobody finds them any more, so what cannot be removed is only logged. */
  function removeFiles(id: SessionId): void {
    try {
      const own = readdirSync(folder).filter((name) => name.startsWith(`${id}.jsonl`));
      for (const name of own) rmSync(join(folder, name), { force: true });
    } catch (error) {
      log.error({ err: error, session: id }, "the files of a session that was removed are still there");
    }
  }

  function infoOf(record: SessionRecord): SessionInfo {
    const { id, name = "", cwd, face, failed, lastUsedAt } = record;
    const opened = open.get(id);
    if (opened !== undefined) return opened.info();
    const chat = ledgers.chatOf(id);
    return {
      id,
      name,
      cwd,
      face,
      state: failed === true ? "failed" : "idle",
      updatedAt: lastUsedAt,
      ...(chat === undefined ? {} : { chat: placeOf(chat) }),
    };
  }

  function find(id: SessionId): OwnedSession | undefined {
    if (removing.has(id)) return undefined;
    const known = open.get(id);
    if (known !== undefined) return known;
    const stored = ledgers.sessions.get(id);
    return stored === undefined ? undefined : bring(stored);
  }

  return {
    create({ cwd, face, name }) {
      const id = makeSessionId();
      const createdAt = clock.date();
      const record = {
        id,
        cwd: cwd === undefined ? workspace : folderInside(workspace, cwd),
        face,
        createdAt,
      };
      ledgers.sessions.add(record);
      const session = bring({ ...record, lastUsedAt: createdAt });
      if (name === undefined) changed();
      else session.rename(name);
      return session;
    },
    open: find,
    resume({ id, sessionId, face }, drafts) {
      const session = find(sessionId);
      if (session === undefined) release(drafts);
      else session.resume(id, face, drafts);
      return session !== undefined;
    },
    list: () =>
      ledgers.sessions
        .list()
        .filter(({ id }) => !removing.has(id))
        .map(infoOf),
    watch(watcher) {
      const own = (): void => watcher();
      watchers.add(own);
      return () => watchers.delete(own);
    },
    async remove(id) {
      if (removing.has(id) || ledgers.sessions.get(id) === undefined) return "unknown";
      if (ledgers.chatOf(id) !== undefined) return "in use";
      await end(id, () => undefined, []);
      return "removed";
    },
    async removeUnused(before, unused, stopped) {
      let count = 0;
      for (const id of unused.unusedSessions(before)) {
        if (stopped.aborted) break;
        // The list may be older than what has begun since.
        if (removing.has(id) || open.get(id)?.isInUse === true) continue;
        await end(id, () => unused.unpoint(id), unused.messagesOf(id));
        count += 1;
        await setImmediate();
      }
      return count;
    },
    async idle() {
      await Promise.all([...open.values()].map((session) => session.idle()));
    },
    async leaveAll() {
      isLeaving = true;
      await Promise.all([...open.values()].map((session) => session.leave()));
    },
  };
}
