/** How often something may be done: a bucket of tokens that fills with time. */
export interface Budget {
  /** The moment, in the clock's milliseconds, from which `tokens` are there. */
  readyAt(now: number, tokens: number): number;
  /** Takes one token, into debt if need be; gives how many are left. */
  spend(now: number): number;
}

export interface BudgetSize {
  readonly perSecond: number;
  /** The most that can be saved up. */
  readonly burst: number;
}

/** One call a second, with a burst of three: what Telegram tolerates in a private chat. */
export const PRIVATE_BUDGET: BudgetSize = { perSecond: 1, burst: 3 };
/** Five at once and fifteen more in a minute: what it tolerates in a group is twenty in any minute. */
export const GROUP_BUDGET: BudgetSize = { perSecond: 15 / 60, burst: 5 };
/** Over all chats: what it tolerates is thirty in any second. */
export const GLOBAL_BUDGET: BudgetSize = { perSecond: 25, burst: 5 };

/** Of a token. */
const HAIR = 1e-9;

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
      return missing <= HAIR ? now : now + Math.ceil(((missing - HAIR) / perSecond) * 1_000);
    },
    spend(now) {
      count(now);
      tokens -= 1;
      return tokens;
    },
  };
}
