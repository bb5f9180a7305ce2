import { describe, expect, test } from "vitest";
import { sleepBy } from "../../src/domain/clock.ts";

/** A timer that goes off when it is told to, and what became of it. */
function timer() {
  const started: number[] = [];
  const stopped: number[] = [];
  const wakes: (() => void)[] = [];
  const sleep = sleepBy(
    (wake, ms) => {
      wakes.push(wake);
      return started.push(ms) - 1;
    },
    (number) => stopped.push(number),
  );
  return { started, stopped, sleep, ring: () => wakes.forEach((wake) => wake()) };
}

/** Whether it is over, once everything that waits has had its turn. */
async function isOver(sleep: Promise<void>): Promise<boolean> {
  const late = Symbol("late");
  const first = await Promise.race([sleep, new Promise((resolve) => setImmediate(resolve, late))]);
  return first !== late;
}

describe("a sleep", () => {
  test("ends when its timer goes off, not before", async () => {
    const { sleep, ring, started } = timer();
    const slept = sleep(250);
    expect([started, await isOver(slept)]).toEqual([[250], false]);
    ring();
    expect(await isOver(slept)).toBe(true);
  });

  test("ends with its signal, and lets go of its timer", async () => {
    const { sleep, stopped } = timer();
    const stop = new AbortController();
    const slept = sleep(250, stop.signal);
    stop.abort();
    expect([await isOver(slept), stopped]).toEqual([true, [0]]);
  });

  test("does not begin where the signal has ended already", async () => {
    const { sleep, started } = timer();
    expect([await isOver(sleep(250, AbortSignal.abort())), started]).toEqual([true, []]);
  });

  test("hears no more of its signal once it is over", async () => {
    const { sleep, ring, stopped } = timer();
    const stop = new AbortController();
    const slept = sleep(250, stop.signal);
    ring();
    await slept;
    stop.abort();
    expect(stopped).toEqual([0]);
  });

  test.each([
    [-5, 0],
    [0, 0],
    [2 ** 31, 2 ** 31 - 1],
    [Infinity, 2 ** 31 - 1],
  ])("of %d ms asks for %d: a timer would take any other for none", async (asked, given) => {
    const { sleep, ring, started } = timer();
    const slept = sleep(asked);
    ring();
    await slept;
    expect(started).toEqual([given]);
  });
});
