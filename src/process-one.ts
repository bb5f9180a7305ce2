import type { Log } from "./domain/log.ts";

/**
 * Warns where evie is process 1, as in a container without an init. The system makes process 1 the parent of whatever an
 * agent's tools leave behind, and Node waits for its own children alone: each of them stays in the table of processes
 * after its end, until there is no room for another one.
 */
export function warnAsProcessOne(pid: number, log: Log): void {
  if (pid !== 1) return;
  log.warn(
    {},
    "evie is process 1 here, and what the agent's tools leave behind stays as zombies. Start it under an init: docker run --init, or init: true in the compose file",
  );
}
