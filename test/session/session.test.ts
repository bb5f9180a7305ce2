import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/domain/events.ts";
import { makeSessionId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import { REST_AFTER } from "../../src/session/agent-berth.ts";
import { createSession } from "../../src/session/session.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "./hand-agents.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";

const missing = { type: "missing", command: "pi" } as const;

function setUp() {
  const clock = createFakeClock();
  const { start, started } = createHandAgents();
  const log = createMemoryLog();
  const id = makeSessionId();
  const session = createSession({
    record: { id, cwd: "/work", face: "telegram", createdAt: 0, lastUsedAt: 0 },
    sessionFile: "/s.jsonl",
    startAgent: start,
    ledgers: createMemoryLedgers().ledgers,
    answerAt: undefined,
    changed: () => undefined,
    clock,
    log,
  });
  const events: SessionEvent[] = [];
  const detach = session.attach((event) => events.push(event));
  const say = (text: string) => session.run(draft(text), "telegram");
  const agent = (index: number) => {
    const one = started[index];
    if (one === undefined) throw new Error(`no agent ${index} was started`);
    return one;
  };
  /** A turn that has been handed to a new agent. */
  const handOver = async (text: string) => {
    const turn = say(text);
    await clock.settle();
    const newest = agent(started.length - 1);
    newest.getReady();
    await clock.settle();
    const run = newest.runs.at(-1);
    if (run === undefined) throw new Error("no prompt was handed over");
    return { turn, agent: newest, run };
  };
  const settle = () => clock.settle();
  const advance = (ms: number) => clock.advance(ms);
  return { id, session, events, detach, started, agent, say, handOver, clock, settle, advance, log };
}

function draft(text: string): PromptDraft {
  return { ready: Promise.resolve({ text, images: [], files: [] }), release: () => undefined };
}

const types = (events: readonly SessionEvent[]): readonly string[] =>
  events.map((event) => (event.type === "agent_end" ? `agent_end ${event.outcome.type}` : event.type));

/** Whether a promise has settled by now. */
function watch(promise: Promise<unknown>): { readonly settled: boolean } {
  const state = { settled: false };
  const note = (): void => {
    state.settled = true;
  };
  promise.then(note, note);
  return state;
}

describe("a session's events", () => {
  test("are numbered without gaps and carry the time that they were received", async () => {
    const { events, handOver, clock, advance, settle } = setUp();
    const began = clock.date();
    const { agent, run } = await handOver("hello");
    await advance(1_000);
    agent.emit({ type: "turn_start" });
    await advance(250);
    agent.emit({ type: "turn_end" });
    run.end();
    await settle();
    expect(types(events)).toEqual(["agent_start", "turn_start", "turn_end", "agent_end done"]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(events.map(({ at }) => at - began)).toEqual([0, 1_000, 1_250, 1_250]);
  });

  test("go on being counted from turn to turn and from process to process", async () => {
    const { events, handOver, settle } = setUp();
    const { agent, run } = await handOver("one");
    run.end();
    await settle();
    agent.exit();
    await handOver("two");
    expect(types(events)).toEqual(["agent_start", "agent_end done", "agent_start"]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test("reach everybody who is attached, in order, and from then on only", async () => {
    const { session, events, handOver } = setUp();
    const { agent } = await handOver("hello");
    const late: SessionEvent[] = [];
    session.attach((event) => late.push(event));
    agent.emit({ type: "turn_start" });
    agent.emit({ type: "turn_end" });
    expect(late.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test("reach nobody who has detached", async () => {
    const { events, detach, handOver } = setUp();
    const { agent } = await handOver("hello");
    detach();
    agent.emit({ type: "turn_start" });
    expect(types(events)).toEqual(["agent_start"]);
  });

  test("detach whoever throws, once, and the others go on", async () => {
    const { session, events, handOver, log } = setUp();
    let heard = 0;
    session.attach(() => {
      heard += 1;
      throw new Error("a broken face");
    });
    const after: SessionEvent[] = [];
    session.attach((event) => after.push(event));
    const { agent } = await handOver("hello");
    agent.emit({ type: "turn_start" });
    expect(heard).toBe(1);
    expect(types(events)).toEqual(["agent_start", "turn_start"]);
    expect(types(after)).toEqual(["agent_start", "turn_start"]);
    expect(log.messages("error")).toEqual([expect.stringMatching(/detached/)]);
  });
});

describe("a session's agent", () => {
  test("is not started before it is needed", async () => {
    const { started, advance } = setUp();
    await advance(REST_AFTER);
    expect(started).toHaveLength(0);
  });

  test("is started by a prompt, with the session's file and folder, and gets the prompt when it is ready", async () => {
    const { say, agent, settle } = setUp();
    say("hello");
    await settle();
    expect(agent(0).options).toMatchObject({ sessionFile: "/s.jsonl", cwd: "/work" });
    expect(agent(0).runs).toHaveLength(0);
    agent(0).getReady();
    await settle();
    expect(agent(0).runs.map(({ prompt }) => prompt.text)).toEqual(["hello"]);
  });

  test("is started once by whatever needs it", async () => {
    const { session, say, started, agent, settle } = setUp();
    session.wake();
    say("hello");
    session.wake();
    await settle();
    session.wake();
    agent(0).getReady();
    await settle();
    session.wake();
    await settle();
    expect(started).toHaveLength(1);
    expect(agent(0).runs).toHaveLength(1);
  });

  test("is started by a wake alone", async () => {
    const { session, events, started, settle } = setUp();
    session.wake();
    await settle();
    expect(started).toHaveLength(1);
    expect(events).toEqual([]);
  });

  test("stays for the next turn", async () => {
    const { handOver, say, started, settle } = setUp();
    const { agent, run } = await handOver("one");
    run.end();
    await settle();
    say("two");
    await settle();
    expect(started).toHaveLength(1);
    expect(agent.runs.map(({ prompt }) => prompt.text)).toEqual(["one", "two"]);
  });

  test("that could not be woken is told in the log, and started anew by the prompt", async () => {
    const { session, say, started, agent, settle, log } = setUp();
    session.wake();
    await settle();
    agent(0).failToStart(missing);
    await settle();
    expect(log.messages("warn")).toEqual(["the agent could not be started"]);
    say("hello");
    await settle();
    agent(1).getReady();
    await settle();
    expect(agent(1).runs).toHaveLength(1);
    expect(started).toHaveLength(2);
  });

  test("that could not be started fails its turn, and is tried anew by the next one once its exit was seen", async () => {
    const { say, events, started, agent, settle } = setUp();
    say("one");
    await settle();
    agent(0).failToStart(missing, "lingers");
    await settle();
    expect(types(events)).toEqual(["agent_start", "agent_end failed"]);
    say("two");
    await settle();
    expect(started).toHaveLength(1);
    agent(0).exit();
    await settle();
    agent(1).getReady();
    await settle();
    expect(agent(1).runs.map(({ prompt }) => prompt.text)).toEqual(["two"]);
  });

  test("that died in the middle of a turn fails it, and another resumes with the next prompt", async () => {
    const { say, events, agent, handOver, settle } = setUp();
    await handOver("one");
    agent(0).exit();
    await settle();
    expect(types(events)).toEqual(["agent_start", "agent_end failed"]);
    say("two");
    await settle();
    agent(1).getReady();
    await settle();
    expect(agent(1).options.sessionFile).toBe(agent(0).options.sessionFile);
    expect(agent(1).runs.map(({ prompt }) => prompt.text)).toEqual(["two"]);
  });

  test("that died while it had nothing to do is replaced by the next prompt", async () => {
    const { handOver, started, settle } = setUp();
    const { agent, run } = await handOver("one");
    run.end();
    await settle();
    agent.exit();
    await settle();
    await handOver("two");
    expect(started).toHaveLength(2);
  });
});

describe("rest", () => {
  test("comes ten idle minutes after a turn's end, not a millisecond earlier", async () => {
    const { handOver, advance, settle } = setUp();
    const { agent, run } = await handOver("hello");
    await advance(3_000);
    run.end();
    await settle();
    await advance(REST_AFTER - 1);
    expect(agent.dismissals).toBe(0);
    await advance(1);
    expect(agent.dismissals).toBe(1);
  });

  test("comes ten minutes after a wake that nothing followed", async () => {
    const { session, agent, advance, settle } = setUp();
    session.wake();
    await settle();
    agent(0).getReady();
    await settle();
    await advance(REST_AFTER - 1);
    expect(agent(0).dismissals).toBe(0);
    await advance(1);
    expect(agent(0).dismissals).toBe(1);
  });

  test("never comes while a turn runs, and is counted anew from its end", async () => {
    const { session, handOver, say, advance, settle } = setUp();
    const { agent, run } = await handOver("one");
    run.end();
    await settle();
    await advance(REST_AFTER - 1);
    say("two");
    session.wake();
    await advance(5 * REST_AFTER);
    expect(agent.dismissals).toBe(0);
    agent.runs[1]?.end();
    await settle();
    await advance(REST_AFTER - 1);
    expect(agent.dismissals).toBe(0);
    await advance(1);
    expect(agent.dismissals).toBe(1);
  });

  test("is put off by a wake", async () => {
    const { session, handOver, advance, settle } = setUp();
    const { agent, run } = await handOver("one");
    run.end();
    await settle();
    await advance(REST_AFTER - 1);
    session.wake();
    await advance(REST_AFTER - 1);
    expect(agent.dismissals).toBe(0);
    await advance(1);
    expect(agent.dismissals).toBe(1);
  });

  test("does not come upon an agent that is just being started in the place of one that died", async () => {
    const { session, handOver, agent, advance, settle } = setUp();
    const { run } = await handOver("one");
    run.end();
    await settle();
    agent(0).exit();
    await advance(REST_AFTER - 1_000);
    session.wake();
    await advance(2_000);
    expect(agent(1).dismissals).toBe(0);
  });

  test("ends with the next prompt: a new process, once the old one's exit was seen", async () => {
    const { handOver, say, started, agent, advance, settle } = setUp();
    const { run } = await handOver("one");
    run.end();
    await advance(REST_AFTER);
    say("two");
    await settle();
    expect(started).toHaveLength(1);
    expect(agent(0).runs).toHaveLength(1);
    agent(0).exit();
    await settle();
    agent(1).getReady();
    await settle();
    expect(agent(1).runs.map(({ prompt }) => prompt.text)).toEqual(["two"]);
  });
});

describe("a dismissal", () => {
  test("of a session that never began is done at once", async () => {
    const { session, started } = setUp();
    await session.dismiss();
    expect(started).toHaveLength(0);
  });

  test("ends the running turn as stopped, and is done when the agent's exit was seen", async () => {
    const { session, handOver, events, settle } = setUp();
    const { agent, turn } = await handOver("one");
    const done = watch(session.dismiss());
    await settle();
    expect([agent.aborts, agent.dismissals]).toEqual([1, 1]);
    expect(done.settled).toBe(false);
    agent.exit();
    await settle();
    expect(done.settled).toBe(true);
    await expect(turn.ended).resolves.toEqual({ type: "stopped" });
    expect(types(events)).toEqual(["agent_start", "agent_interrupted", "agent_end stopped"]);
  });

  test("during a start ends the turn at once, and hands nothing over", async () => {
    const { session, say, agent, settle, log } = setUp();
    session.wake();
    const turn = say("one");
    await settle();
    const done = watch(session.dismiss());
    await expect(turn.ended).resolves.toEqual({ type: "stopped" });
    agent(0).exit();
    await settle();
    expect(done.settled).toBe(true);
    expect(agent(0).runs).toHaveLength(0);
    expect(log.messages("warn")).toEqual([]);
  });

  test("while a start waits for the old process brings up no new one", async () => {
    const { session, handOver, say, started, agent, advance, settle } = setUp();
    const { run } = await handOver("one");
    run.end();
    await advance(REST_AFTER);
    say("two");
    await settle();
    const done = watch(session.dismiss());
    await settle();
    expect(done.settled).toBe(false);
    agent(0).exit();
    await settle();
    expect(done.settled).toBe(true);
    expect(started).toHaveLength(1);
  });

  test("of an idle agent is done when its exit was seen, twice as once", async () => {
    const { session, handOver, settle } = setUp();
    const { agent, run } = await handOver("one");
    run.end();
    await settle();
    const dismissals = [watch(session.dismiss()), watch(session.dismiss())];
    await settle();
    expect(dismissals.map(({ settled }) => settled)).toEqual([false, false]);
    agent.exit();
    await settle();
    expect(dismissals.map(({ settled }) => settled)).toEqual([true, true]);
    expect(agent.dismissals).toBe(1);
  });

  test.each(["while it started", "while it ran"])(
    "%s does not spoil the prompt that comes right after it, which gets a process of its own",
    async (when) => {
      const { session, say, started, agent, settle } = setUp();
      say("one");
      await settle();
      if (when === "while it ran") agent(0).getReady();
      await settle();
      void session.dismiss();
      say("two");
      await settle();
      expect(started).toHaveLength(1);
      agent(0).exit();
      await settle();
      expect(started).toHaveLength(2);
      agent(1).getReady();
      await settle();
      expect(agent(1).runs.map(({ prompt }) => prompt.text)).toEqual(["two"]);
    },
  );

  test("leaves no timer behind that would keep the program alive", async () => {
    const { session, handOver, clock, settle } = setUp();
    const { agent } = await handOver("one");
    void session.dismiss();
    await settle();
    agent.exit();
    await settle();
    expect(clock.sleepers).toBe(0);
  });
});

test("a stop ends the turn and keeps the agent", async () => {
  const { session, handOver, say, started, settle } = setUp();
  expect(session.stop()).toBe(false);
  const { agent, turn, run } = await handOver("one");
  expect(session.stop()).toBe(true);
  expect(agent.aborts).toBe(1);
  run.end({ type: "aborted" });
  await expect(turn.ended).resolves.toEqual({ type: "stopped" });
  expect(session.stop()).toBe(false);
  say("two");
  await settle();
  expect(started).toHaveLength(1);
  expect(agent.dismissals).toBe(0);
});

test("idle comes when no turn runs or waits", async () => {
  const { session, handOver, say, settle } = setUp();
  await session.idle();
  const { agent, run } = await handOver("one");
  const idle = watch(session.idle());
  say("two");
  run.end({ type: "aborted" });
  await settle();
  expect(idle.settled).toBe(false);
  agent.runs[1]?.end();
  await settle();
  expect(idle.settled).toBe(true);
});

test("a session that is dismissed does not wait for the agent of a prompt that comes meanwhile", async () => {
  const { session, handOver, say, started, settle } = setUp();
  const { agent, run } = await handOver("first");
  run.end();
  await settle();
  let isDismissed = false;
  const dismissed = session.dismiss().then(() => (isDismissed = true));
  say("second");
  await settle();
  expect([started.length, isDismissed]).toEqual([1, false]);
  agent.exit();
  await settle();
  expect([started.length, isDismissed]).toEqual([2, true]);
  await dismissed;
});
