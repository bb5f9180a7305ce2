import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { identityOf, MARK } from "../../src/agent/identity.ts";
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
  const child = spawn(process.execPath, ["-e", code], {
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    env: { [MARK]: "mark-1" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

test("an agent that was left behind is waited for, and killed when it does not end by itself", async () => {
  const { folder, clock } = await setUp();
  const child = await program("stubborn");
  noteRunning(join(folder, "s.jsonl"), child.pid, "mark-1");
  const exit = once(child, "exit");
  const ending = endLeftBehind(folder, clock);
  await clock.advance(1_900);
  expect(child.signalCode).toBeNull();
  await clock.advance(200);
  expect(await ending).toEqual({ found: 1, remain: 0 });
  expect(await exit).toEqual([null, "SIGKILL"]);
  expect(await readdir(folder)).toEqual([]);
});

test("one that ends with its stdin is not killed", async () => {
  const { folder, clock } = await setUp();
  const child = await program("polite");
  noteRunning(join(folder, "s.jsonl"), child.pid, "mark-1");
  const exit = once(child, "exit");
  const ending = endLeftBehind(folder, clock);
  child.stdin?.end();
  expect(await exit).toEqual([0, null]);
  await clock.advance(100);
  expect(await ending).toEqual({ found: 1, remain: 0 });
});

const note = (child: ChildProcess, fields: object = {}) =>
  JSON.stringify({ ...identityOf(child.pid ?? 0, "mark-1"), ...fields });

test.each<[string, (child: ChildProcess) => string]>([
  ["got the number since", (child) => note(child, { startedAt: 1 })],
  ["got number and tick after a restart of the machine", (child) => note(child, { boot: "another" })],
  ["does not carry the mark", (child) => note(child, { mark: "mark-2" })],
  ["carries a mark that begins like it", (child) => note(child, { mark: "mark" })],
  ["is named without a mark", (child) => note(child, { mark: "" })],
  ["is another user's", () => JSON.stringify({ ...identityOf(1, "mark-1"), mark: "mark-1" })],
  ["is named by rubbish", () => "rubbish"],
  ["is named by nothing", () => "null"],
])("a process is left alone that %s", async (_what, text) => {
  const { folder, clock } = await setUp();
  const child = await program("stubborn");
  await writeFile(join(folder, "a.jsonl.pid"), text(child));
  await writeFile(join(folder, "c.jsonl"), "");
  expect(await endLeftBehind(folder, clock)).toEqual({ found: 0, remain: 0 });
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  expect(await readdir(folder)).toEqual(["c.jsonl"]);
});

test("notes that cannot be read or removed, and a folder that is not there, do not hold up the start", async () => {
  const { folder, clock } = await setUp();
  await mkdir(join(folder, "a.jsonl.pid"));
  expect(await endLeftBehind(folder, clock)).toEqual({ found: 0, remain: 0 });
  expect(await endLeftBehind(join(folder, "missing"), clock)).toEqual({ found: 0, remain: 0 });
});

test("a note goes when its agent was seen to end, and is not missed where it cannot be written", async () => {
  const { folder } = await setUp();
  const takeAway = noteRunning(join(folder, "s.jsonl"), process.pid, "m");
  expect(await readdir(folder)).toEqual(["s.jsonl.pid"]);
  takeAway();
  expect(await readdir(folder)).toEqual([]);
  expect(noteRunning(join(folder, "missing", "s.jsonl"), process.pid, "m")).not.toThrow();
  expect(noteRunning(join(folder, "s.jsonl"), undefined, "m")).not.toThrow();
});
