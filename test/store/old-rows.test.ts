import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/domain/events.ts";
import { makeChatKey, makeSessionId, makeTurnId, type SessionId } from "../../src/domain/ids.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { drain } from "../fakes/drain.ts";
import { createStoreRig } from "./store-rig.ts";

const chat = makeChatKey({ chatId: 5 });

function message(key: string, size: number): Message {
  return { key, role: "user", at: 1, content: [{ type: "text", text: "x".repeat(size) }] };
}

function setUp() {
  const rig = createStoreRig();
  onTestFinished(() => rig[Symbol.dispose]());
  const begin = (createdAt: number): SessionId => {
    const id = makeSessionId();
    rig.store.sessions.add({ id, cwd: "/", face: "telegram", createdAt });
    return id;
  };
  const say = (session: SessionId, count: number, size: number): void =>
    rig.store.together(() => {
      for (let key = 0; key < count; key += 1) rig.store.messages.save(session, message(`m-${key}`, size));
    });
  return { rig, old: rig.store.old, begin, say };
}

describe("a session that nobody has used", () => {
  test("is told by its last use, the oldest first", () => {
    const { old, begin } = setUp();
    const [second, first] = [begin(2), begin(1)];
    begin(3);
    expect(old.unusedSessions(3)).toEqual([first, second]);
    expect(old.unusedSessions(Number.NEGATIVE_INFINITY)).toEqual([]);
  });

  test("is none while a turn of it has no end, or a message of its chat waits", () => {
    const { rig, old, begin } = setUp();
    const [running, waited] = [begin(1), begin(1)];
    const turn = makeTurnId();
    rig.store.turns.flushed({ id: turn, sessionId: running, face: "http", sources: [] });
    rig.store.chats.point(chat, waited);
    rig.store.updates.add([{ id: 7, chat, body: "{}" }]);
    expect(old.unusedSessions(10)).toEqual([]);
    rig.store.turns.ended(turn, { type: "stopped" }, []);
    rig.store.updates.spend([7]);
    expect(old.unusedSessions(10)).toEqual([waited]);
    expect(new Set(old.unusedSessions(rig.clock.date() + 1))).toEqual(new Set([waited, running]));
  });

  test("is none where its date cannot be true, and counts from now on", () => {
    const { rig, old, begin } = setUp();
    const id = begin(1);
    const now = rig.clock.date();
    expect(old.unusedSessions(now)).toEqual([]);
    expect(rig.store.sessions.get(id)?.lastUsedAt).toBe(now);
    expect(old.unusedSessions(now + 1)).toEqual([id]);
  });

  test("is let go of by its chat, and by no other", () => {
    const { rig, begin } = setUp();
    const [one, other] = [begin(1), begin(1)];
    rig.store.chats.point(chat, one);
    rig.store.chats.point(makeChatKey({ chatId: 6 }), other);
    rig.store.chats.unpoint(one);
    expect(rig.store.chats.keys()).toEqual([makeChatKey({ chatId: 6 })]);
    rig.store.sessions.remove(one);
  });

  test("loses its messages bit by bit: many small ones, or few large ones, and no other session's", () => {
    const { rig, old, begin, say } = setUp();
    const [many, large, other] = [begin(1), begin(1), begin(1)];
    say(many, 1_100, 10);
    say(large, 5, 600_000);
    say(other, 3, 10);
    expect(drain(old.messagesOf(many))).toBe(11);
    expect(drain(old.messagesOf(large))).toBe(5);
    expect([many, large, other].map((id) => rig.store.messages.page(id, 10).messages.length)).toEqual([
      0, 0, 3,
    ]);
  });
});

test("rows are looked through some at a time, and what is old of them goes", () => {
  const { rig, old } = setUp();
  const session = makeSessionId();
  rig.store.together(() => {
    for (let id = 1; id <= 1_200; id += 1) {
      const turn = makeTurnId();
      rig.store.updates.add([{ id, chat, body: "{}" }]);
      rig.store.turns.flushed({ id: turn, sessionId: session, face: "telegram", sources: [id] });
      rig.store.turns.ended(turn, { type: "stopped" }, []);
      if (id !== 700) rig.store.turns.delivered(turn);
    }
  });
  const later = rig.clock.date() + 1;
  expect(drain(old.updates(later))).toBe(24);
  expect(rig.store.updates.bodies([1, 700])).toHaveLength(2);
  expect(drain(old.turns(later, 0))).toBe(12);
  drain(old.updates(later));
  // The one that could not be delivered has its end too, later.
  expect(rig.store.updates.bodies([1, 700, 1_200])).toHaveLength(1);
  drain(old.turns(later, later));
  drain(old.updates(later));
  expect(rig.store.updates.bodies([700])).toHaveLength(0);
});

test("an update that a turn comes to name while the others are looked at stays", () => {
  const { rig, old } = setUp();
  rig.store.updates.add([{ id: 1, chat, body: "{}" }]);
  rig.store.updates.spend([1]);
  const first = makeTurnId();
  rig.store.turns.flushed({ id: first, sessionId: makeSessionId(), face: "telegram", sources: [] });
  const steps = old.updates(rig.clock.date() + 1);
  steps.next();
  rig.store.turns.flushed({ id: makeTurnId(), sessionId: makeSessionId(), face: "telegram", sources: [1] });
  drain(steps);
  expect(rig.store.updates.bodies([1])).toHaveLength(1);
});

test("requests go when they are old", () => {
  const { rig, old, begin } = setUp();
  const session = begin(1);
  for (const at of [1, 2]) {
    const request = { turnId: makeTurnId(), body: "", at, oldest: 0 };
    rig.store.requests.add(session, `r-${at}`, request);
  }
  drain(old.requests(2));
  expect([1, 2].map((at) => rig.store.requests.get(session, `r-${at}`) !== undefined)).toEqual([false, true]);
});

describe("the database shrinks", () => {
  test("when what is old has gone, in steps, and its log of writes with it", () => {
    const { rig, old, begin, say } = setUp();
    const session = begin(1);
    say(session, 200, 100_000);
    drain(old.messagesOf(session));
    expect(drain(old.shrink())).toBeGreaterThan(20);
    expect(statSync(rig.path).size).toBeLessThan(3_000_000);
    expect(statSync(`${rig.path}-wal`).size).toBe(0);
  });

  test("not for a little", () => {
    const { old, begin, say } = setUp();
    const session = begin(1);
    say(session, 20, 100_000);
    drain(old.messagesOf(session));
    expect(drain(old.shrink())).toBe(1);
  });

  test("also where an earlier evie made it, which keeps all it holds", () => {
    const folder = mkdtempSync(join(tmpdir(), "evie-shrink-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "evie.db");
    const made = openDatabase(path, createFakeClock()).database;
    made.exec("INSERT INTO owner VALUES (1, 4711, 0)");
    made.close();
    // As it was before databases could shrink.
    const earlier = new DatabaseSync(path);
    earlier.exec("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
    expect(earlier.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 0 });
    earlier.close();
    const { database } = openDatabase(path, createFakeClock());
    expect(database.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
    expect(database.prepare("SELECT user_id FROM owner").get()).toEqual({ user_id: 4_711 });
    database.close();
  });
});
