/** Chance that can be had again: the same seed gives the same numbers. */
export interface Random {
  /** From 0 up to 1, without it. */
  (): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** Mulberry32: small, and even enough to choose what goes wrong next. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return Object.assign(next, {
    between,
    pick<Value>(values: readonly Value[]): Value {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new RangeError("There is nothing to pick from.");
      return value;
    },
  });
}
