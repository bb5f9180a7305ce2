import { readFileSync, readlinkSync } from "node:fs";
import { killGroups, listProcesses, type TreeProcess } from "./process-tree.ts";

/** The variable that tells whose a process is. Every program inherits it that an agent starts, and what that starts. */
export const MARK = "_EVIE_AGENT";

/**
 * Kills what an agent that ended unexpectedly was still doing; gives how many process groups that were. An agent that
 * ends by itself ends its tools. One that was killed, by the machine when memory is short for instance, cannot: they
 * would work on, unseen and unstoppable, beside the agent that takes its place.
 *
 * What a tool has put into the background on purpose is left alone: a server that was started to stay is the person's
 * wish. Told apart by what can be seen afterwards:
 *
 * - what is in the agent's own process group was a part of it;
 * - a tool that was at work leads a group, was started by nobody of the agent's that still lives, and holds a pipe to
 *   the agent as its output. A program that was sent away (`setsid`, `nohup`, a daemon) has its output elsewhere;
 * - below such a tool everything goes, but what began a session of its own.
 *
 * Where there is no /proc (macOS), nothing is found.
 */
export function killOrphans(mark: string, agentPid: number): number {
  const marked = (listProcesses() ?? []).filter(({ pid }) => environmentOf(pid).includes(`${MARK}=${mark}`));
  const byPid = new Map(marked.map((each) => [each.pid, each]));
  const tools = marked.filter((each) => isToolAtWork(each, byPid));
  const sessions = new Set(tools.map(({ session }) => session));
  const orphans = marked.filter(({ group, session }) => group === agentPid || sessions.has(session));
  killGroups(orphans);
  return new Set(orphans.map(({ group }) => group)).size;
}

function isToolAtWork(
  { pid, group, parent }: TreeProcess,
  marked: ReadonlyMap<number, TreeProcess>,
): boolean {
  return pid === group && !marked.has(parent) && [1, 2].some((output) => isPipe(pid, output));
}

/** Node makes sockets where a shell makes pipes. */
function isPipe(pid: number, descriptor: number): boolean {
  try {
    return /^(?:pipe|socket):/.test(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
  } catch {
    return false;
  }
}

/** As it was at the program's start; empty for what is not ours to read. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
