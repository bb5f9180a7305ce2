/** Tells several at once what happens, to each in the same order. */
export interface FanOut<Item> {
  tell(item: Item): void;
  /** From the next item on. The answer takes the listener off. */
  add(listener: (item: Item) => void): () => void;
}

/**
 * Calls each listener synchronously. One that throws is taken off, and the others go on. What a listener causes while
 * it is being told is told after it, to all alike: otherwise those behind it would hear of the answer before the question.
 */
export function createFanOut<Item>(fault: (error: unknown) => void): FanOut<Item> {
  /** Never changed in place: whoever is being told something is told it by the list of that moment. */
  let listeners: readonly ((item: Item) => void)[] = [];
  const waiting: { readonly item: Item; readonly to: readonly ((item: Item) => void)[] }[] = [];
  let telling = false;

  function leave(listener: (item: Item) => void): void {
    listeners = listeners.filter((other) => other !== listener);
  }

  function tellAll(item: Item, to: readonly ((item: Item) => void)[]): void {
    for (const listener of to) {
      if (to !== listeners && !listeners.includes(listener)) continue;
      try {
        listener(item);
      } catch (error) {
        leave(listener);
        fault(error);
      }
    }
  }

  return {
    tell(item) {
      // Whoever joins while this waits has it in the state that it joined on.
      waiting.push({ item, to: listeners });
      if (telling) return;
      telling = true;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        tellAll(next.item, next.to);
      telling = false;
    },
    add(listener) {
      const own = (item: Item): void => listener(item);
      listeners = [...listeners, own];
      return () => leave(own);
    },
  };
}
