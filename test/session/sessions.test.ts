import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeSessionId } from "../../src/domain/ids.ts";
import type { Prompt, PromptDraft } from "../../src/domain/prompt.ts";
import { SessionRemovedError } from "../../src/domain/sessions.ts";
import type { SessionRecord } from "../../src/session/ledger.ts";
import { createSessions } from "../../src/session/sessions.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "./hand-agents.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "evie-sessions-"));
  for (const name of ["workspace", "workspace/inner", "elsewhere", "sessions"]) mkdirSync(join(root, name));
});

afterEach(() => rmSync(root, { recursive: true }));

function setUp(records: readonly SessionRecord[] = []) {
  const clock = createFakeClock();
  const { start, started } = createHandAgents();
  const memory = createMemoryLedgers(records);
  const sessions = createSessions({
    ledgers: memory.ledgers,
    folder: join(root, "sessions"),
    workspace: join(root, "workspace"),
    startAgent: start,
    clock,
    log: createMemoryLog(),
  });
  return { clock, sessions, started, memory, kept: memory.sessions };
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
    const cwd = join(root, "workspace");
    const now = clock.date();
    expect(session.cwd).toBe(cwd);
    expect(kept.get(session.id)).toEqual({
      id: session.id,
      cwd,
      face: "telegram",
      createdAt: now,
      lastUsedAt: now,
    });
    expect(started).toHaveLength(0);
  });

  test("begin a session in the folder that is named", () => {
    const { sessions, kept } = setUp();
    const cwd = join(root, "workspace", "inner");
    const session = sessions.create({ cwd: "inner", face: "http" });
    expect(session.cwd).toBe(cwd);
    expect(kept.get(session.id)).toMatchObject({ cwd, face: "http" });
    expect(sessions.create({ cwd, face: "http" }).cwd).toBe(cwd);
  });

  test.each([
    ["missing", "There is no folder"],
    ["../elsewhere", "outside the workspace"],
    ["/", "outside the workspace"],
    ["link", "outside the workspace"],
    ["file", "There is no folder"],
  ])("begin no session in %j", (cwd, words) => {
    symlinkSync(join(root, "elsewhere"), join(root, "workspace", "link"));
    writeFileSync(join(root, "workspace", "file"), "");
    const { sessions, kept } = setUp();
    expect(() => sessions.create({ cwd, face: "http" })).toThrow(words);
    expect(kept.size).toBe(0);
  });

  test("do not begin what cannot be written down", () => {
    const { sessions, memory } = setUp();
    memory.state.broken = true;
    expect(() => sessions.create({ face: "telegram" })).toThrow("the disk is full");
  });

  test("give one object for one id, whether it was begun or opened", () => {
    const stored = makeSessionId();
    const { sessions } = setUp([{ id: stored, cwd: "/old", face: "telegram", createdAt: 0, lastUsedAt: 0 }]);
    const begun = sessions.create({ face: "telegram" });
    expect(sessions.open(begun.id)).toBe(begun);
    expect(sessions.open(stored)).toBe(sessions.open(stored));
    expect(sessions.create({ face: "telegram" }).id).not.toBe(begun.id);
  });

  test("resume a stored session in its own folder and file", async () => {
    const id = makeSessionId();
    const old = { id, cwd: "/old", face: "telegram", createdAt: 0, lastUsedAt: 0 } as const;
    const { clock, sessions, started } = setUp([old]);
    const session = sessions.open(id);
    session?.run(draft, "telegram");
    await clock.settle();
    expect(session).toMatchObject({ id, cwd: "/old" });
    expect(started.map(({ options }) => options)).toMatchObject([
      { cwd: "/old", sessionFile: join(root, "sessions", `${id}.jsonl`) },
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
    const waiting = sessions.leaveAll().then(() => (done = true));
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

  test("are listed with the last used first, those that rest too, without an agent", async () => {
    const resting = makeSessionId();
    const old = { id: resting, cwd: "/old", face: "http", createdAt: 1, lastUsedAt: 2 } as const;
    const { clock, sessions, started, memory } = setUp([{ ...old, name: "An old plan", failed: true }]);
    await clock.advance(1_000);
    const begun = sessions.create({ face: "deck", name: "New" });
    memory.chats.set(begun.id, { chatId: 7, threadId: 3 });
    expect(sessions.list()).toEqual([
      {
        id: begun.id,
        name: "New",
        cwd: join(root, "workspace"),
        face: "deck",
        state: "idle",
        updatedAt: clock.date(),
        chat: { id: 7, threadId: 3 },
      },
      { id: resting, name: "An old plan", cwd: "/old", face: "http", state: "failed", updatedAt: 2 },
    ]);
    expect(started).toHaveLength(0);
  });

  test("tell those who watch when one begins, runs, ends or is renamed, and detach whoever throws", async () => {
    const { clock, sessions, started } = setUp();
    const states: string[] = [];
    const leave = sessions.watch(() =>
      states.push(
        sessions
          .list()
          .map(({ name, state }) => `${name} ${state}`)
          .join(),
      ),
    );
    sessions.watch(() => {
      throw new Error("a broken face");
    });
    const session = sessions.create({ face: "deck" });
    session.run(draft, "deck");
    await clock.settle();
    started[0]?.getReady();
    await clock.settle();
    started[0]?.runs[0]?.end();
    await clock.settle();
    session.rename("A name");
    leave();
    session.rename("Another");
    expect(states).toEqual([" idle", " running", " idle", "A name idle"]);
  });

  test("are removed with their agent, file, messages and pictures", async () => {
    const { clock, sessions, started, memory } = setUp();
    const session = sessions.create({ face: "deck" });
    const file = join(root, "sessions", `${session.id}.jsonl`);
    for (const path of [file, `${file}.damaged`]) writeFileSync(path, "");
    memory.ledgers.pictures.keep(session.id, { path: "/x.png", mimeType: "image/png" });
    session.wake();
    await clock.settle();
    const removing = sessions.remove(session.id);
    await clock.settle();
    expect(started[0]?.dismissals).toBe(1);
    started[0]?.exit();
    expect(await removing).toBe("removed");
    expect([existsSync(file), existsSync(`${file}.damaged`)]).toEqual([false, false]);
    expect([sessions.open(session.id), sessions.list(), memory.pictures]).toEqual([undefined, [], []]);
    expect(await sessions.remove(session.id)).toBe("unknown");
  });

  test("take nothing from the moment on that their removal begins, also from who still holds them", async () => {
    const { clock, sessions, started } = setUp();
    const session = sessions.create({ face: "deck" });
    const turn = session.run(draft, "deck");
    await clock.settle();
    started[0]?.getReady();
    await clock.settle();
    const removing = sessions.remove(session.id);
    const released: string[] = [];
    const late = (name: string): PromptDraft => ({ ...draft, release: () => void released.push(name) });
    const asked = { face: "deck", mode: "queue", requestId: "r", text: "hello" } as const;
    expect(() => session.run(late("run"), "deck")).toThrow(SessionRemovedError);
    expect(() => session.enqueue(late("enqueue"), "deck")).toThrow(SessionRemovedError);
    expect(() => session.prompt(late("prompt"), asked)).toThrow(SessionRemovedError);
    expect(() => session.prompt(late("steer"), { ...asked, mode: "steer" })).toThrow(SessionRemovedError);
    expect(() => session.rename("A name")).toThrow(SessionRemovedError);
    session.wake();
    expect(sessions.resume({ id: turn.id, sessionId: session.id, face: "deck" }, [late("resume")])).toBe(
      false,
    );
    expect(released).toEqual(["run", "enqueue", "prompt", "steer", "resume"]);
    expect([sessions.open(session.id), sessions.list(), await sessions.remove(session.id)]).toEqual([
      undefined,
      [],
      "unknown",
    ]);
    await clock.settle();
    started[0]?.exit();
    expect(await removing).toBe("removed");
    await clock.settle();
    expect(started).toHaveLength(1);
    expect(await turn.ended).toEqual({ type: "stopped" });
    expect(() => session.run(draft, "deck")).toThrow(SessionRemovedError);
  });

  test("end what was to be said into a turn when they are removed meanwhile, and start no agent for it", async () => {
    const { clock, sessions, started } = setUp();
    const session = sessions.create({ face: "deck" });
    session.run(draft, "deck");
    await clock.settle();
    started[0]?.getReady();
    await clock.settle();
    started[0]?.runs[0]?.accept();
    await clock.settle();
    const pictures = Promise.withResolvers<Prompt>();
    let released = 0;
    const late = { ready: pictures.promise, release: () => void (released += 1) };
    const asked = { face: "deck", mode: "steer", requestId: "r", text: "hello" } as const;
    const { ending } = session.prompt(late, asked);
    const removing = sessions.remove(session.id);
    started[0]?.exit();
    expect(await removing).toBe("removed");
    pictures.resolve({ text: "late", images: [], files: [] });
    expect(await ending).toEqual({ outcome: { type: "stopped" }, text: "" });
    await clock.settle();
    expect([started.length, released > 0]).toEqual([1, true]);
  });

  test("are there again when they cannot be removed", async () => {
    const { clock, sessions, started, memory } = setUp();
    const session = sessions.create({ face: "deck" });
    memory.state.broken = true;
    await expect(sessions.remove(session.id)).rejects.toThrow("the disk is full");
    memory.state.broken = false;
    expect(sessions.list()).toHaveLength(1);
    sessions.open(session.id)?.run(draft, "deck");
    await clock.settle();
    expect(started).toHaveLength(1);
  });

  test("start no agent once evie ends, and leave what comes then to the next start", async () => {
    const { clock, sessions, started, memory } = setUp();
    const session = sessions.create({ face: "deck" });
    await sessions.leaveAll();
    const late = sessions.create({ face: "deck" });
    for (const each of [session, late]) {
      each.wake();
      const asked = { face: "deck", mode: "queue", requestId: each.id, text: "hello" } as const;
      const { ending } = each.prompt({ ...draft, whole: { text: "hello", images: [] } }, asked);
      expect((await ending).outcome).toMatchObject({ message: expect.stringContaining("next start") });
      const turn = each.run(draft, "telegram");
      expect(await turn.ended).toEqual({ type: "stopped" });
    }
    await clock.settle();
    expect(started).toHaveLength(0);
    // Of each session the two prompts, and no end of them.
    expect(memory.turns.map((line) => line.split(" ")[0])).toEqual(Array(4).fill("flushed"));
  });

  test("are not removed while a chat speaks with them", async () => {
    const { sessions, memory } = setUp();
    const session = sessions.create({ face: "telegram" });
    memory.chats.set(session.id, { chatId: 7 });
    expect(await sessions.remove(session.id)).toBe("in use");
    expect(sessions.open(session.id)).toBe(session);
  });
});
