import { describe, expect, test } from "vitest";
import { makeSessionId, type SessionId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import type { SessionRecord } from "../../src/session/ledger.ts";
import { createSessions } from "../../src/session/sessions.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "./hand-agents.ts";

function setUp(records: readonly SessionRecord[] = []) {
  const clock = createFakeClock();
  const { start, started } = createHandAgents();
  const kept = new Map<SessionId, SessionRecord>(records.map((record) => [record.id, record]));
  const sessions = createSessions({
    ledger: { add: (record) => void kept.set(record.id, record), get: (id) => kept.get(id) },
    folder: "/sessions",
    workspace: "/workspace",
    startAgent: start,
    clock,
    log: createMemoryLog(),
  });
  return { clock, sessions, started, kept };
}

const draft: PromptDraft = {
  ready: Promise.resolve({ text: "hello", images: [], files: [] }),
  release: () => undefined,
};

describe("the sessions", () => {
  test("begin a session in the workspace and write it down, without an agent", async () => {
    const { clock, sessions, kept, started } = setUp();
    await clock.advance(5_000);
    const session = sessions.create({ face: "telegram" });
    expect(session.cwd).toBe("/workspace");
    expect(kept.get(session.id)).toEqual({
      id: session.id,
      cwd: "/workspace",
      face: "telegram",
      createdAt: clock.date(),
    });
    expect(started).toHaveLength(0);
  });

  test("begin a session in the folder that is named", () => {
    const { sessions, kept } = setUp();
    const session = sessions.create({ cwd: "/elsewhere", face: "http" });
    expect(session.cwd).toBe("/elsewhere");
    expect(kept.get(session.id)).toMatchObject({ cwd: "/elsewhere", face: "http" });
  });

  test("do not begin what cannot be written down", () => {
    const clock = createFakeClock();
    const sessions = createSessions({
      ledger: {
        add: () => {
          throw new Error("the disk is full");
        },
        get: () => undefined,
      },
      folder: "/sessions",
      workspace: "/workspace",
      startAgent: createHandAgents().start,
      clock,
      log: createMemoryLog(),
    });
    expect(() => sessions.create({ face: "telegram" })).toThrow("the disk is full");
  });

  test("give one object for one id, whether it was begun or opened", () => {
    const stored = makeSessionId();
    const { sessions } = setUp([{ id: stored, cwd: "/old", face: "telegram", createdAt: 0 }]);
    const begun = sessions.create({ face: "telegram" });
    expect(sessions.open(begun.id)).toBe(begun);
    expect(sessions.open(stored)).toBe(sessions.open(stored));
    expect(sessions.create({ face: "telegram" }).id).not.toBe(begun.id);
  });

  test("resume a stored session in its own folder and file", async () => {
    const id = makeSessionId();
    const { clock, sessions, started } = setUp([{ id, cwd: "/old", face: "telegram", createdAt: 0 }]);
    const session = sessions.open(id);
    session?.run(draft, "telegram");
    await clock.settle();
    expect(session).toMatchObject({ id, cwd: "/old" });
    expect(started.map(({ options }) => options)).toMatchObject([
      { cwd: "/old", sessionFile: `/sessions/${id}.jsonl` },
    ]);
  });

  test("do not know a session that was never written down", () => {
    expect(setUp().sessions.open(makeSessionId())).toBeUndefined();
  });

  test("are idle when each of them is", async () => {
    const { clock, sessions, started } = setUp();
    await sessions.idle();
    for (const _ of ["one", "two"]) sessions.create({ face: "telegram" }).run(draft, "telegram");
    let idle = false;
    const waiting = sessions.idle().then(() => (idle = true));
    await clock.settle();
    for (const agent of started) agent.getReady();
    await clock.settle();
    started[0]?.runs[0]?.end();
    await clock.settle();
    expect(idle).toBe(false);
    started[1]?.runs[0]?.end();
    await waiting;
    expect(idle).toBe(true);
  });

  test("are dismissed all at once, which is done when every agent's exit was seen", async () => {
    const { clock, sessions, started } = setUp();
    const turns = ["one", "two"].map(() => sessions.create({ face: "telegram" }).run(draft, "telegram"));
    await clock.settle();
    for (const agent of started) agent.getReady();
    await clock.settle();
    let done = false;
    const waiting = sessions.dismissAll().then(() => (done = true));
    await clock.settle();
    expect(started.map(({ dismissals }) => dismissals)).toEqual([1, 1]);
    started[0]?.exit();
    await clock.settle();
    expect(done).toBe(false);
    started[1]?.exit();
    await waiting;
    expect(await Promise.all(turns.map(({ ended }) => ended))).toEqual([
      { type: "stopped" },
      { type: "stopped" },
    ]);
  });
});
