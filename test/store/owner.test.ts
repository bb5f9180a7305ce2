import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/store/store.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evie-owner-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

const database = (): string => join(folder, "evie.db");
const ownerFile = (): string => join(folder, "evie.db.owner");

function open() {
  const { store, setAside } = openStore(database(), createFakeClock());
  return { owner: store.owner, setAside, [Symbol.dispose]: () => store.close() };
}

function own(userId: number): void {
  using store = open();
  store.owner.own(userId, 5);
}

/** What a failing disk leaves of the database. */
function damage(): void {
  writeFileSync(database(), "no database at all, but long enough to be looked at ".repeat(100));
}

test("nobody owns a new store", () => {
  using store = open();
  expect(store.owner.owner()).toBeUndefined();
  expect(store.owner.isUnknown).toBe(false);
  expect(store.owner.disown()).toBeUndefined();
});

test("an owner is remembered over a restart, and who claims takes the place of whoever did before", () => {
  own(4_711);
  own(2 ** 52);
  using store = open();
  expect(store.owner.owner()).toBe(2 ** 52);
});

test("to take the owner back says who it was, and holds over a restart", () => {
  own(4_711);
  {
    using store = open();
    expect(store.owner.disown()).toBe(4_711);
    expect(store.owner.owner()).toBeUndefined();
  }
  using store = open();
  expect(store.owner.owner()).toBeUndefined();
});

test("a damaged database that is set aside keeps its owner", () => {
  own(4_711);
  damage();
  using store = open();
  expect(store.setAside).toBeDefined();
  expect(store.owner.owner()).toBe(4_711);
  expect(store.owner.isUnknown).toBe(false);
});

test("a damaged database that nobody owned is owned by nobody afterwards", () => {
  open()[Symbol.dispose]();
  damage();
  using store = open();
  expect(store.owner.owner()).toBeUndefined();
  expect(store.owner.isUnknown).toBe(false);
});

test.each(["is missing", "is damaged as well", "is empty", "names nonsense"])(
  "who owned a damaged database is unknown where the file beside it %s, until a person takes the bot back",
  (how) => {
    own(4_711);
    damage();
    if (how === "is missing") rmSync(ownerFile());
    else
      writeFileSync(
        ownerFile(),
        { "is damaged as well": "\u0000\u0001", "names nonsense": '{"owner":"me"}' }[how] ?? "",
      );
    for (let start = 0; start < 2; start += 1) {
      using store = open();
      expect(store.owner.owner()).toBeUndefined();
      expect(store.owner.isUnknown).toBe(true);
      // Whoever tidies up removes the damaged database.
      for (const name of readdirSync(folder)) if (name.includes(".damaged-")) rmSync(join(folder, name));
    }
    {
      using store = open();
      expect(store.owner.disown()).toBeUndefined();
    }
    using store = open();
    expect(store.owner.isUnknown).toBe(false);
  },
);

test("a database that is lost altogether keeps its owner", () => {
  own(4_711);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${database()}${suffix}`, { force: true });
  using store = open();
  expect(store.owner.owner()).toBe(4_711);
});

test("a database from before the file was kept gets one, and one that says otherwise gives way to the database", () => {
  own(4_711);
  for (const spoil of [
    () => rmSync(ownerFile()),
    () => writeFileSync(ownerFile(), '{"owner":12}'),
    () => writeFileSync(ownerFile(), "?"),
  ]) {
    spoil();
    using store = open();
    expect(store.owner.owner()).toBe(4_711);
    expect(JSON.parse(readFileSync(ownerFile(), "utf8"))).toEqual({ owner: 4_711 });
  }
});

test("a file that cannot be read says nothing against a database that was never damaged", () => {
  open()[Symbol.dispose]();
  writeFileSync(ownerFile(), "?");
  using store = open();
  expect(store.owner.isUnknown).toBe(false);
});

test("the file can be read by its owner only", () => {
  own(4_711);
  expect(statSync(ownerFile()).mode & 0o777).toBe(0o600);
});
