import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { endLeftBehind, noteRunning } from "../../src/agent/left-behind.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), "evie-left-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, clock: createFakeClock() };
}

/** A program that ends only when it is killed, or when its stdin ends. */
async function program(life: "stubborn" | "polite"): Promise<ChildProcess> {
  const code =
    life === "stubborn"
      ? "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); console.log('up')"
      : "process.stdin.resume(); console.log('up')";
  const child = spawn(process.execPath, ["-e", code], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

test("an agent that was left behind is waited for, and killed when it does not end by itself", async () => {
  const { folder, clock } = await setUp();
  const child = await program("stubborn");
  noteRunning(join(folder, "s.jsonl"), child.pid);
  const exit = once(child, "exit");
  const ending = endLeftBehind(folder, clock);
  await clock.advance(1_900);
  expect(child.signalCode).toBeNull();
  await clock.advance(200);
  expect(await ending).toBe(1);
  expect(await exit).toEqual([null, "SIGKILL"]);
  expect(await readdir(folder)).toEqual([]);
});

test("one that ends with its stdin is not killed", async () => {
  const { folder, clock } = await setUp();
  const child = await program("polite");
  noteRunning(join(folder, "s.jsonl"), child.pid);
  const exit = once(child, "exit");
  const ending = endLeftBehind(folder, clock);
  child.stdin?.end();
  expect(await exit).toEqual([0, null]);
  await clock.advance(100);
  expect(await ending).toBe(1);
});

test("another process that has the number since is left alone, and so is a note that says nothing", async () => {
  const { folder, clock } = await setUp();
  const child = await program("stubborn");
  await writeFile(
    join(folder, "a.jsonl.pid"),
    JSON.stringify({ pid: child.pid, parent: 1, group: child.pid, session: child.pid, startedAt: 1 }),
  );
  await writeFile(join(folder, "b.jsonl.pid"), "rubbish");
  await writeFile(join(folder, "c.jsonl"), "");
  expect(await endLeftBehind(folder, clock)).toBe(0);
  expect(child.exitCode).toBeNull();
  expect(await readdir(folder)).toEqual(["c.jsonl"]);
});

test("a note goes when its agent was seen to end, and is not missed where it cannot be written", async () => {
  const { folder } = await setUp();
  const takeAway = noteRunning(join(folder, "s.jsonl"), process.pid);
  expect(await readdir(folder)).toEqual(["s.jsonl.pid"]);
  takeAway();
  expect(await readdir(folder)).toEqual([]);
  expect(noteRunning(join(folder, "missing", "s.jsonl"), process.pid)).not.toThrow();
  expect(noteRunning(join(folder, "s.jsonl"), undefined)).not.toThrow();
});
