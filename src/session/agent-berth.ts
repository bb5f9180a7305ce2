import type { Agent } from "../domain/agent.ts";
import type { Clock } from "../domain/clock.ts";
import type { AgentFailure } from "../domain/failure.ts";
import type { SessionId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";

/** An agent that nobody asked anything for so long is put to rest; it resumes with the next prompt. */
export const REST_AFTER = 10 * 60_000;

export interface AgentBerthOptions {
  /** For the log. */
  readonly session: SessionId;
  readonly start: () => Agent;
  /** Whether a turn runs, which needs its agent. */
  readonly busy: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** The place of a session's agent: one process at a time, started when it is needed and put to rest when it is not. */
export interface AgentBerth {
  /** The agent, ready for a prompt; or why there is none. Never rejects. */
  ready(): Promise<Agent | AgentFailure>;
  /** Starts the agent if it rests. */
  wake(): void;
  /** Nobody needs the agent at the moment: after REST_AFTER it goes, unless somebody does by then. */
  rest(): void;
  /** Dismisses the agent; resolves when it was seen to exit. The next `ready` starts another, which is not waited for. */
  clear(): Promise<void>;
}

export function createAgentBerth({ session, start, busy, clock, log }: AgentBerthOptions): AgentBerth {
  let agent: Agent | undefined;
  /** Settles when the last process is gone: two processes on one session file would part its history. */
  let lastGone: Promise<void> = Promise.resolve();
  /** Grows when the agent is let go of: what was being started before must not come up any more. */
  let era = 0;
  let idle = new AbortController();

  /** One at a time, and none is begun before the previous process was seen to exit. */
  async function ready(): Promise<Agent | AgentFailure> {
    const asked = era;
    if (agent === undefined) await lastGone;
    if (asked !== era) return { type: "start_failed", exit: { lastWords: "it was dismissed" } };
    const current = (agent ??= begin());
    const failure = await current.ready;
    if (failure === undefined) return current;
    // What failed to start is never asked again: the next prompt starts another, once this one's exit was seen.
    if (agent === current) agent = undefined;
    return failure;
  }

  function begin(): Agent {
    const started = start();
    log.debug({ session }, "agent starting");
    lastGone = seeOff(started);
    return started;
  }

  async function seeOff(leaving: Agent): Promise<void> {
    await leaving.gone;
    if (agent === leaving) agent = undefined;
    log.debug({ session }, "agent gone");
  }

  /** From here on no prompt reaches the process, even while it is still on its way out. */
  async function letGo(): Promise<void> {
    const leaving = agent;
    era += 1;
    agent = undefined;
    await leaving?.dismiss();
  }

  function rest(): void {
    idle.abort();
    // A timer for nobody would keep the program alive after its end.
    if (agent === undefined) return;
    idle = new AbortController();
    void restAfter(idle.signal);
  }

  async function restAfter(disturbed: AbortSignal): Promise<void> {
    await clock.sleep(REST_AFTER, disturbed);
    if (disturbed.aborted || busy() || agent === undefined) return;
    log.info({ session }, "agent idle, put to rest");
    await letGo();
  }

  async function wake(): Promise<void> {
    idle.abort();
    const asked = era;
    const result = await ready();
    if (asked !== era) return;
    if ("type" in result) log.warn({ session, failure: result }, "the agent could not be started");
    else rest();
  }

  return {
    ready,
    rest,
    wake() {
      wake().catch((error: unknown) => log.error({ err: error, session }, "an agent could not be woken"));
    },
    async clear() {
      idle.abort();
      const gone = lastGone;
      await letGo();
      await gone;
    },
  };
}
