import { join } from "node:path";
import type { StartAgent } from "../domain/agent.ts";
import type { Clock } from "../domain/clock.ts";
import { makeSessionId, type SessionId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Session, Sessions } from "../domain/sessions.ts";
import type { SessionLedger } from "./ledger.ts";
import { createSession } from "./session.ts";

export interface SessionsOptions {
  readonly ledger: SessionLedger;
  /** Where the conversations' files are kept, one a session. */
  readonly folder: string;
  /** The folder of a session that names none. */
  readonly workspace: string;
  readonly startAgent: StartAgent;
  readonly clock: Clock;
  readonly log: Log;
}

/** The registry of sessions, and the end of them all. */
export interface SessionRegistry extends Sessions {
  /** Resolves when no turn of any session runs or waits. */
  idle(): Promise<void>;
  /** Ends every turn and dismisses every agent; resolves when all were seen to exit. */
  dismissAll(): Promise<void>;
}

export function createSessions(options: SessionsOptions): SessionRegistry {
  const { ledger, folder, workspace, startAgent, clock, log } = options;
  const open = new Map<SessionId, Session>();

  function bring(id: SessionId, cwd: string): Session {
    const session = createSession({
      id,
      cwd,
      sessionFile: join(folder, `${id}.jsonl`),
      startAgent,
      clock,
      log,
    });
    open.set(id, session);
    return session;
  }

  return {
    create({ cwd = workspace, face }) {
      const id = makeSessionId();
      ledger.add({ id, cwd, face, createdAt: clock.date() });
      return bring(id, cwd);
    },
    open(id) {
      const known = open.get(id);
      if (known !== undefined) return known;
      const stored = ledger.get(id);
      return stored === undefined ? undefined : bring(id, stored.cwd);
    },
    async idle() {
      await Promise.all([...open.values()].map((session) => session.idle()));
    },
    async dismissAll() {
      await Promise.all([...open.values()].map((session) => session.dismiss()));
    },
  };
}
