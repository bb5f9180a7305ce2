import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeSessionId, type SessionId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import { createSessions } from "../../src/session/sessions.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "./hand-agents.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "evie-unused-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = createFakeClock();
  const { start, started } = createHandAgents();
  const id = makeSessionId();
  const record = { id, cwd: folder, face: "telegram" as const, createdAt: 0, lastUsedAt: 0 };
  const memory = createMemoryLedgers([record]);
  memory.chats.set(id, { chatId: 5 });
  const sessions = createSessions({
    ledgers: memory.ledgers,
    folder,
    workspace: folder,
    startAgent: start,
    clock,
    log: createMemoryLog(),
  });
  const file = join(folder, `${id}.jsonl`);
  writeFileSync(file, "");
  mkdirSync(join(folder, "workspace"));
  const dropped: SessionId[] = [];
  const never = new AbortController().signal;
  const sweep = (): Promise<number> =>
    sessions.removeUnused(
      1,
      {
        unusedSessions: () => [id],
        unpoint: (session) => void memory.chats.delete(session),
        *messagesOf(session) {
          dropped.push(session);
          yield undefined;
        },
      },
      never,
    );
  return { id, clock, sessions, started, memory, file, dropped, sweep };
}

const draft: PromptDraft = {
  ready: Promise.resolve({ text: "hello", images: [], files: [] }),
  release: () => undefined,
};

test("a session that nobody has used is removed with its messages, its file and its chat's pointer", async () => {
  const { id, sessions, memory, file, dropped, sweep } = setUp();
  const known = sessions.open(id);
  expect(known?.isRemoved).toBe(false);
  let changes = 0;
  sessions.watch(() => (changes += 1));
  expect(await sweep()).toBe(1);
  expect(known?.isRemoved).toBe(true);
  expect(sessions.open(id)).toBeUndefined();
  expect(sessions.list()).toEqual([]);
  expect(memory.sessions.has(id)).toBe(false);
  expect(memory.chats.has(id)).toBe(false);
  expect(dropped).toEqual([id]);
  expect(existsSync(file)).toBe(false);
  expect(changes).toBeGreaterThan(0);
});

test("one in which something runs stays, and while its agent is there, and goes when that rests", async () => {
  const { id, clock, sessions, started, memory, sweep } = setUp();
  const turn = sessions.open(id)?.run(draft, "telegram");
  expect(await sweep()).toBe(0);
  await clock.settle();
  started[0]?.getReady();
  await clock.settle();
  expect(await sweep()).toBe(0);
  started[0]?.runs[0]?.end();
  await turn?.ended;
  await clock.settle();
  expect(await sweep()).toBe(0);
  expect(memory.sessions.has(id)).toBe(true);
  await clock.advance(11 * 60_000);
  started[0]?.exit();
  await clock.settle();
  expect(await sweep()).toBe(1);
});

test("one that a burst has woken stays", async () => {
  const { id, clock, sessions, sweep } = setUp();
  sessions.open(id)?.wake();
  await clock.settle();
  expect(await sweep()).toBe(0);
});

test("one that somebody looks at in a browser stays", async () => {
  const { id, sessions, sweep } = setUp();
  const observed = sessions.open(id)?.observe(() => undefined);
  expect(await sweep()).toBe(0);
  observed?.detach();
  expect(await sweep()).toBe(1);
});

test("a stop of evie ends it between two sessions", async () => {
  const { id, sessions } = setUp();
  const stopped = AbortSignal.abort();
  const unused = { unusedSessions: () => [id], unpoint: () => undefined, messagesOf: () => [] };
  expect(await sessions.removeUnused(1, unused, stopped)).toBe(0);
  expect(sessions.open(id)).toBeDefined();
});
