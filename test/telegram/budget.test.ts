import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BudgetSize,
  createBudget,
  GLOBAL_BUDGET,
  GROUP_BUDGET,
  PRIVATE_BUDGET,
} from "../../src/telegram/budget.ts";

describe("a budget", () => {
  test("lets a burst through at once, then one call each time a token has come", () => {
    const budget = createBudget(PRIVATE_BUDGET);
    for (let call = 0; call < 3; call += 1) {
      expect(budget.readyAt(50, 1)).toBe(50);
      budget.spend(50);
    }
    expect(budget.readyAt(50, 1)).toBe(1_050);
    expect(budget.readyAt(1_049, 1)).toBe(1_050);
    expect(budget.readyAt(1_050, 1)).toBe(1_050);
  });

  test("tells when several tokens will be there", () => {
    const budget = createBudget(PRIVATE_BUDGET);
    budget.spend(0);
    budget.spend(0);
    expect(budget.readyAt(0, 2)).toBe(1_000);
    expect(budget.readyAt(0, 0)).toBe(0);
  });

  test("saves up no more than its burst, however long it rests", () => {
    const budget = createBudget(PRIVATE_BUDGET);
    budget.spend(0);
    const later = 3_600_000;
    for (let call = 0; call < 3; call += 1) budget.spend(later);
    expect(budget.readyAt(later, 1)).toBe(later + 1_000);
  });

  test("who asks for more tokens than fit waits for a full bucket and not for ever", () => {
    const budget = createBudget({ perSecond: 1, burst: 1 });
    budget.spend(0);
    expect(budget.readyAt(0, 2)).toBe(1_000);
  });

  test("asking costs nothing", () => {
    const budget = createBudget(PRIVATE_BUDGET);
    for (let now = 0; now < 5_000; now += 7) budget.readyAt(now, 3);
    expect(budget.readyAt(5_000, 3)).toBe(5_000);
  });

  const sizes: readonly [string, BudgetSize, { calls: number; withinMs: number }][] = [
    ["private chat", PRIVATE_BUDGET, { calls: 4, withinMs: 1_001 }],
    ["group", GROUP_BUDGET, { calls: 20, withinMs: 60_000 }],
    ["bot", GLOBAL_BUDGET, { calls: 30, withinMs: 1_000 }],
  ];

  test.each(sizes)("of a %s is never exceeded, whenever its calls are wished for", (_, size, limit) => {
    const wishes = fc.array(fc.double({ min: 0, max: 5_000, noNaN: true }), { minLength: 20, maxLength: 90 });
    fc.assert(
      fc.property(wishes, (gaps) => {
        const budget = createBudget(size);
        const calls: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now = Math.max(now + gap, budget.readyAt(now + gap, 1));
          budget.spend(now);
          calls.push(now);
        }
        for (const [index, first] of calls.entries()) {
          const inWindow = calls.filter((at) => at >= first && at < first + limit.withinMs).length;
          expect(inWindow).toBeLessThanOrEqual(limit.calls);
          for (const [later, at] of calls.entries()) {
            if (later <= index) continue;
            const allowed = size.burst + ((at - first) / 1_000) * size.perSecond;
            expect(later - index + 1).toBeLessThanOrEqual(allowed + 1e-6);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("is overdrawn within its limit only, which the calls of any stretch of time keep, whoever waits for them", () => {
    const calls = fc.array(fc.record({ gap: fc.nat(1_500), kind: fc.constantFrom(0, 0.06, 0.13) }), {
      minLength: 70,
      maxLength: 150,
    });
    fc.assert(
      fc.property(calls, (wishes) => {
        const budget = createBudget(PRIVATE_BUDGET);
        const made: number[] = [];
        let now = 0;
        for (const { gap, kind } of wishes) {
          now += gap;
          now = kind === 0 ? budget.overdrawnAt(now) : budget.readyAt(now, 1, kind);
          budget.spend(now);
          made.push(now);
        }
        for (const [index, first] of made.entries()) {
          const inMinute = made.slice(index).filter((at) => at < first + 60_000).length;
          expect(inMinute).toBeLessThanOrEqual(60);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("keeps room in its limit for what matters more, and none of it is needed for nothing", () => {
    const budget = createBudget({ perSecond: 1_000, burst: 1_000, limit: { calls: 5, withinMs: 1_000 } });
    for (const at of [0, 10, 20]) budget.spend(at);
    expect(budget.readyAt(30, 1, 0.2)).toBe(30);
    expect(budget.readyAt(30, 1, 0.4)).toBe(1_000);
    budget.spend(30);
    budget.spend(40);
    expect([budget.overdrawnAt(50), budget.readyAt(50, 1, 0.4), budget.readyAt(50, 0)]).toEqual([
      1_000, 1_020, 50,
    ]);
  });
});
