import type { Agent, StartAgent } from "../domain/agent.ts";
import type { Clock } from "../domain/clock.ts";
import type { AgentEvent, SessionEvent, TurnEvent } from "../domain/events.ts";
import type { AgentFailure } from "../domain/failure.ts";
import type { SessionId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Session, SessionSink } from "../domain/sessions.ts";
import { createTurnRunner } from "./turn-runner.ts";

/** An agent that nobody asked anything for so long is put to rest; it resumes with the next prompt. */
export const REST_AFTER = 10 * 60_000;

export interface SessionOptions {
  readonly id: SessionId;
  readonly cwd: string;
  readonly sessionFile: string;
  readonly startAgent: StartAgent;
  readonly clock: Clock;
  readonly log: Log;
}

/** One conversation: its agent, its turns, and whoever watches. */
export function createSession({ id, cwd, sessionFile, startAgent, clock, log }: SessionOptions): Session {
  const sinks = new Set<SessionSink>();
  let seq = 0;
  let agent: Agent | undefined;
  /** Settles when the last process is gone: two processes on one session file would part its history. */
  let lastGone: Promise<void> = Promise.resolve();
  /** Grows when the agent is let go of: what was being started before must not come up any more. */
  let era = 0;
  let idle = new AbortController();

  function emit(event: AgentEvent | TurnEvent): void {
    seq += 1;
    const numbered: SessionEvent = { ...event, seq, at: clock.date() };
    for (const sink of sinks) {
      try {
        sink(numbered);
      } catch (error) {
        sinks.delete(sink);
        log.error({ err: error, session: id }, "a face failed while it heard of an event and was detached");
      }
    }
  }

  const runner = createTurnRunner({
    agent: readyAgent,
    emit: (event) => {
      emit(event);
      if (event.type === "agent_end") restWhenIdle();
    },
    fault: (error) => log.error({ err: error, session: id }, "a turn failed by a fault of evie's own"),
  });

  /** The agent, ready. One at a time, and none is begun before the previous process was seen to exit. */
  async function readyAgent(): Promise<Agent | AgentFailure> {
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
    const started = startAgent({ sessionFile, cwd, emit });
    log.debug({ session: id }, "agent starting");
    lastGone = seeOff(started);
    return started;
  }

  async function seeOff(leaving: Agent): Promise<void> {
    await leaving.gone;
    if (agent === leaving) agent = undefined;
    log.debug({ session: id }, "agent gone");
  }

  /** From here on no prompt reaches the process, even while it is still on its way out. */
  async function letGo(): Promise<void> {
    const leaving = agent;
    era += 1;
    agent = undefined;
    await leaving?.dismiss();
  }

  function restWhenIdle(): void {
    idle.abort();
    // A timer for nobody would keep the program alive after its end.
    if (agent === undefined) return;
    idle = new AbortController();
    void rest(idle.signal);
  }

  async function rest(disturbed: AbortSignal): Promise<void> {
    await clock.sleep(REST_AFTER, disturbed);
    if (disturbed.aborted || runner.busy || agent === undefined) return;
    log.info({ session: id }, "agent idle, put to rest");
    await letGo();
  }

  async function wake(): Promise<void> {
    idle.abort();
    const asked = era;
    const result = await readyAgent();
    if (asked !== era) return;
    if ("type" in result) log.warn({ session: id, failure: result }, "the agent could not be started");
    else restWhenIdle();
  }

  return {
    id,
    cwd,
    attach(sink) {
      sinks.add(sink);
      return () => sinks.delete(sink);
    },
    run(draft, face) {
      return runner.run(draft, face);
    },
    wake() {
      wake().catch((error: unknown) => log.error({ err: error, session: id }, "an agent could not be woken"));
    },
    stop: () => runner.stop(),
    idle: () => runner.idle(),
    async dismiss() {
      runner.stop();
      idle.abort();
      await letGo();
      await lastGone;
    },
  };
}
