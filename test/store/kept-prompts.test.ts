import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { makeChatKey, makeSessionId, makeTurnId, type TurnId } from "../../src/domain/ids.ts";
import type { KeptDraft } from "../../src/domain/prompt.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import { createStoreRig } from "./store-rig.ts";

const sessionId = makeSessionId();
const chat = makeChatKey({ chatId: 7 });
const whole = { text: "look", images: [{ mimeType: "image/png", data: "aGVsbG8=" }] };

function setUp() {
  const rig = createStoreRig();
  rig.store.sessions.add({ id: sessionId, cwd: "/work", face: "http", createdAt: 0 });
  const flush = (
    prompt: readonly KeptDraft[],
    { id = makeTurnId(), instead }: { readonly id?: TurnId; readonly instead?: TurnId } = {},
  ): TurnId => {
    const sources = prompt.flatMap((kept) => ("sources" in kept ? kept.sources : []));
    rig.store.turns.flushed({ id, sessionId, face: "http", sources, prompt }, instead);
    return id;
  };
  /** What the file itself holds. */
  const prompts = (): readonly unknown[] => {
    using database = new DatabaseSync(rig.path);
    return database
      .prepare("SELECT prompt FROM turns ORDER BY place")
      .all()
      .map((row) => row["prompt"]);
  };
  return Object.assign(rig, { flush, prompts });
}

test("a prompt is there after a restart, pictures included, in the order of the flushes", () => {
  using rig = setUp();
  rig.store.updates.add([{ id: 1, chat, body: "{}" }]);
  const ids = [rig.flush([whole]), rig.flush([{ sources: [1] }, whole])];
  const open = rig.reopen().turns.open();
  expect(open.map(({ id }) => id)).toEqual(ids);
  expect(open).toMatchObject([
    { state: "flushed", sources: [], prompt: [whole] },
    { state: "flushed", sources: [1], prompt: [{ sources: [1] }, whole] },
  ]);
});

test("a turn of updates alone keeps their numbers and nothing else", () => {
  using rig = setUp();
  rig.store.turns.flushed({ id: makeTurnId(), sessionId, face: "telegram", sources: [1] });
  expect(rig.store.turns.open()).toEqual([expect.not.objectContaining({ prompt: expect.anything() })]);
  expect(rig.prompts()).toEqual([null]);
});

test.each<[string, (turns: ReturnType<typeof setUp>["store"]["turns"], id: TurnId) => void]>([
  ["was accepted", (turns, id) => turns.accepted(id)],
  ["has ended", (turns, id) => turns.ended(id, { type: "stopped" }, [])],
  ["was given up", (turns, id) => turns.giveUp(id)],
])("a prompt is kept while its turn is handed over, and not once it %s", (_, goOn) => {
  using rig = setUp();
  const id = rig.flush([whole]);
  rig.store.turns.handed(id, 10);
  rig.store.turns.ending(id, "replaced", ["So far"]);
  expect(rig.store.turns.open()).toMatchObject([{ state: "handed", prompt: [whole] }]);
  goOn(rig.store.turns, id);
  expect(rig.prompts()).toEqual([null]);
});

test("a turn that takes another's place holds both prompts, and the other none", () => {
  using rig = setUp();
  const first = rig.flush([whole]);
  const id = rig.flush([{ text: "second", images: [] }]);
  rig.flush([whole, { text: "second", images: [] }], { id, instead: first });
  expect(rig.store.turns.open()).toMatchObject([{ id, prompt: [whole, { text: "second" }] }]);
  expect(rig.prompts()).toEqual([null, expect.stringContaining("second")]);
});

test("a turn that is written down again is one that no agent has, and keeps its place", () => {
  using rig = setUp();
  const ids = [rig.flush([whole]), rig.flush([whole])];
  const [id] = ids;
  if (id === undefined) throw new Error("nothing was flushed");
  rig.store.turns.handed(id, 10);
  rig.store.turns.ending(id, "replaced", ["So far"]);
  rig.flush([whole], { id });
  const open = rig.store.turns.open();
  expect(open.map((turn) => turn.id)).toEqual(ids);
  expect(open[0]).toEqual(expect.not.objectContaining({ ending: expect.anything() }));
  expect(open[0]).toEqual(expect.not.objectContaining({ said: expect.anything() }));
  expect(open[0]).toMatchObject({ state: "flushed", fileSize: 0 });
});

test("a database of before gets room for prompts, and its open turns have none", () => {
  using rig = setUp();
  const id = makeTurnId();
  rig.store.turns.flushed({ id, sessionId, face: "deck", sources: [] });
  const { turns } = rig.reopen(() => {
    using database = new DatabaseSync(rig.path);
    database.exec(
      `ALTER TABLE turns DROP COLUMN prompt; ALTER TABLE bot DROP COLUMN heard_since;
       ALTER TABLE bot DROP COLUMN heard_at; ALTER TABLE requests DROP COLUMN body; PRAGMA user_version = 4;`,
    );
  });
  expect(turns.open()).toEqual([{ id, sessionId, face: "deck", sources: [], state: "flushed", fileSize: 0 }]);
  rig.flush([whole]);
  expect(rig.reopen().turns.open()).toMatchObject([{ id }, { prompt: [whole] }]);
});

test("a database of before keeps its requests, of which nobody knows what they said", () => {
  using rig = setUp();
  const turnId = makeTurnId();
  rig.store.requests.add(sessionId, "r", { turnId, body: "said", at: 5, oldest: 0 });
  const { requests } = rig.reopen(() => {
    using database = new DatabaseSync(rig.path);
    database.exec("ALTER TABLE requests DROP COLUMN body; PRAGMA user_version = 6;");
  });
  expect(requests.get(sessionId, "r")).toEqual({ turnId, at: 5, begun: false });
  requests.add(sessionId, "s", { turnId, body: "said", at: 5, oldest: 0 });
  expect(requests.get(sessionId, "s")).toEqual({ turnId, body: "said", at: 5, begun: false });
});

test("with another bot what was asked elsewhere stays, without what was written in a chat", () => {
  using rig = setUp();
  const { updates, turns } = rig.store;
  updates.adopt(11);
  updates.add([{ id: 1, chat, body: "{}" }]);
  turns.flushed({ id: makeTurnId(), sessionId, face: "telegram", sources: [1] });
  const id = rig.flush([whole, { sources: [1] }]);
  updates.adopt(12);
  expect(turns.open()).toMatchObject([{ id, sources: [], prompt: [whole] }]);
});

test("the requests of a turn are found until their end is kept", () => {
  using rig = setUp();
  const { requests } = rig.store;
  const [turn, other] = [makeTurnId(), makeTurnId()];
  const said = { body: "said", at: 5, oldest: 0 };
  requests.add(sessionId, "b", { turnId: turn, ...said });
  requests.add(sessionId, "a", { turnId: turn, ...said });
  requests.add(sessionId, "c", { turnId: other, ...said });
  expect(requests.of(sessionId, turn)).toEqual(["b", "a"]);
  requests.end(sessionId, "b", { outcome: { type: "done" }, text: "" });
  expect(requests.of(sessionId, turn)).toEqual(["a"]);
  expect(requests.of(makeSessionId(), turn)).toEqual([]);
});

test.each<[string, boolean, TurnOutcome, boolean]>([
  ["done is over", true, { type: "done" }, true],
  ["replaced is over, begun or not", true, { type: "replaced" }, true],
  ["replaced is over, begun or not", false, { type: "replaced" }, true],
  ["taken back before it began is over", false, { type: "stopped" }, true],
  ["failed is over", true, { type: "failed", message: "no" }, true],
  ["cut off by evie's end is not", true, { type: "stopped" }, false],
  ["lost before it began is not", false, { type: "failed", message: "no" }, false],
])("a request whose own end was not kept, and whose turn was %s", (_, begun, outcome, isOver) => {
  using rig = setUp();
  const { requests, turns } = rig.store;
  const id = rig.flush([whole]);
  requests.add(sessionId, "r", { turnId: id, body: "said", at: 5, oldest: 0 });
  if (begun) requests.begin(sessionId, "r");
  expect(requests.get(sessionId, "r")).toEqual({ turnId: id, body: "said", at: 5, begun });
  turns.ended(id, outcome, ["One.", "Two."]);
  const ending = isOver ? { ending: { outcome, text: "Two." } } : {};
  expect(requests.get(sessionId, "r")).toEqual({ turnId: id, body: "said", at: 5, begun, ...ending });
});
