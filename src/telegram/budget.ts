/** How often something may be done: a bucket of tokens that fills with time. */
export interface Budget {
  /** The moment, in the clock's milliseconds, from which `tokens` are there. */
  readyAt(now: number, tokens: number): number;
  /** Takes one token, into debt if need be. */
  spend(now: number): void;
}

export interface BudgetSize {
  readonly perSecond: number;
  /** The most that can be saved up. */
  readonly burst: number;
}

/** One call a second, with a burst of three: what Telegram tolerates in a private chat. */
export const PRIVATE_BUDGET: BudgetSize = { perSecond: 1, burst: 3 };
/** Twenty a minute, with a burst of five: what it tolerates in a group. */
export const GROUP_BUDGET: BudgetSize = { perSecond: 20 / 60, burst: 5 };
/** Over all chats, some room below Telegram's thirty a second. */
export const GLOBAL_BUDGET: BudgetSize = { perSecond: 25, burst: 25 };

export function createBudget({ perSecond, burst }: BudgetSize): Budget {
  let tokens = burst;
  let countedAt = Number.NEGATIVE_INFINITY;

  function count(now: number): void {
    if (countedAt !== Number.NEGATIVE_INFINITY) {
      tokens = Math.min(burst, tokens + ((now - countedAt) / 1_000) * perSecond);
    }
    countedAt = now;
  }

  return {
    readyAt(now, wanted) {
      count(now);
      // A hair's breadth of tolerance: thirds of a token must not add up to a wait of a femtosecond for ever.
      const missing = Math.min(wanted, burst) - tokens;
      return missing <= 1e-9 ? now : now + Math.ceil((missing / perSecond) * 1_000);
    },
    spend(now) {
      count(now);
      tokens -= 1;
    },
  };
}
