import type { Agent } from "../domain/agent.ts";
import type { Clock } from "../domain/clock.ts";
import type { AgentFailure } from "../domain/failure.ts";
import type { SessionId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { AgentPlaces, Place, PlaceRequest } from "./agent-places.ts";

/** An agent that nobody asked anything for so long is put to rest; it resumes with the next prompt. */
export const REST_AFTER = 10 * 60_000;

export interface AgentBerthOptions {
  /** For the log. */
  readonly session: SessionId;
  readonly start: () => Agent;
  /** Whether a turn runs, which needs its agent. */
  readonly busy: () => boolean;
  /** Where it lines up for the right to run one. */
  readonly places: AgentPlaces;
  /** Called when a turn has to wait, since `most` agents run and none of them rests. */
  readonly heldUp: (most: number) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The place of a session's agent: one process at a time, started when it is needed and put to rest when it is not. */
export interface AgentBerth {
  /** True while there is an agent, or one is waited for. */
  readonly isTaken: boolean;
  /** The agent, ready for a prompt, once there is a place for it; or why there is none. Never rejects. */
  ready(): Promise<Agent | AgentFailure>;
  /** Starts the agent if it rests and there is room for it: nobody lines up for a turn that may never come. */
  wake(): void;
  /**
   * A turn has ended. The agent goes after REST_AFTER, unless somebody needs it by then, and at once where another session
   * waits for one: so does a session whose own prompts wait, or it would keep its agent for ever. With `goesOn` the turn
   * was replaced, and its successor keeps the agent, or the turn's place in line.
   */
  turnEnded(options: { readonly goesOn: boolean }): void;
  /** Dismisses the agent; resolves when it was seen to exit. The next `ready` starts another, which is not waited for. */
  clear(): Promise<void>;
}

export function createAgentBerth(options: AgentBerthOptions): AgentBerth {
  const { session, start, busy, places, heldUp, clock, log } = options;
  let agent: Agent | undefined;
  /** The right to run it, as long as it has one. */
  let place: Place | undefined;
  /** Lines up for that, until there is an agent or nobody wants one any more. */
  let request: PlaceRequest | undefined;
  /** Settles when the last process is gone: two processes on one session file would part its history. */
  let lastGone: Promise<void> = Promise.resolve();
  /** Grows when the agent is let go of: what was being started before must not come up any more. */
  let era = 0;
  let idle = new AbortController();

  /** One at a time, and none is begun before the previous process was seen to exit. Undefined: it was let go of meanwhile. */
  async function get(): Promise<Agent | AgentFailure | undefined> {
    const asked = era;
    while (agent === undefined) {
      request ??= places.request({ isResting: () => !busy(), putToRest: makeRoom });
      const own = request;
      const [granted] = await Promise.all([own.place, lastGone]);
      if (asked !== era || granted === undefined) return undefined;
      // Somebody else of this session may have used the place, whose agent may be gone again by now.
      if (request === own) agent ??= begin(granted);
    }
    const current = agent;
    const failure = await current.ready;
    if (failure === undefined) return current;
    // What failed to start is never asked again: the next prompt starts another, once this one's exit was seen.
    if (agent === current) {
      agent = undefined;
      place?.leaves();
    }
    return failure;
  }

  async function ready(): Promise<Agent | AgentFailure> {
    const getting = get();
    if (request?.isHeldUp === true) heldUp(places.most);
    return (await getting) ?? { type: "start_failed", exit: { lastWords: "it was dismissed" } };
  }

  function begin(granted: Place): Agent {
    request = undefined;
    const started = start();
    log.debug({ session }, "agent starting");
    place = granted;
    lastGone = seeOff(started, granted);
    return started;
  }

  async function seeOff(leaving: Agent, taken: Place): Promise<void> {
    await leaving.gone;
    if (agent === leaving) agent = undefined;
    log.debug({ session }, "agent gone");
    taken.free();
  }

  function leaveLine(): void {
    request?.withdraw();
    request = undefined;
  }

  function makeRoom(): void {
    log.info({ session }, "agent put to rest, since another session waits for one");
    idle.abort();
    letGo().catch((error: unknown) =>
      log.error({ err: error, session }, "an agent could not be put to rest"),
    );
  }

  /** From here on no prompt reaches the process, even while it is still on its way out. */
  async function letGo(): Promise<void> {
    const leaving = agent;
    era += 1;
    agent = undefined;
    leaveLine();
    if (leaving !== undefined) place?.leaves();
    await leaving?.dismiss();
  }

  function rest(): void {
    idle.abort();
    // A timer for nobody would keep the program alive after its end.
    if (agent === undefined) return;
    place?.rests();
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
    if (agent === undefined && request === undefined && !places.hasRoom) return;
    const asked = era;
    const result = await get();
    if (result === undefined || asked !== era) return;
    if ("type" in result) log.warn({ session, failure: result }, "the agent could not be started");
    else rest();
  }

  return {
    get isTaken() {
      return agent !== undefined || request !== undefined;
    },
    ready,
    turnEnded({ goesOn }) {
      if (!goesOn) leaveLine();
      if (!goesOn && agent !== undefined && places.isAwaited) makeRoom();
      else rest();
    },
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
