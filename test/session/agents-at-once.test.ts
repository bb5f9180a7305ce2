import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/domain/events.ts";
import { makeSessionId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import { REST_AFTER } from "../../src/session/agent-berth.ts";
import { createAgentPlaces } from "../../src/session/agent-places.ts";
import { createSession } from "../../src/session/session.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents, type HandAgent } from "./hand-agents.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";

function draft(text: string): PromptDraft {
  return { ready: Promise.resolve({ text, images: [], files: [] }), release: () => undefined };
}

/** Sessions of one evie, in which `most` agents may run at once. */
function setUp(most: number) {
  const clock = createFakeClock();
  const places = createAgentPlaces(most);
  const order: string[] = [];

  function begin(name: string) {
    const { start, started } = createHandAgents();
    const session = createSession({
      record: { id: makeSessionId(), cwd: "/work", face: "telegram", createdAt: 0, lastUsedAt: 0 },
      sessionFile: `/${name}.jsonl`,
      startAgent: (options) => {
        order.push(name);
        return start(options);
      },
      places,
      ledgers: createMemoryLedgers().ledgers,
      answerAt: undefined,
      changed: () => undefined,
      clock,
      log: createMemoryLog(),
    });
    const events: SessionEvent[] = [];
    session.attach((event) => events.push(event));
    const agent = (): HandAgent => {
      const newest = started.at(-1);
      if (newest === undefined) throw new Error(`no agent of ${name} was started`);
      return newest;
    };
    return {
      session,
      events,
      started,
      agent,
      notices: () => events.flatMap((event) => (event.type === "notice" ? [event.notice] : [])),
      ends: () => events.flatMap((event) => (event.type === "agent_end" ? [event.outcome.type] : [])),
      ask: (text: string) => session.run(draft(text), "telegram"),
      async getReady() {
        await clock.settle();
        agent().getReady();
        await clock.settle();
      },
      async answer() {
        agent().runs.at(-1)?.end();
        await clock.settle();
      },
    };
  }

  return { clock, order, begin, settle: () => clock.settle() };
}

describe("with as many agents as may run", () => {
  test("a turn waits, its session says so, and it goes on when another agent has gone", async () => {
    const { begin, settle } = setUp(1);
    const [one, two] = [begin("one"), begin("two")];
    one.ask("a");
    await one.getReady();
    two.ask("b");
    await settle();
    expect(two.started).toHaveLength(0);
    expect(two.notices()).toEqual([{ type: "waiting_for_agent", most: 1 }]);
    await one.answer();
    expect(one.agent().dismissals).toBe(1);
    expect(two.started).toHaveLength(0);
    one.agent().exit();
    await two.getReady();
    expect(two.agent().runs.map(({ prompt }) => prompt.text)).toEqual(["b"]);
    await two.answer();
    expect(two.ends()).toEqual(["done"]);
  });

  test("a resting agent gives way at once, and nobody is told to wait", async () => {
    const { begin, settle } = setUp(1);
    const [one, two] = [begin("one"), begin("two")];
    one.ask("a");
    await one.getReady();
    await one.answer();
    expect(one.agent().dismissals).toBe(0);
    two.ask("b");
    await settle();
    expect(one.agent().dismissals).toBe(1);
    one.agent().exit();
    await two.getReady();
    expect(two.notices()).toEqual([]);
    expect(two.agent().runs).toHaveLength(1);
  });

  test("a session with a queue of its own gives its agent up between two turns, and lines up behind the others", async () => {
    const { begin, order } = setUp(1);
    const [one, two, three] = [begin("one"), begin("two"), begin("three")];
    one.ask("a");
    await one.getReady();
    for (const text of ["b", "c"]) one.session.enqueue(draft(text), "http");
    two.ask("d");
    three.ask("e");
    for (const each of [one, two, three, one]) {
      await each.getReady();
      await each.answer();
      each.agent().exit();
    }
    expect(order).toEqual(["one", "two", "three", "one"]);
    expect(one.ends()).toEqual(["done", "done"]);
  });

  test("a turn that replaces another one keeps the agent", async () => {
    const { begin, settle } = setUp(1);
    const [one, two] = [begin("one"), begin("two")];
    one.ask("a");
    await one.getReady();
    two.ask("b");
    await settle();
    one.ask("c");
    one.agent().runs[0]?.end({ type: "aborted" });
    await settle();
    expect(one.agent().runs.map(({ prompt }) => prompt.text)).toEqual(["a", "c"]);
    expect(one.agent().dismissals).toBe(0);
  });

  test("a turn that replaces one in line keeps its place there", async () => {
    const { begin, settle } = setUp(1);
    const [one, two, three] = [begin("one"), begin("two"), begin("three")];
    one.ask("a");
    await one.getReady();
    two.ask("b");
    await settle();
    three.ask("c");
    await settle();
    two.ask("d");
    await settle();
    expect(two.notices()).toHaveLength(2);
    await one.answer();
    one.agent().exit();
    await two.getReady();
    expect(two.agent().runs.map(({ prompt }) => prompt.text)).toEqual(["b\n\nd"]);
    expect(three.started).toHaveLength(0);
  });

  test("a stop takes who waits out of the line, and nothing is started for it", async () => {
    const { begin, settle } = setUp(1);
    const [one, two, three] = [begin("one"), begin("two"), begin("three")];
    one.ask("a");
    await one.getReady();
    two.ask("b");
    await settle();
    three.ask("c");
    await settle();
    two.session.stop();
    await settle();
    expect(two.ends()).toEqual(["stopped"]);
    await one.answer();
    one.agent().exit();
    await three.getReady();
    expect(two.started).toHaveLength(0);
    expect(three.agent().runs).toHaveLength(1);
  });

  test("a stop of who is alone in line starts nothing, and the agent that ran may stay", async () => {
    const { begin, settle } = setUp(1);
    const [one, two] = [begin("one"), begin("two")];
    one.ask("a");
    await one.getReady();
    two.ask("b");
    await settle();
    two.session.stop();
    await settle();
    await one.answer();
    expect(one.agent().dismissals).toBe(0);
    one.agent().exit();
    await settle();
    expect(two.started).toHaveLength(0);
  });

  test.each(["remove", "leave", "dismiss"] as const)("so does its end (%s)", async (how) => {
    const { begin, settle } = setUp(1);
    const [one, two, three] = [begin("one"), begin("two"), begin("three")];
    one.ask("a");
    await one.getReady();
    two.ask("b");
    await settle();
    await two.session[how]();
    one.agent().exit();
    await settle();
    expect(two.started).toHaveLength(0);
    expect(two.ends()).toEqual(["stopped"]);
    three.ask("c");
    await three.getReady();
    expect(three.agent().runs).toHaveLength(1);
  });

  test("a dismissal of who was woken and waits for its own old process leaves the line as well", async () => {
    const { begin, settle } = setUp(1);
    const [one, two] = [begin("one"), begin("two")];
    one.ask("a");
    await one.getReady();
    await one.answer();
    void one.session.dismiss();
    one.session.wake();
    await settle();
    void one.session.dismiss();
    one.agent().exit();
    two.ask("b");
    await two.getReady();
    expect(two.agent().runs).toHaveLength(1);
  });

  test("an agent that cannot start, or dies, gives its place to the next", async () => {
    const { begin, settle } = setUp(1);
    const [one, two, three] = [begin("one"), begin("two"), begin("three")];
    for (const each of [one, two, three]) {
      each.ask("a");
      await settle();
    }
    one.agent().failToStart({ type: "missing", command: "pi" });
    await two.getReady();
    two.agent().exit();
    await three.getReady();
    expect(one.ends()).toEqual(["failed"]);
    expect(two.ends()).toEqual(["failed"]);
    expect(three.agent().runs).toHaveLength(1);
  });

  test("nobody is woken who would only wait", async () => {
    const { begin, settle } = setUp(1);
    const [one, two] = [begin("one"), begin("two")];
    one.ask("a");
    await one.getReady();
    two.session.wake();
    await settle();
    await one.answer();
    expect(one.agent().dismissals).toBe(0);
    expect(two.started).toHaveLength(0);
  });

  test("an agent that was started for a turn that has gone by then is put to rest like any other", async () => {
    const { begin, clock, settle } = setUp(1);
    const [one, two] = [begin("one"), begin("two")];
    one.ask("a");
    await one.getReady();
    await one.answer();
    two.session.wake();
    await settle();
    one.agent().exit();
    await two.getReady();
    await clock.advance(REST_AFTER);
    expect(two.agent().dismissals).toBe(1);
  });
});
