import { readFileSync } from "node:fs";
import { readProcess, type TreeProcess } from "./process-tree.ts";

/** The variable that tells whose a process is. Every program inherits it that an agent starts, and what that starts. */
export const MARK = "_EVIE_AGENT";

/**
 * Names one process of evie's for ever: numbers are used again, ticks begin anew with each start of the machine, and
 * both can be those of somebody else's program. The mark cannot.
 */
export interface Identity {
  readonly pid: number;
  /** Clock ticks since the machine's start. */
  readonly startedAt: number;
  /** The machine's start, as Linux names it. */
  readonly boot: string;
  /** What MARK holds. */
  readonly mark: string;
}

/** Returns the identity of a running process with that mark; undefined where there is no /proc, or no such process. */
export function identityOf(pid: number, mark: string): Identity | undefined {
  const running = readProcess(pid);
  const boot = bootOf();
  return running === undefined || boot === undefined
    ? undefined
    : { pid, startedAt: running.startedAt, boot, mark };
}

/**
 * Returns that process as it is now; undefined where it does not run any more, or is not proven to be the one: another's
 * environment cannot be read.
 */
export function findProcess({ pid, startedAt, boot, mark }: Identity): TreeProcess | undefined {
  if (boot !== bootOf()) return undefined;
  const running = readProcess(pid);
  return running?.startedAt === startedAt && hasMark(pid, mark) ? running : undefined;
}

/** Tells whether a process was started under that mark; false for what is not ours to read. */
export function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${mark}`);
  } catch {
    return false;
  }
}

function bootOf(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}
