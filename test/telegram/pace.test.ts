import { describe, expect, test } from "vitest";
import { createEditPace } from "../../src/telegram/pace.ts";

describe("the pace of edits", () => {
  test("asks for no more than the last two tokens at first", () => {
    expect(createEditPace().needed).toBe(2);
  });

  test("lets each edit regain a little more than it took, until one token more is saved up", () => {
    const pace = createEditPace();
    const needed = [1, 1.2, 1.4, 1.6, 1.8, 2, 2].map((left) => {
      pace.spent(true, left, 0);
      return Math.round(pace.needed * 100) / 100;
    });
    expect(needed).toEqual([2.15, 2.35, 2.55, 2.75, 2.95, 3, 3]);
  });

  test("spends what was saved on a page or a reply: the next edit need not wait for it", () => {
    const pace = createEditPace();
    pace.spent(true, 2, 0);
    pace.spent(false, 1.4, 0);
    expect(pace.needed).toBe(2);
    pace.spent(false, 0.4, 0);
    expect(pace.needed).toBe(2);
  });

  test("keeps edits a little more than a second apart, also when the bucket is full", () => {
    const pace = createEditPace();
    pace.spent(false, 3, 500);
    expect(pace.notBefore).toBe(Number.NEGATIVE_INFINITY);
    pace.spent(true, 3, 1_000);
    pace.spent(false, 3, 1_500);
    expect(pace.notBefore).toBe(2_150);
  });
});
