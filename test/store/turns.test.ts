import { expect, test } from "vitest";
import { makeChatKey, makeSessionId, makeTurnId, type TurnId } from "../../src/domain/ids.ts";
import { createStoreRig } from "./store-rig.ts";
import { drain } from "../fakes/drain.ts";

const chat = makeChatKey({ chatId: 7 });
const sessionId = makeSessionId();

function setUp() {
  const rig = createStoreRig();
  rig.store.updates.add([1, 2, 3, 4].map((id) => ({ id, chat, body: `${id}` })));
  const flush = (sources: readonly number[], instead?: TurnId): TurnId => {
    const id = makeTurnId();
    rig.store.turns.flushed({ id, sessionId, face: "telegram", sources }, instead);
    return id;
  };
  return Object.assign(rig, { flush });
}

test("a flush spends the turn's updates, and the turn is open with them after a restart", () => {
  using rig = setUp();
  const id = rig.flush([1, 2]);
  const { turns, updates } = rig.reopen();
  expect(updates.unspent()).toEqual(["3", "4"]);
  expect(turns.open()).toEqual([
    { id, sessionId, face: "telegram", chat, sources: [1, 2], state: "flushed", fileSize: 0 },
  ]);
});

test("a turn goes from flushed to handed, accepted and ended, and is then open no more", () => {
  using rig = setUp();
  const id = rig.flush([1]);
  const { turns } = rig.store;
  turns.handed(id, 120);
  expect(turns.open()).toMatchObject([{ state: "handed", fileSize: 120 }]);
  turns.accepted(id);
  turns.ending(id, "replaced", ["Half"]);
  expect(turns.open()).toMatchObject([{ state: "accepted", ending: "replaced", said: ["Half"] }]);
  turns.ended(id, { type: "replaced" }, ["Half an"]);
  expect(turns.open()).toEqual([]);
  expect(rig.reopen().turns.undelivered()).toEqual([
    { id, chat, outcome: { type: "replaced" }, said: ["Half an"] },
  ]);
});

test("a session was used last when an agent took a turn of it, or one ended", async () => {
  using rig = setUp();
  const { sessions, turns } = rig.store;
  const at = rig.clock.date();
  const ids = [makeSessionId(), makeSessionId()] as const;
  const [one, other] = ids;
  for (const id of ids) sessions.add({ id, cwd: "/work", face: "deck", createdAt: at });
  const turn = makeTurnId();
  await rig.clock.advance(10);
  turns.flushed({ id: turn, sessionId: one, face: "deck", sources: [] });
  turns.accepted(turn);
  await rig.clock.advance(10);
  const next = makeTurnId();
  turns.flushed({ id: next, sessionId: other, face: "deck", sources: [] });
  turns.accepted(next);
  expect(sessions.list().map(({ id }) => id)).toEqual([other, one]);
  await rig.clock.advance(10);
  turns.ended(turn, { type: "done" }, []);
  expect(sessions.list()).toMatchObject([
    { id: one, createdAt: at, lastUsedAt: at + 30 },
    { id: other, lastUsedAt: at + 20 },
  ]);
});

test("the first end counts", () => {
  using rig = setUp();
  const id = rig.flush([1]);
  rig.store.turns.ended(id, { type: "done" }, ["All", "of it."]);
  rig.store.turns.ended(id, { type: "stopped" }, []);
  expect(rig.store.turns.undelivered()).toMatchObject([
    { outcome: { type: "done" }, said: ["All", "of it."] },
  ]);
});

test("a turn that takes another's place takes its updates, and each is in one turn only", () => {
  using rig = setUp();
  const first = rig.flush([1, 2]);
  const second = rig.flush([3]);
  rig.store.turns.flushed({ id: second, sessionId, face: "telegram", sources: [1, 2, 3] }, first);
  expect(rig.store.turns.open()).toMatchObject([{ id: second, sources: [1, 2, 3] }]);
  expect(rig.store.turns.get(first)?.sources).toEqual([]);
});

test("a turn is delivered once, and then there is nothing left to show of it", () => {
  using rig = setUp();
  const id = rig.flush([1]);
  rig.store.turns.ended(id, { type: "done" }, ["Yes."]);
  rig.store.turns.delivered(id);
  expect(rig.store.turns.undelivered()).toEqual([]);
});

test("a turn that nobody asked for in a chat is shown where it was shown before, or where its session is", () => {
  using rig = setUp();
  const { turns, bubbles, sessions, chats } = rig.store;
  const id = makeTurnId();
  turns.flushed({ id, sessionId, face: "http", sources: [] });
  sessions.add({ id: sessionId, cwd: "/", face: "http", createdAt: 1 });
  chats.point(chat, sessionId);
  turns.ended(id, { type: "done" }, ["Yes."]);
  expect(turns.undelivered()).toMatchObject([{ id, chat }]);
  bubbles.keep(id, makeChatKey({ chatId: 8 }), [{ messageId: 4, content: "…" }]);
  expect(turns.undelivered()).toMatchObject([{ id, chat: "8" }]);
});

test("what ended in a session before any chat spoke with it is shown in none that comes, and what runs is", () => {
  using rig = setUp();
  const { turns, bubbles, sessions, chats } = rig.store;
  sessions.add({ id: sessionId, cwd: "/", face: "http", createdAt: 1 });
  const [past, elsewhere, running, later] = [makeTurnId(), makeTurnId(), makeTurnId(), makeTurnId()];
  for (const id of [past, elsewhere, running]) turns.flushed({ id, sessionId, face: "http", sources: [] });
  const own = rig.flush([1]);
  const done = (...ids: readonly (typeof past)[]): void =>
    ids.forEach((id) => turns.ended(id, { type: "done" }, ["Yes."]));
  done(past, elsewhere, own);
  bubbles.keep(elsewhere, makeChatKey({ chatId: 8 }), [{ messageId: 4, content: "…" }]);
  expect(turns.undelivered()).toMatchObject([{ id: elsewhere }, { id: own }]);

  chats.point(chat, sessionId);
  turns.flushed({ id: later, sessionId, face: "http", sources: [] });
  done(running, later);
  chats.point(chat, sessionId);
  const { turns: reopened } = rig.reopen();
  expect(reopened.undelivered()).toMatchObject([
    { id: elsewhere },
    { id: running },
    { id: own },
    { id: later },
  ]);
});

test("bubbles are those of the last time, in order, and each turn's its own", () => {
  using rig = setUp();
  const [one, other] = [rig.flush([1]), rig.flush([2])];
  rig.store.bubbles.keep(one, chat, [{ messageId: 10, content: "…" }]);
  rig.store.bubbles.keep(one, chat, [
    { messageId: 10, content: "a" },
    { messageId: 9, content: "b" },
  ]);
  rig.store.bubbles.keep(other, chat, [{ messageId: 11, content: "c" }]);
  rig.store.bubbles.keep(other, chat, []);
  expect(rig.reopen().bubbles.of(one)).toEqual([
    { messageId: 10, content: "a" },
    { messageId: 9, content: "b" },
  ]);
  expect(rig.store.bubbles.of(other)).toEqual([]);
});

test("a turn is done again once, however often it is asked for", () => {
  using rig = setUp();
  const id = rig.flush([1]);
  rig.store.turns.handed(id, 0);
  expect(rig.store.turns.repeat(id)).toBe(true);
  expect(rig.store.turns.repeat(id)).toBe(false);
  expect(rig.store.turns.repeat(makeTurnId())).toBe(false);
  expect(rig.store.turns.get(id)).toEqual({ sources: [1], handed: true, repeated: true });
  expect(rig.store.turns.get(makeTurnId())).toBeUndefined();
});

test("a sweep takes old turns that were delivered, with their bubbles, and no other", () => {
  using rig = setUp();
  const { turns, bubbles } = rig.store;
  const [delivered, undelivered, open] = [rig.flush([1]), rig.flush([2]), rig.flush([3])];
  for (const id of [delivered, undelivered]) turns.ended(id, { type: "done" }, []);
  turns.delivered(delivered);
  for (const id of [delivered, undelivered]) bubbles.keep(id, chat, [{ messageId: 1, content: "" }]);
  drain(rig.store.old.turns(rig.clock.date(), 0));
  expect(turns.get(delivered)).toBeDefined();
  drain(rig.store.old.turns(rig.clock.date() + 1, 0));
  expect([delivered, undelivered, open].map((id) => turns.get(id) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
  expect([delivered, undelivered].map((id) => bubbles.of(id).length)).toEqual([0, 1]);
});

test("what is shelved spends its updates, and is neither open nor to be shown", () => {
  using rig = setUp();
  const id = makeTurnId();
  rig.store.turns.shelved(id, [2, 3]);
  expect(rig.store.updates.unspent()).toEqual(["1", "4"]);
  expect([rig.store.turns.open(), rig.store.turns.undelivered()]).toEqual([[], []]);
  expect(rig.store.turns.get(id)).toEqual({ sources: [2, 3], handed: false, repeated: false });
});

test("a turn that is given up leaves its updates to another", () => {
  using rig = setUp();
  const id = rig.flush([1]);
  rig.store.turns.giveUp(id);
  expect(rig.store.turns.open()).toEqual([]);
  expect(rig.store.turns.get(id)?.sources).toEqual([]);
});

test("an edit is named by the last turn that is made of its message, and by no other", () => {
  using rig = createStoreRig();
  const { turns, updates } = rig.store;
  const body = (id: number, message_id: number) => JSON.stringify({ update_id: id, message: { message_id } });
  updates.add([
    { id: 1, chat, body: body(1, 50) },
    { id: 2, chat, body: body(2, 51) },
    { id: 3, chat: "8", body: body(3, 50) },
    { id: 4, chat, body: "{}" },
  ]);
  const [first, other, elsewhere, again] = [makeTurnId(), makeTurnId(), makeTurnId(), makeTurnId()] as const;
  const flushed = (id: TurnId, ...sources: number[]) =>
    turns.flushed({ id, sessionId, face: "telegram", sources });
  flushed(first, 1);
  flushed(other, 2);
  flushed(elsewhere, 3);
  turns.edited(chat, 50, 10);
  flushed(again, 4, 1, 10);
  turns.ended(again, { type: "done" }, []);
  turns.edited(chat, 50, 11);
  turns.edited(chat, 99, 12);
  const sources = [first, other, elsewhere, again].map((id) => turns.get(id)?.sources);
  expect(sources).toEqual([[1, 10], [2], [3], [4, 1, 10, 11]]);
});
