import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Clock } from "../domain/clock.ts";
import { descendantsOf, killGroup, killGroups, readProcess, type TreeProcess } from "./process-tree.ts";

/** The note about a running agent lies beside its session file. */
const NOTE = ".pid";

/** Milliseconds that an agent without evie has to end by itself: its stdin was closed when evie died. */
const PATIENCE = 2_000;
/** Milliseconds between two looks. */
const LOOK = 50;

/**
 * Notes beside a session file which process holds it; the answer takes the note away. Where it cannot be written, only
 * what `endLeftBehind` is for is lost.
 */
export function noteRunning(sessionFile: string, pid: number | undefined): () => void {
  const running = pid === undefined ? undefined : readProcess(pid);
  if (running === undefined) return () => undefined;
  const path = `${sessionFile}${NOTE}`;
  try {
    writeFileSync(path, JSON.stringify(running), { mode: 0o600 });
  } catch {
    return () => undefined;
  }
  return () => rmSync(path, { force: true });
}

/**
 * Waits for the agents that an evie which was killed has left in `folder`, where the session files are, and ends those
 * that do not end by themselves: two agents on one session file would part its history. Gives how many there were.
 */
export async function endLeftBehind(folder: string, clock: Clock): Promise<number> {
  const notes = readdirSync(folder)
    .filter((name) => name.endsWith(NOTE))
    .map((name) => join(folder, name));
  const left = notes.flatMap((path) => readNote(path) ?? []).filter(isAlive);
  const deadline = clock.now() + PATIENCE;
  while (left.some(isAlive) && clock.now() < deadline) await clock.sleep(LOOK);
  for (const agent of left.filter(isAlive)) {
    const below = descendantsOf(agent.pid) ?? [];
    process.kill(agent.pid, "SIGKILL");
    killGroups(below);
    if (agent.group === agent.pid) killGroup(agent.group);
  }
  for (const path of notes) rmSync(path, { force: true });
  return left.length;
}

function readNote(path: string): TreeProcess | undefined {
  try {
    const { pid, parent, group, session, startedAt } = JSON.parse(readFileSync(path, "utf8")) as TreeProcess;
    return [pid, parent, group, session, startedAt].every(Number.isInteger)
      ? { pid, parent, group, session, startedAt }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The same process, and not another one that got its number since. */
function isAlive({ pid, startedAt }: TreeProcess): boolean {
  return readProcess(pid)?.startedAt === startedAt;
}
