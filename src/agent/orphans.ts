import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hasMark } from "./identity.ts";
import { killGroups, listProcesses, type TreeProcess } from "./process-tree.ts";

/**
 * Kills what an agent that ended unexpectedly was still doing; gives how many process groups that were. An agent that
 * ends by itself ends its tools. One that was killed, by the machine when memory is short for instance, cannot: they
 * would work on, unseen and unstoppable, beside the agent that takes its place.
 *
 * What a tool has put into the background on purpose is left alone: a server that was started to stay is the person's
 * wish. Told apart by what can be seen afterwards:
 *
 * - what is in the agent's own process group was a part of it;
 * - a tool that was at work leads a group, was started by nobody of the agent's that still lives, and its output led to
 *   the agent. A program that was sent away (`setsid`, `nohup`, a daemon) has its output elsewhere: in a file, or in a
 *   pipe that somebody still reads, such as `tee` with a log;
 * - below such a tool everything goes, but what began a session of its own.
 *
 * Where there is no /proc (macOS), nothing is found.
 */
export function killOrphans(mark: string, agentPid: number): number {
  const all = listProcesses() ?? [];
  const marked = all.filter(({ pid }) => hasMark(pid, mark));
  const byPid = new Map(marked.map((each) => [each.pid, each]));
  const tools = marked.filter((each) => isToolAtWork(each, byPid, all));
  const sessions = new Set(tools.map(({ session }) => session));
  const orphans = marked.filter(({ group, session }) => group === agentPid || sessions.has(session));
  killGroups(orphans);
  return new Set(orphans.map(({ group }) => group)).size;
}

function isToolAtWork(
  { pid, group, parent }: TreeProcess,
  marked: ReadonlyMap<number, TreeProcess>,
  all: readonly TreeProcess[],
): boolean {
  if (pid !== group || marked.has(parent)) return false;
  const outputs = [1, 2].flatMap((descriptor) => linkOf(pid, `${descriptor}`) ?? []);
  return outputs.some((output) => isPipe(output)) && !outputs.some((output) => isRead(output, all));
}

/** Node makes sockets where a shell makes pipes. */
function isPipe(link: string): boolean {
  return /^(?:pipe|socket):/.test(link);
}

/** Tells whether a living process holds the reading end of that pipe. Of a socket nobody can tell. */
function isRead(link: string, all: readonly TreeProcess[]): boolean {
  return link.startsWith("pipe:") && all.some(({ pid }) => reads(pid, link));
}

function reads(pid: number, pipe: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (descriptor) => linkOf(pid, descriptor) === pipe && isForReading(pid, descriptor),
    );
  } catch {
    // It has ended, or is somebody else's.
    return false;
  }
}

/** The flags of open(2), in octal; the last two bits are 0 for reading only. */
function isForReading(pid: number, descriptor: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & 3) === 0;
  } catch {
    return false;
  }
}

function linkOf(pid: number, descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}
