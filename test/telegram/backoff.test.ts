import { describe, expect, test } from "vitest";
import { createBackoff, LONGEST_CONFLICT_WAIT, LONGEST_WAIT } from "../../src/telegram/backoff.ts";

function waits(random: () => number, count: number, longest?: number): readonly number[] {
  const backoff = createBackoff(random, longest);
  return Array.from({ length: count }, () => backoff.next());
}

describe("the waits between failures", () => {
  test("double from one second to the five that a person is let wait", () => {
    expect(LONGEST_WAIT).toBe(5_000);
    expect(waits(() => 0.5, 6)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  test("double to half a minute where another program polls the bot", () => {
    expect(waits(() => 0.5, 8, LONGEST_CONFLICT_WAIT)).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
    ]);
  });

  test.each([
    [0, 800, 4_000],
    [1, 1_200, 5_000],
  ])("with the random number %d they begin with %d ms and end with %d ms", (number, first, last) => {
    const all = waits(() => number, 20);
    expect(all[0]).toBeCloseTo(first);
    expect(all.at(-1)).toBeCloseTo(last);
    expect(Math.max(...all)).toBeLessThanOrEqual(5_000);
  });

  test("are short again after a success", () => {
    const backoff = createBackoff(() => 0.5);
    for (let failure = 0; failure < 6; failure += 1) backoff.next();
    backoff.reset();
    expect([backoff.next(), backoff.next()]).toEqual([1_000, 2_000]);
  });
});
