import { expect, test } from "vitest";
import { createStore } from "../../src/page-kit/store.ts";

test("a change is told once to each listener, and no change to nobody", () => {
  const store = createStore({ count: 0 });
  const told: number[] = [];
  const stop = store.subscribe(() => told.push(store.state.count));
  store.update(({ count }) => ({ count: count + 1 }));
  store.update((state) => state);
  store.update(({ count }) => ({ count: count + 1 }));
  stop();
  store.update(({ count }) => ({ count: count + 1 }));
  expect(told).toEqual([1, 2]);
});
