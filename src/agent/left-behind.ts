import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Clock } from "../domain/clock.ts";
import { findProcess, type Identity, identityOf } from "./identity.ts";
import { descendantsOf, killGroup, killGroups } from "./process-tree.ts";

/** The note about a running agent lies beside its session file. */
const NOTE = ".pid";

/** Milliseconds that an agent without evie has to end by itself: its stdin was closed when evie died. */
const PATIENCE = 2_000;
/** Milliseconds between two looks. */
const LOOK = 50;

export interface LeftBehind {
  /** Agents that an evie before this one has left. */
  readonly found: number;
  /** Those of them that could not be ended. */
  readonly remain: number;
}

/**
 * Notes beside a session file which process holds it; the answer takes the note away. Where it cannot be written, only
 * what `endLeftBehind` is for is lost.
 */
export function noteRunning(sessionFile: string, pid: number | undefined, mark: string): () => void {
  const running = pid === undefined ? undefined : identityOf(pid, mark);
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
 * that do not end by themselves: two agents on one session file would part its history. What is not proven to be such an
 * agent is left alone. Never rejects.
 */
export async function endLeftBehind(folder: string, clock: Clock): Promise<LeftBehind> {
  const notes = notesIn(folder);
  const left = notes.flatMap((path) => readNote(path) ?? []).filter(isAlive);
  const deadline = clock.now() + PATIENCE;
  while (left.some(isAlive) && clock.now() < deadline) await clock.sleep(LOOK);
  for (const agent of left) kill(agent);
  for (const path of notes) removeNote(path);
  return { found: left.length, remain: left.filter(isAlive).length };
}

function kill(agent: Identity): void {
  const running = findProcess(agent);
  if (running === undefined) return;
  const below = descendantsOf(running.pid) ?? [];
  try {
    process.kill(running.pid, "SIGKILL");
  } catch {
    // It has ended meanwhile, or is not ours to end.
    return;
  }
  killGroups(below);
  if (running.group === running.pid) killGroup(running.group);
}

function notesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(NOTE))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function readNote(path: string): Identity | undefined {
  try {
    const { pid, startedAt, boot, mark } = JSON.parse(readFileSync(path, "utf8")) as Identity;
    const isWhole = Number.isInteger(pid) && pid > 1 && Number.isInteger(startedAt);
    return isWhole && typeof boot === "string" && typeof mark === "string" && mark !== ""
      ? { pid, startedAt, boot, mark }
      : undefined;
  } catch {
    return undefined;
  }
}

/** One that stays is looked at once more at the next start. */
function removeNote(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It may be a folder, or on a disk for reading only.
  }
}

function isAlive(agent: Identity): boolean {
  return findProcess(agent) !== undefined;
}
