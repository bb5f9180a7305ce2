import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeSessionId } from "../src/domain/ids.ts";
import { sweepDaily } from "../src/sweep.ts";
import { createTrustedDate } from "../src/sweep/trusted-date.ts";
import { createFakeClock } from "./fakes/fake-clock.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";

const DAY = 24 * 3_600_000;

async function setUp({ keepDays = 90, daysAway }: { keepDays?: number; daysAway?: number } = {}) {
  const home = await mkdtemp(join(tmpdir(), "evie-sweep-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const clock = createFakeClock();
  const log = createMemoryLog();
  const swept: string[] = [];
  const inUse = new Set<string>();
  const state = { needsSetAside: false, breaks: "" };
  const days = (at: number): number => (clock.date() - at) / DAY;
  function* steps(what: string): Generator<undefined, void> {
    if (state.breaks === what) throw new Error("the disk is broken");
    swept.push(what);
    yield undefined;
  }
  const known = makeSessionId();
  const folders = {
    sessions: join(home, "sessions"),
    pictures: join(home, "pictures"),
    uploads: join(home, "uploads"),
    files: join(home, "files"),
    database: join(home, "evie.db"),
  };
  for (const name of ["sessions", "pictures", "uploads", "files"]) await mkdir(join(home, name));
  const stopping = new AbortController();
  const options = {
    old: {
      turns: (before: number, undelivered: number) =>
        steps(`turns ${days(before)} ${undelivered === 0 ? "never" : days(undelivered)}`),
      updates: (before: number) => steps(`updates ${days(before)}`),
      requests: (before: number) => steps(`requests ${days(before)}`),
      shrink: () => steps("shrink"),
    },
    sessions: {
      removeUnused(before: number) {
        swept.push(`sessions ${days(before)}`);
        return Promise.resolve(0);
      },
      isKnown: (id: string) => id === known,
    },
    folders,
    needsSetAside: () => state.needsSetAside,
    filesInUse: () => inUse,
    keepDays: keepDays === 0 ? Number.POSITIVE_INFINITY : keepDays,
    lastRan: daysAway === undefined ? undefined : clock.date() - daysAway * DAY,
    clock,
    log,
  };
  /** Begins, and gives what to await at the end, when the first sweep is over. */
  const sweep = async (): Promise<() => Promise<void>> => {
    const over = sweepDaily(options, stopping.signal);
    await expect.poll(() => clock.sleepers).toBe(1);
    return async () => {
      stopping.abort();
      await over;
    };
  };
  /** Makes a file that was changed so many days ago, and half a day. */
  const file = async (name: string, age: number): Promise<void> => {
    const path = join(home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "");
    const at = (clock.date() - (age - 0.5) * DAY) / 1_000;
    await utimes(path, at, at);
    if (dirname(dirname(path)) !== home) await utimes(dirname(path), at, at);
  };
  const isThere = async (name: string): Promise<boolean> =>
    await stat(join(home, name)).then(
      () => true,
      () => false,
    );
  return { home, folders, inUse, clock, log, swept, state, known, sweep, file, isThere };
}

test("what is old in the database goes at the start, and its room behind it", async () => {
  const { sweep, swept, clock } = await setUp();
  const end = await sweep();
  expect(swept).toEqual(["turns 30 90", "updates 3", "requests 1", "sessions 90", "shrink"]);
  await end();
  expect(clock.sleepers).toBe(0);
});

test("it goes on day by day, and what fails does not keep the rest", async () => {
  const { sweep, swept, clock, log, state } = await setUp();
  state.breaks = "updates 3";
  const end = await sweep();
  expect(log.messages("warn")).toEqual(["not all that is old could be removed"]);
  expect(swept).toEqual(["turns 30 90", "requests 1", "sessions 90", "shrink"]);
  state.breaks = "";
  await clock.advance(DAY);
  await expect.poll(() => swept.length).toBe(9);
  await end();
});

describe("files go when nobody has used them for long:", () => {
  const old = makeSessionId();
  test.each([
    { what: "what people sent, after 30 days", young: "files/a.pdf", age: 30 },
    { what: "a history that belongs to no session", young: `sessions/${old}.jsonl`, age: 90 },
    { what: "what was set aside of one", young: `sessions/${old}.jsonl.unreadable-1`, age: 90 },
    { what: "pictures that belong to no session", young: `pictures/${old}/a.png`, age: 90 },
    { what: "pictures of prompts", young: "uploads/a", age: 90 },
    { what: "all of them earlier, where that is wanted", young: "files/a.pdf", age: 7, keepDays: 7 },
  ])("$what", async ({ young, age, keepDays = 90 }) => {
    const { sweep, file, isThere, clock } = await setUp({ keepDays });
    await file(young, age);
    const end = await sweep();
    expect(await isThere(young)).toBe(true);
    await clock.advance(DAY);
    await expect.poll(() => isThere(young)).toBe(false);
    await end();
  });

  test("a database that was set aside, by the date in its name", async () => {
    const { sweep, file, isThere, clock } = await setUp();
    const name = (age: number): string => {
      const date = new Date(clock.date() - age * DAY).toISOString().slice(0, 10);
      return `evie.db.damaged-${date}T00-00-00Z`;
    };
    // Setting aside does not change the file: it was written last when it was still whole.
    for (const path of [name(91), `${name(91)}-wal`, `${name(91)}-2`, name(89)]) await file(path, 400);
    const end = await sweep();
    expect(await Promise.all([name(91), `${name(91)}-wal`, `${name(91)}-2`, name(89)].map(isThere))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    await end();
  });
});

describe("files stay, however old they are:", () => {
  test.each([
    { what: "a history of a session", name: (known: string) => `sessions/${known}.jsonl` },
    { what: "pictures of a session", name: (known: string) => `pictures/${known}/a.png` },
    { what: "what is not named as evie names it", name: () => "sessions/notes.txt" },
    { what: "what lies beside the database", name: () => "letter.txt" },
    { what: "the database", name: () => "evie.db" },
  ])("$what", async ({ name }) => {
    const { sweep, file, isThere, known } = await setUp();
    await file(name(known), 400);
    const end = await sweep();
    expect(await isThere(name(known))).toBe(true);
    await end();
  });

  test("those that a prompt may name which waits or runs", async () => {
    const { sweep, inUse, file, folders, isThere, clock } = await setUp();
    for (const name of ["files/named.pdf", "uploads/named"]) await file(name, 400);
    inUse.add(join(folders.files, "named.pdf")).add(join(folders.uploads, "named"));
    const end = await sweep();
    expect([await isThere("files/named.pdf"), await isThere("uploads/named")]).toEqual([true, true]);
    inUse.clear();
    await clock.advance(DAY);
    await expect.poll(() => readdir(folders.files)).toEqual([]);
    await expect.poll(() => readdir(folders.uploads)).toEqual([]);
    await end();
  });

  test("a database that was set aside, while nobody knows who owned the bot", async () => {
    const { sweep, file, state, isThere } = await setUp();
    state.needsSetAside = true;
    await file("evie.db.damaged-2020-01-01T00-00-00Z", 400);
    const end = await sweep();
    expect(await isThere("evie.db.damaged-2020-01-01T00-00-00Z")).toBe(true);
    await end();
  });

  test("all of them, where they are to be kept for ever", async () => {
    const { sweep, swept, file, isThere } = await setUp({ keepDays: 0 });
    const names = [
      "files/a.pdf",
      `sessions/${makeSessionId()}.jsonl`,
      "evie.db.damaged-2020-01-01T00-00-00Z",
    ];
    for (const name of names) await file(name, 4_000);
    const end = await sweep();
    expect(await Promise.all(names.map(isThere))).toEqual([true, true, true]);
    expect(swept).toContain("turns 30 never");
    await end();
  });
});

describe("a date that leapt ahead is believed a day later:", () => {
  test("nothing is removed at the start, and the next day what is old", async () => {
    const { sweep, swept, log, clock } = await setUp({ daysAway: 400 });
    const end = await sweep();
    expect(swept).toEqual([]);
    expect(log.messages("warn")).toHaveLength(1);
    await clock.advance(DAY);
    await expect.poll(() => swept).toContain("sessions 90");
    await end();
  });

  test.each([
    { what: "a week and no more", days: 7, isBelieved: true },
    { what: "more than a week", days: 7.01, isBelieved: false },
    { what: "back", days: -400, isBelieved: true },
  ])("$what", ({ days, isBelieved }) => {
    const time = { date: 0, now: 0 };
    const trusted = createTrustedDate({ date: () => time.date, now: () => time.now }, undefined);
    expect(trusted()).toBe(true);
    // A day went by, by all clocks; and the date leapt besides.
    time.now += DAY;
    time.date += DAY + days * DAY;
    expect(trusted()).toBe(isBelieved);
    time.now += DAY;
    time.date += DAY;
    expect(trusted()).toBe(true);
  });
});
