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
  let starting: Promise<Agent | AgentFailure> | undefined;
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

  /** The agent, ready. One start at a time, and never before the previous process was seen to exit. */
  function readyAgent(): Promise<Agent | AgentFailure> {
    starting ??= start().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function start(): Promise<Agent | AgentFailure> {
    if (agent === undefined) await lastGone;
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
    lastGone = started.gone.then(() => {
      if (agent === started) agent = undefined;
      log.debug({ session: id }, "agent gone");
    });
    return started;
  }

  /** From here on no prompt reaches the process, even while it is still on its way out. */
  async function letGo(): Promise<void> {
    const leaving = agent;
    agent = undefined;
    await leaving?.dismiss();
  }

  function restWhenIdle(): void {
    idle.abort();
    const { signal } = (idle = new AbortController());
    void clock.sleep(REST_AFTER, signal).then(() => {
      if (signal.aborted || runner.busy || agent === undefined) return;
      log.info({ session: id }, "agent idle, put to rest");
      void letGo();
    });
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
      void readyAgent().then((result) => {
        if ("type" in result) log.warn({ session: id, failure: result }, "the agent could not be started");
      });
      restWhenIdle();
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
