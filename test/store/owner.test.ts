import { mkdtempSync, rmSync } from "node:fs";
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

function open() {
  const { store } = openStore(join(folder, "evie.db"), createFakeClock());
  return { owner: store.owner, [Symbol.dispose]: () => store.close() };
}

test("nobody owns a new store, and no link is open", () => {
  using store = open();
  expect(store.owner.owner()).toBeUndefined();
  expect(store.owner.offers(0)).toEqual([]);
  expect(store.owner.disown()).toBeUndefined();
});

test("an owner and an open link are remembered over a restart", () => {
  {
    using before = open();
    before.owner.own(4_711, 5);
    before.owner.offer("aa", 100, 5);
  }
  using store = open();
  expect(store.owner.owner()).toBe(4_711);
  expect(store.owner.offers(99)).toEqual(["aa"]);
  expect(store.owner.offers(100)).toEqual([]);
});

test("who claims takes the place of whoever did before, and every link is closed", () => {
  using store = open();
  store.owner.offer("aa", 100, 0);
  store.owner.own(1, 5);
  store.owner.offer("bb", 100, 5);
  store.owner.own(2 ** 52, 6);
  expect(store.owner.owner()).toBe(2 ** 52);
  expect(store.owner.offers(6)).toEqual([]);
});

test("to take the owner back closes every link too, and says who it was", () => {
  using store = open();
  store.owner.own(4_711, 5);
  store.owner.offer("aa", 100, 5);
  expect(store.owner.disown()).toBe(4_711);
  expect(store.owner.owner()).toBeUndefined();
  expect(store.owner.offers(5)).toEqual([]);
});

test("links that have expired go when another is opened", () => {
  using store = open();
  store.owner.offer("aa", 10, 0);
  store.owner.offer("bb", 20, 9);
  store.owner.offer("cc", 30, 15);
  expect(store.owner.offers(9)).toEqual(["bb", "cc"]);
});
