import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeChatKey, makeTurnId, type SessionId, type TurnId } from "../src/domain/ids.ts";
import type { KeptDraft, PromptDraft } from "../src/domain/prompt.ts";
import { createDrafts } from "../src/http/drafts.ts";
import { CHATS_FIRST, findLeftovers } from "../src/leftovers.ts";
import { createSessions } from "../src/session/sessions.ts";
import { createStoredPictures } from "../src/store/pictures.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";
import { createHandAgents } from "./session/hand-agents.ts";
import { createStoreRig } from "./store/store-rig.ts";

const chat = makeChatKey({ chatId: 7 });
const whole = (text: string): KeptDraft => ({ text, images: [] });

/** A home with turns that were left in it, and the sessions of the next evie. */
function setUp() {
  const rig = createStoreRig();
  const { clock, store } = rig;
  const folder = mkdtempSync(join(tmpdir(), "evie-left-"));
  const log = createMemoryLog();
  const { start, started } = createHandAgents();
  const sessions = createSessions({
    ledgers: {
      ...store,
      pictures: createStoredPictures(join(folder, "pictures")),
      chatOf: (id) => store.chats.chatOf(id),
    },
    folder,
    workspace: folder,
    startAgent: start,
    clock,
    log,
  });
  store.updates.add([1, 2].map((id) => ({ id, chat, body: `{"update_id":${id}}` })));
  const begin = (): SessionId => sessions.create({ face: "http" }).id;
  const leave = (sessionId: SessionId, ...prompt: readonly KeptDraft[]): TurnId => {
    const id = makeTurnId();
    const sources = prompt.flatMap((kept) => ("sources" in kept ? kept.sources : []));
    store.turns.flushed({ id, sessionId, face: "http", sources, prompt });
    return id;
  };
  const find = () =>
    findLeftovers({
      store,
      folder,
      sessions,
      makeDraft: createDrafts({ folder: join(folder, "uploads"), filesFolder: folder, log }),
      clock,
      log,
    });
  const queueOf = (id: SessionId) =>
    sessions
      .open(id)
      ?.observe(() => undefined)
      .snapshot.queue.map(({ text }) => text);
  /** Lets every agent that was started get ready; what they were asked. */
  const asked = async (): Promise<readonly string[]> => {
    await clock.settle();
    for (const agent of started) agent.getReady();
    await clock.settle();
    return started.flatMap(({ runs }) => runs.map(({ prompt }) => prompt.text));
  };
  return Object.assign(rig, {
    folder,
    log,
    sessions,
    begin,
    leave,
    find,
    queueOf,
    asked,
    [Symbol.dispose]: ((dispose) => () => {
      dispose();
      rmSync(folder, { recursive: true, force: true });
    })(rig[Symbol.dispose].bind(rig)),
  });
}

const running = (): AbortSignal => new AbortController().signal;

/** Whether a promise has settled, without waiting for it. */
async function isSettled(promise: Promise<unknown>, settle: () => Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await settle();
  return settled;
}

function draft(text: string): PromptDraft {
  return { sources: [1], ready: Promise.resolve({ text, images: [], files: [] }), release: () => undefined };
}

test("what no chat shows runs at once, in the order of the flushes, each in its session", async () => {
  using rig = setUp();
  const [one, other] = [rig.begin(), rig.begin()];
  rig.leave(one, whole("one"));
  rig.leave(other, whole("other"));
  rig.leave(one, whole("two"));
  rig.leave(one, whole("three"));
  const found = rig.find();
  await found.goOn(running());
  expect(await rig.asked()).toEqual(["one", "other"]);
  expect([rig.queueOf(one), rig.queueOf(other)]).toEqual([["two", "three"], []]);
  // The chats are told of it, and have nothing to do.
  for (const { resume } of await found.forChats()) resume?.(() => undefined);
  expect(rig.queueOf(one)).toEqual(["two", "three"]);
});

test("what was being ended has ended with its last words, and its chat is shown only what it does not show already", async () => {
  using rig = setUp();
  const session = rig.begin();
  const turns = ["stopped", "replaced", "stopped"] as const;
  const ids = turns.map((reason, at) => {
    const id = makeTurnId();
    rig.store.turns.flushed({ id, sessionId: session, face: "telegram", sources: [at + 1] });
    rig.store.turns.handed(id, 0);
    rig.store.turns.accepted(id);
    rig.store.turns.ending(id, reason, [`So far ${at}`]);
    return id;
  });
  const [, , delivered] = ids;
  if (delivered !== undefined) rig.store.turns.delivered(delivered);
  const found = rig.find();
  expect(await found.forChats()).toEqual([]);
  expect(rig.store.turns.open()).toEqual([]);
  expect(rig.store.turns.undelivered()).toEqual([
    { id: ids[0], chat, outcome: { type: "stopped" }, said: ["So far 0"] },
    { id: ids[1], chat, outcome: { type: "replaced" }, said: ["So far 1"] },
  ]);
});

test("what an agent has in its history does not run", async () => {
  using rig = setUp();
  const [taken, not] = [rig.begin(), rig.begin()];
  const ids = [rig.leave(taken, whole("taken")), rig.leave(not, whole("not"))];
  for (const id of ids) rig.store.turns.handed(id, 0);
  const entry = { type: "message", message: { role: "user" } };
  writeFileSync(join(rig.folder, `${taken}.jsonl`), `${JSON.stringify(entry)}\n`);
  const found = rig.find();
  await found.goOn(running());
  expect(await rig.asked()).toEqual(["not"]);
  const [first] = await found.forChats();
  expect(first).toMatchObject({ id: ids[0], verdict: { type: "report" } });
  expect(first?.resume).toBeUndefined();
});

test("a request that was being replaced before an agent had it has ended, without Telegram, and says so", async () => {
  using rig = setUp();
  const session = rig.begin();
  const id = rig.leave(session, whole("one"));
  rig.store.requests.add(session, "r1", { turnId: id, body: "digest", at: rig.clock.date(), oldest: 0 });
  rig.store.requests.begin(session, "r1");
  rig.store.turns.ending(id, "replaced", []);
  rig.leave(session, whole("two"));
  await rig.find().goOn(running());
  expect(await rig.asked()).toEqual(["two"]);
  expect(rig.store.requests.get(session, "r1")?.ending).toEqual({
    outcome: { type: "replaced", message: expect.stringContaining("never reached the agent") },
    text: "",
  });
});

test("a turn whose chat's message cannot be read runs with a line that says so, and waits for nobody", async () => {
  using rig = setUp();
  const session = rig.begin();
  rig.store.chats.point(chat, session);
  rig.leave(session, whole("one"), { sources: [1] }, { sources: [2] });
  const [leftover] = await rig.find().forChats();
  expect(() =>
    leftover?.resume?.((updates) => {
      if (updates.includes(1)) throw new Error("the disk is broken");
      return draft("two");
    }),
  ).toThrow("the disk is broken");
  const line = "[A message of the chat that belongs here could not be read on this machine.]";
  expect(await rig.asked()).toEqual([`one\n\n${line}\n\ntwo`]);
});

test("what a chat shows waits for the chats, and so does whoever is let in", async () => {
  using rig = setUp();
  const session = rig.begin();
  rig.store.chats.point(chat, session);
  rig.leave(session, whole("one"));
  const found = rig.find();
  const open = found.goOn(running());
  expect(await isSettled(open, rig.clock.settle)).toBe(false);
  expect(await rig.asked()).toEqual([]);
  for (const { resume } of await found.forChats()) resume?.(() => undefined);
  expect(await isSettled(open, rig.clock.settle)).toBe(true);
  expect(await rig.asked()).toEqual(["one"]);
});

test("what a chat shows runs without it when Telegram does not answer for long, messages of it included once they come", async () => {
  using rig = setUp();
  const [session, mixed] = [rig.begin(), rig.begin()];
  rig.store.chats.point(chat, session);
  rig.leave(session, whole("one"));
  rig.leave(mixed, { sources: [1] }, whole("from elsewhere"));
  const found = rig.find();
  const open = found.goOn(running());
  await rig.clock.settle();
  await rig.clock.advance(CHATS_FIRST);
  await open;
  expect(await rig.asked()).toEqual(["one"]);
  const drafts: (readonly number[])[] = [];
  for (const { resume } of await found.forChats())
    resume?.((updates) => {
      drafts.push(updates);
      return draft("from the chat");
    });
  expect(await rig.asked()).toEqual(["one", "from the chat\n\nfrom elsewhere"]);
  expect(drafts).toEqual([[1]]);
});

test("what was written in a chat by somebody who may not ask any more is left out", async () => {
  using rig = setUp();
  rig.leave(rig.begin(), { sources: [1] }, whole("from elsewhere"), { sources: [2] });
  const found = rig.find();
  for (const { resume } of await found.forChats())
    resume?.((updates) => (updates[0] === 1 ? undefined : draft("mine")));
  await found.goOn(running());
  expect(await rig.asked()).toEqual(["from elsewhere\n\nmine"]);
});

test("a turn whose session is gone is over, and keeps no prompt", async () => {
  using rig = setUp();
  const session = rig.begin();
  const id = rig.leave(session, whole("one"));
  const found = rig.find();
  await rig.clock.settle();
  await rig.sessions.remove(session);
  await found.goOn(running());
  expect(rig.store.turns.open()).toEqual([]);
  expect(rig.store.turns.get(id)).toBeDefined();
});

test("one that cannot be taken up is left to the next start, and does not keep the others", async () => {
  using rig = setUp();
  const [bad, good] = [rig.begin(), rig.begin()];
  const id = rig.leave(bad, { text: "", images: [{ mimeType: "image/png", data: "spoiled" }] });
  rig.leave(good, whole("good"));
  await rig.find().goOn(running());
  expect(await rig.asked()).toEqual(["good"]);
  expect(rig.log.messages("error")).toEqual(["a turn that was left could not be taken up"]);
  expect(rig.store.turns.open()).toMatchObject([{ id }, {}]);
});

test("nothing begins any more once evie ends", async () => {
  using rig = setUp();
  const session = rig.begin();
  rig.store.chats.point(chat, session);
  rig.leave(session, whole("one"));
  const stop = new AbortController();
  const open = rig.find().goOn(stop.signal);
  await rig.clock.settle();
  stop.abort();
  await open;
  expect(await rig.asked()).toEqual([]);
});

test("the chats are not told of what was another bot's", async () => {
  using rig = setUp();
  const { store } = rig;
  store.updates.adopt(11);
  const id = makeTurnId();
  store.turns.flushed({ id, sessionId: rig.begin(), face: "telegram", sources: [1] });
  const found = rig.find();
  await rig.clock.settle();
  store.updates.adopt(12);
  expect(await found.forChats()).toEqual([]);
});
