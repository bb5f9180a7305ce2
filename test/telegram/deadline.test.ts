import { describe, expect, test } from "vitest";
import { startDeadline } from "../../src/telegram/deadline.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

describe("a deadline", () => {
  test("aborts its signal when its time has passed, and not before", async () => {
    const clock = createFakeClock();
    const { signal } = startDeadline(clock, 15_000);
    await clock.advance(14_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toEqual(new Error("nothing came for 15 s"));
  });

  test("counts anew each time it is extended", async () => {
    const clock = createFakeClock();
    const deadline = startDeadline(clock, 1_000);
    for (let step = 0; step < 5; step += 1) {
      await clock.advance(900);
      deadline.extend();
    }
    await clock.advance(999);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
  });

  test("never passes once it was cancelled, and leaves no timer behind", async () => {
    const clock = createFakeClock();
    const deadline = startDeadline(clock, 1_000);
    expect(clock.sleepers).toBe(1);
    deadline.cancel();
    expect(clock.sleepers).toBe(0);
    await clock.advance(5_000);
    expect(deadline.signal.aborted).toBe(false);
  });
});
