import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChatKey, makeChatKey } from "../../src/domain/ids.ts";
import { createBursts } from "../../src/telegram/burst.ts";
import { DEBOUNCE_WINDOW } from "../../src/telegram/timing.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

const ANNA = makeChatKey({ chatId: 1 });
const BEN = makeChatKey({ chatId: 2 });

interface Flushed {
  readonly key: ChatKey;
  readonly parts: readonly string[];
  readonly at: number;
}

function setUp(fail = false) {
  const clock = createFakeClock();
  const flushed: Flushed[] = [];
  const faults: unknown[] = [];
  const bursts = createBursts<string>({
    clock,
    flush: (key, parts) => {
      flushed.push({ key, parts: [...parts], at: clock.now() });
      if (fail) throw new Error("the turn could not be made");
    },
    fault: (error) => faults.push(error),
  });
  return { clock, bursts, flushed, faults };
}

describe("a message burst", () => {
  test("is flushed once its chat has been quiet for the window, and not a millisecond earlier", async () => {
    const { clock, bursts, flushed } = setUp();
    bursts.add(ANNA, "hello");
    await clock.advance(DEBOUNCE_WINDOW - 1);
    expect(flushed).toEqual([]);
    await clock.advance(1);
    expect(flushed).toEqual([{ key: ANNA, parts: ["hello"], at: DEBOUNCE_WINDOW }]);
  });

  test("waits anew after each message, without an upper cap", async () => {
    const { clock, bursts, flushed } = setUp();
    for (let part = 0; part < 100; part += 1) {
      bursts.add(ANNA, `${part}`);
      await clock.advance(DEBOUNCE_WINDOW - 1);
    }
    expect(flushed).toEqual([]);
    await clock.advance(1);
    expect(flushed.map(({ parts }) => parts.length)).toEqual([100]);
  });

  test("counts its window from the arrival of a message, however late it hears of it", async () => {
    const { clock, bursts, flushed } = setUp();
    const arrivedAt = clock.now();
    await clock.advance(20);
    bursts.add(ANNA, "one", arrivedAt);
    await clock.advance(DEBOUNCE_WINDOW - 21);
    expect(flushed).toEqual([]);
    await clock.advance(1);
    expect(flushed).toEqual([{ key: ANNA, parts: ["one"], at: arrivedAt + DEBOUNCE_WINDOW }]);
  });

  test("is not held back for the fraction of a millisecond by which a timer woke too early", async () => {
    const { clock, bursts, flushed } = setUp();
    bursts.add(ANNA, "one", clock.now() - 0.5);
    bursts.add(ANNA, "two");
    await clock.advance(DEBOUNCE_WINDOW - 0.5);
    expect(flushed.map(({ parts }) => parts)).toEqual([["one", "two"]]);
  });

  test("keeps its parts in the order of their arrival", async () => {
    const { clock, bursts, flushed } = setUp();
    for (const part of ["one", "two", "three"]) bursts.add(ANNA, part);
    await clock.advance(DEBOUNCE_WINDOW);
    expect(flushed.map(({ parts }) => parts)).toEqual([["one", "two", "three"]]);
  });

  test("owns exactly one flush task, however many messages it gathers", async () => {
    const { clock, bursts } = setUp();
    for (let part = 0; part < 20; part += 1) bursts.add(ANNA, `${part}`);
    await clock.settle();
    expect(clock.sleepers).toBe(1);
  });

  test("is gone from the map when it is handed on: the next message opens a fresh one", async () => {
    const { clock, bursts, flushed } = setUp();
    expect(bursts.add(ANNA, "first")).toBe(true);
    expect(bursts.add(ANNA, "with it")).toBe(false);
    await clock.advance(DEBOUNCE_WINDOW);
    expect(bursts.keys()).toEqual([]);
    expect(bursts.add(ANNA, "second")).toBe(true);
    await clock.advance(DEBOUNCE_WINDOW);
    expect(flushed.map(({ parts }) => parts)).toEqual([["first", "with it"], ["second"]]);
  });

  test("of one chat does not hold up another's", async () => {
    const { clock, bursts, flushed } = setUp();
    bursts.add(ANNA, "a");
    await clock.advance(300);
    bursts.add(BEN, "b");
    await clock.advance(1_000);
    expect(flushed).toEqual([
      { key: ANNA, parts: ["a"], at: 500 },
      { key: BEN, parts: ["b"], at: 800 },
    ]);
  });

  test("that was discarded is never flushed, not even in the millisecond of its deadline", async () => {
    const { clock, bursts, flushed } = setUp();
    bursts.add(ANNA, "ghost");
    await clock.advance(DEBOUNCE_WINDOW - 1);
    expect(bursts.discard(ANNA)).toEqual(["ghost"]);
    await clock.advance(10_000);
    expect(flushed).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });

  test("that opens after a discarded one has a window of its own", async () => {
    const { clock, bursts, flushed } = setUp();
    bursts.add(ANNA, "ghost");
    await clock.advance(400);
    bursts.discard(ANNA);
    bursts.add(ANNA, "alive");
    await clock.advance(499);
    expect(flushed).toEqual([]);
    await clock.advance(1);
    expect(flushed).toEqual([{ key: ANNA, parts: ["alive"], at: 900 }]);
  });

  test("takes an author's change of a part, which moves no deadline", async () => {
    const { clock, bursts, flushed } = setUp();
    bursts.add(ANNA, "helo");
    bursts.add(ANNA, "world");
    await clock.advance(400);
    const amend = (from: string, to: string) =>
      bursts.amend(
        ANNA,
        (part) => part === from,
        () => to,
      );
    expect(amend("helo", "hello")).toBe(true);
    await clock.advance(100);
    expect(flushed).toEqual([{ key: ANNA, parts: ["hello", "world"], at: 500 }]);
    expect(amend("hello", "too late")).toBe(false);
  });

  test("whose turn cannot be made is told as a fault, and the chat goes on", async () => {
    const { clock, bursts, flushed, faults } = setUp(true);
    bursts.add(ANNA, "one");
    await clock.advance(DEBOUNCE_WINDOW);
    bursts.add(ANNA, "two");
    await clock.advance(DEBOUNCE_WINDOW);
    expect(faults).toHaveLength(2);
    expect(flushed.map(({ parts }) => parts)).toEqual([["one"], ["two"]]);
  });

  test("follows the rule for any arrivals and clears: runs without a pause of a whole window, each flushed once, at its end", async () => {
    const action = fc.record({
      wait: fc.oneof(fc.integer({ min: 0, max: 1_200 }), fc.constantFrom(0, 499, 500, 501)),
      key: fc.constantFrom(ANNA, BEN),
      clear: fc.boolean().map((clears) => clears),
      rare: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
        const { clock, bursts, flushed } = setUp();
        const expected = model(actions.map((each) => ({ ...each, clear: each.clear && each.rare === 0 })));
        for (const [index, { wait, key, clear, rare }] of actions.entries()) {
          await clock.advance(wait);
          if (clear && rare === 0) bursts.discard(key);
          else bursts.add(key, `${index}`);
        }
        await clock.advance(DEBOUNCE_WINDOW);
        const byTime = (a: Flushed, b: Flushed) => a.at - b.at || a.key.localeCompare(b.key);
        expect([...flushed].sort(byTime)).toEqual([...expected].sort(byTime));
        expect(clock.sleepers).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});

/** The rule, said without any task or timer: walk the arrivals and close a run where the pause is long enough. */
function model(actions: readonly { wait: number; key: ChatKey; clear: boolean }[]): Flushed[] {
  const flushed: Flushed[] = [];
  for (const key of [ANNA, BEN]) {
    let time = 0;
    let run: { parts: string[]; last: number } | undefined;
    const close = (): void => {
      if (run !== undefined) flushed.push({ key, parts: run.parts, at: run.last + DEBOUNCE_WINDOW });
      run = undefined;
    };
    for (const [index, action] of actions.entries()) {
      time += action.wait;
      if (run !== undefined && time - run.last >= DEBOUNCE_WINDOW) close();
      if (action.key !== key) continue;
      if (action.clear) run = undefined;
      else run = { parts: [...(run?.parts ?? []), `${index}`], last: time };
    }
    close();
  }
  return flushed;
}
