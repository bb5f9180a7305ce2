import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createKeys } from "../../src/http/keys.ts";
import { openStore } from "../../src/store/store.ts";
import { unclaim } from "../../src/unclaim.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evie-keys-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function open() {
  const { store } = openStore(join(folder, "evie.db"), createFakeClock());
  return {
    ...store,
    keys: () => createKeys({ token: "secret", ledger: store.deckKeys }),
    [Symbol.dispose]: () => store.close(),
  };
}

test("a key outlives a restart, as long as its person is on the list", () => {
  const key = (() => {
    using store = open();
    return store.keys().keyOf(2 ** 52);
  })();
  using store = open();
  store.deckKeys.endOthers(new Set([1, 2 ** 52]));
  expect([store.keys().ownerOf(key), store.keys().keyOf(2 ** 52)]).toEqual([2 ** 52, key]);
});

test("the keys of those who are off the list end, and do not come back with them", () => {
  using store = open();
  const [kept, ended] = [store.keys().keyOf(1), store.keys().keyOf(2)];
  store.deckKeys.endOthers(new Set([1]));
  store.deckKeys.endOthers(new Set([1, 2]));
  expect([kept, ended].map((key) => store.keys().ownerOf(key))).toEqual([1, undefined]);
  expect(store.keys().keyOf(2)).not.toBe(ended);
});

test("who is the owner no more has no key any more, whoever is on the list at the next start", () => {
  const keys = (() => {
    using store = open();
    store.owner.own(1, 5);
    return [store.keys().keyOf(1), store.keys().keyOf(2)];
  })();
  expect(unclaim(folder)).toContain("it was 1.");
  using store = open();
  expect(keys.map((key) => store.keys().ownerOf(key))).toEqual([undefined, 2]);
});
