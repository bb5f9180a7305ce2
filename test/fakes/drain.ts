/** Takes all the steps of a piece of work at once, and gives how many there were. */
export function drain(steps: Iterable<undefined>): number {
  return [...steps].length;
}
