import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { makeChatKey, makeSessionId, makeTurnId } from "../../src/domain/ids.ts";
import { createStoredBubbles } from "../../src/store/bubbles.ts";
import { migrate } from "../../src/store/migrations.ts";
import { createTransactions, type Transactions } from "../../src/store/transaction.ts";
import { createStoredTurns, type StoredTurns } from "../../src/store/turns.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

/** What `PRAGMA synchronous` says. */
const NORMAL = 1;
const FULL = 2;

function setUp() {
  const database = new DatabaseSync(":memory:");
  database.exec("PRAGMA synchronous = FULL; CREATE TABLE notes (word TEXT)");
  const note = database.prepare("INSERT INTO notes VALUES (?)");
  return {
    ...createTransactions(database),
    note: (word: string) => void note.run(word),
    words: () =>
      database
        .prepare("SELECT word FROM notes")
        .all()
        .map(({ word }) => word),
    synchronous: () => database.prepare("PRAGMA synchronous").get()?.["synchronous"],
    [Symbol.dispose]: () => database.close(),
  };
}

test("what is done together waits for the disk, what is unsynced does not, and nothing else changes for it", () => {
  using rig = setUp();
  expect(rig.together(rig.synchronous)).toBe(FULL);
  expect(rig.unsynced(rig.synchronous)).toBe(NORMAL);
  expect(rig.synchronous()).toBe(FULL);
});

test("work inside work belongs to the outer one, which waits for the disk if it was to", () => {
  using rig = setUp();
  expect(rig.together(() => rig.unsynced(rig.synchronous))).toBe(FULL);
  expect(rig.unsynced(() => rig.together(rig.synchronous))).toBe(NORMAL);
});

test.each(["together", "unsynced"] as const)(
  "of work that throws nothing is kept when it is done %s, and the next waits for the disk again",
  (how) => {
    using rig = setUp();
    const work = () => {
      rig.note("half");
      throw new Error("in the middle");
    };
    expect(() => rig[how](work)).toThrow("in the middle");
    rig.together(() => rig.note("whole"));
    expect([rig.words(), rig.synchronous()]).toEqual([["whole"], FULL]);
  },
);

type Write = keyof Transactions;

/** Turns and bubbles, and which kinds of transaction a write of theirs was. */
function setUpTables() {
  const database = new DatabaseSync(":memory:");
  migrate(database);
  const { together } = createTransactions(database);
  let writes: Write[] = [];
  const noted =
    (kind: Write): Transactions[Write] =>
    (work) => {
      writes.push(kind);
      return together(work);
    };
  const transactions = { together: noted("together"), unsynced: noted("unsynced") };
  const turns = createStoredTurns(database, transactions, createFakeClock());
  const bubbles = createStoredBubbles(database, transactions);
  return {
    bubbles,
    writesOf(work: (turns: StoredTurns) => void): readonly Write[] {
      writes = [];
      work(turns);
      return writes;
    },
    [Symbol.dispose]: () => database.close(),
  };
}

test("only what a power cut cannot take is written without waiting for the disk", () => {
  using rig = setUpTables();
  const [id, asked] = [makeTurnId(), makeTurnId()];
  const turn = { sessionId: makeSessionId(), face: "telegram", sources: [1] } as const;
  // Its updates are on the disk, and are flushed again.
  expect(rig.writesOf((turns) => turns.flushed({ ...turn, id }))).toEqual(["unsynced"]);
  // This one is nowhere else.
  const prompt = [{ text: "Look", images: [] }];
  expect(rig.writesOf((turns) => turns.flushed({ ...turn, id: asked, prompt }))).toEqual(["together"]);
  // The agent would end with the machine.
  expect(rig.writesOf((turns) => turns.handed(id, 0))).toEqual(["unsynced"]);
  // From here on it must not run again by itself.
  expect(rig.writesOf((turns) => turns.accepted(id))).toEqual(["together"]);
  expect(rig.writesOf((turns) => turns.ended(id, { type: "done" }, []))).toEqual(["together"]);
});

test("which messages a chat shows waits for the disk, and what is in them does not", () => {
  using rig = setUpTables();
  const turn = makeTurnId();
  const shows = (...contents: readonly (readonly [messageId: number, content: string])[]) =>
    rig.writesOf(() =>
      rig.bubbles.keep(
        turn,
        makeChatKey({ chatId: 7 }),
        contents.map(([messageId, content]) => ({ messageId, content })),
      ),
    );
  expect(shows([1, "…"])).toEqual(["together"]);
  expect(shows([1, "One"])).toEqual(["unsynced"]);
  expect(shows([1, "One"], [2, "Two"])).toEqual(["together"]);
  expect(shows([1, "One"], [3, "Two"])).toEqual(["together"]);
  expect(rig.bubbles.of(turn).map(({ messageId }) => messageId)).toEqual([1, 3]);
  expect(shows([1, "One"])).toEqual(["together"]);
  expect(rig.bubbles.of(turn)).toEqual([{ messageId: 1, content: "One" }]);
});
