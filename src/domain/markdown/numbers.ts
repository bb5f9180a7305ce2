/** An item of a numbered list: the number that was written, and the one that is shown. */
export interface Numbered {
  readonly written: number;
  readonly shown: number;
}

/**
 * Numbers an item behind another one: with the number that was written. Only where it repeats the one before, as
 * in lists whose items are all 1, the list counts on.
 */
export function numberBehind(previous: Numbered | undefined, written: number): Numbered {
  const repeats = previous?.written === written;
  return { written, shown: repeats ? previous.shown + 1 : written };
}
