import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/** A process as /proc shows it. Its number alone is not its name: numbers are used again, start times are not. */
export interface TreeProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since the machine's start. */
  readonly startedAt: number;
}

/** All processes under `root`, without itself; undefined where there is no /proc to read. */
export function descendantsOf(root: number): readonly TreeProcess[] | undefined {
  const all = listProcesses();
  if (all === undefined) return undefined;
  const children = Map.groupBy(all, (each) => each.parent);
  const found: TreeProcess[] = [];
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      waiting.push(child.pid);
    }
  }
  return found;
}

/** Kills the process groups of those that still run. The tools of an agent each have a group of their own. */
export function killGroups(processes: readonly TreeProcess[]): void {
  const own = readProcess(process.pid)?.group;
  const groups = new Set(processes.filter(stillRuns).map((each) => each.group));
  for (const group of groups) {
    // Group 0 would be evie itself, and 1 the whole machine.
    if (group > 1 && group !== own) killGroup(group);
  }
}

/** Kills one process group; that it is gone already, or not ours, is fine. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nothing is left of it.
  }
}

function stillRuns(known: TreeProcess): boolean {
  const now = readProcess(known.pid);
  return now !== undefined && now.startedAt === known.startedAt;
}

/** All that run; undefined where there is no /proc to read. */
export function listProcesses(): readonly TreeProcess[] | undefined {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => readProcess(Number(name)))
      .filter((each) => each !== undefined);
  } catch {
    return undefined;
  }
}

/** Undefined when there is no such process, or only what is left of one (a zombie). */
export function readProcess(pid: number): TreeProcess | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

/** Reads a line of `/proc/<pid>/stat`, see proc(5). The program's name is in brackets and may hold brackets itself. */
export function parseStat(stat: string): TreeProcess | undefined {
  const afterName = stat.lastIndexOf(")");
  const [state, parent, group, session, ...rest] = stat.slice(afterName + 2).split(" ");
  // Field 22 of the line; `rest` begins with field 7.
  const startedAt = rest[15];
  if (afterName === -1 || state === "Z" || state === "X" || startedAt === undefined) return undefined;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: Number(startedAt),
  };
}
