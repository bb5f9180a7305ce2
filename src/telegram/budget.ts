/** How often something may be done: a bucket of tokens that fills with time, under a limit on calls in any stretch of time. */
export interface Budget {
  /** The moment, in the clock's milliseconds, from which `tokens` are there, and the share `kept` of the limit stays free. */
  readyAt(now: number, tokens: number, kept?: number): number;
  /** The moment from which a call may be made that a person waits for: into debt, but within the limit. */
  overdrawnAt(now: number): number;
  /** Takes one token, into debt if need be; gives how many are left. */
  spend(now: number): number;
}

export interface BudgetSize {
  readonly perSecond: number;
  /** The most that can be saved up. */
  readonly burst: number;
  /** The most calls in any stretch of so many milliseconds, whoever waits for them. Without it there is no such limit. */
  readonly limit?: { readonly calls: number; readonly withinMs: number };
}

/** One call a second with a burst of three, and never more than sixty a minute: what Telegram tolerates in a private chat. */
export const PRIVATE_BUDGET: BudgetSize = { perSecond: 1, burst: 3, limit: { calls: 60, withinMs: 60_000 } };
/** Five at once and twelve more in a minute, of the twenty that Telegram tolerates in a group: the others are for replies. */
export const GROUP_BUDGET: BudgetSize = {
  perSecond: 12 / 60,
  burst: 5,
  limit: { calls: 20, withinMs: 60_000 },
};
/** Over all chats: what Telegram tolerates is thirty in any second. */
export const GLOBAL_BUDGET: BudgetSize = { perSecond: 25, burst: 5, limit: { calls: 30, withinMs: 1_000 } };

/** Of a token. */
const HAIR = 1e-9;

export function createBudget({ perSecond, burst, limit }: BudgetSize): Budget {
  let tokens = burst;
  let countedAt = Number.NEGATIVE_INFINITY;
  /** When the calls were made that count against the limit, the oldest first. */
  let spent: readonly number[] = [];

  function count(now: number): void {
    if (countedAt !== Number.NEGATIVE_INFINITY) {
      tokens = Math.min(burst, tokens + ((now - countedAt) / 1_000) * perSecond);
    }
    countedAt = now;
  }

  /** The moment from which one call more is within the limit, and that share of it stays free. */
  function withinLimit(now: number, kept: number): number {
    if (limit === undefined) return now;
    const inTheWay = spent.at(-Math.max(1, limit.calls - Math.ceil(limit.calls * kept)));
    return inTheWay === undefined ? now : Math.max(now, inTheWay + limit.withinMs);
  }

  return {
    readyAt(now, wanted, kept = 0) {
      if (wanted === 0) return now;
      count(now);
      // A hair's breadth of tolerance: thirds of a token must not add up to a wait of a femtosecond for ever.
      const missing = Math.min(wanted, burst) - tokens;
      const filled = missing <= HAIR ? now : now + Math.ceil(((missing - HAIR) / perSecond) * 1_000);
      return Math.max(filled, withinLimit(now, kept));
    },
    overdrawnAt: (now) => withinLimit(now, 0),
    spend(now) {
      count(now);
      tokens -= 1;
      if (limit !== undefined) spent = [...spent.filter((at) => at > now - limit.withinMs), now];
      return tokens;
    },
  };
}
