/** Bytes of memory that one agent is counted with: pi takes 100 to 150 MB, and its tools (a build, a browser) the rest. */
const FOR_ONE = 512 * 2 ** 20;
const FEWEST = 2;
const MOST = 32;

/**
 * Returns how many agents may run at once on a machine with so many bytes of memory, where nobody says it.
 * `constrained` is what a container or a service may use of them, as `process.constrainedMemory()` tells it: 0, or more
 * than there is, where that is not less than all.
 */
export function agentsForMemory(total: number, constrained: number): number {
  const usable = constrained > 0 ? Math.min(total, constrained) : total;
  return Math.min(MOST, Math.max(FEWEST, Math.floor(usable / FOR_ONE)));
}
