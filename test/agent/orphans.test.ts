import { readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { afterEach, describe, expect, test } from "vitest";
import { startProcess } from "../../src/agent/process.ts";
import type { LineProcess } from "../../src/agent/process.ts";
import { realClock } from "../../src/clock.ts";
import { isRunning } from "./subjects.ts";

const left: number[] = [];

afterEach(() => {
  for (const pid of left.splice(0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It is gone, as it should be.
    }
  }
});

/** What the agent does in these tests: it starts tools, tells their numbers, and says that it is ready. */
const AGENT = `
  const { spawn } = require("node:child_process");
  const tool = (script, options) => {
    const child = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "pipe"], ...options });
    child.stdout?.on("data", (data) => process.stdout.write(data));
    return child;
  };
  setInterval(() => {}, 60_000);
`;

/** Whether somebody reads what the process writes on stdout. */
function hasReader(pid: number): boolean {
  const pipe = readlinkSync(`/proc/${pid}/fd/1`);
  return readdirSync("/proc").some((other) => {
    try {
      return /^\d+$/.test(other) && other !== `${pid}` && readlinkSync(`/proc/${other}/fd/0`) === pipe;
    } catch {
      return false;
    }
  });
}

interface Started extends LineProcess {
  /** The numbers that it told so far. */
  readonly told: readonly number[];
}

async function start(script: string, count: number): Promise<Started> {
  const told: number[] = [];
  const agent = startProcess({
    file: process.execPath,
    args: ["-e", AGENT + script],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "" },
    clock: realClock,
    onLine: (line) => {
      told.push(Number(line));
      left.push(Number(line));
    },
  });
  await expect.poll(() => told.length, { timeout: 10_000 }).toBe(count);
  return { ...agent, told };
}

const kill = async ({ pid = 0, ended }: Started, signal: NodeJS.Signals = "SIGKILL") => {
  process.kill(pid, signal);
  return await ended;
};

describe("when an agent is killed from outside", () => {
  test("a tool at work goes, with everything below it", async () => {
    const agent = await start(`tool("echo $$; (sleep 600 & echo $!; wait) & sleep 600 & echo $!; wait")`, 3);
    expect(agent.told.map(isRunning)).toEqual([true, true, true]);
    expect(await kill(agent)).toEqual({ type: "exited", exit: { signal: "SIGKILL" }, orphans: 1 });
    await expect.poll(() => agent.told.map(isRunning)).toEqual([false, false, false]);
  });

  test("so does each of several, and what is in the agent's own group", async () => {
    const agent = await start(
      `tool("echo $$; exec sleep 600"); tool("echo $$; exec sleep 601");
       console.log(tool("exec sleep 602", { detached: false, stdio: "ignore" }).pid);`,
      3,
    );
    expect(await kill(agent)).toMatchObject({ orphans: 3 });
    await expect.poll(() => agent.told.map(isRunning)).toEqual([false, false, false]);
  });

  test("so does a job of a tool's that has a group of its own", async () => {
    const agent = await start(`tool("set -m; echo $$; sleep 600 & echo $!; wait")`, 2);
    await kill(agent);
    await expect.poll(() => agent.told.map(isRunning)).toEqual([false, false]);
  });

  test.each([
    ["began a session of its own", `tool("setsid sleep 600 >/dev/null 2>&1 & echo $!")`],
    [
      "was sent into the background by a tool that is done",
      `tool("nohup sleep 600 >/dev/null 2>&1 & echo $!")`,
    ],
    [
      "was started to stay, its output elsewhere",
      `console.log(tool("exec sleep 600", { stdio: "ignore" }).pid)`,
    ],
    [
      "was sent away with its output in a pipe to a log",
      `tool("exec 3>&1; setsid sh -c 'echo $$ >&3; exec 3>&-; exec sleep 600' 2>&1 | cat >/dev/null 2>&1 3>&- &")`,
    ],
    [
      "was sent away with only its stdout in a pipe to a log",
      `tool("exec 3>&1; setsid sh -c 'echo $$ >&3; exec 3>&-; exec sleep 600' | cat >/dev/null 2>&1 3>&- &")`,
    ],
  ])("what %s is left alone", async (_what, script) => {
    const agent = await start(script, 1);
    expect(await kill(agent)).toEqual({ type: "exited", exit: { signal: "SIGKILL" } });
    expect(agent.told.map(isRunning)).toEqual([true]);
  });

  test.each([
    ["its output elsewhere", ">/dev/null 2>&1"],
    ["its output still the tool's", ""],
  ])("of a tool at work, what it had sent away stays, %s, and the tool goes", async (_what, output) => {
    const agent = await start(
      `tool("setsid sleep 600 ${output} & sleep 0.3; echo $!; echo $$; wait; sleep 600")`,
      2,
    );
    await kill(agent);
    await expect.poll(() => agent.told.map(isRunning)).toEqual([true, false]);
  });

  test("a tool at work goes whose output is in a pipe that nobody reads any more", async () => {
    const agent = await start(
      `tool("exec 3>&1; setsid sh -c 'echo $$ >&3; exec 3>&-; exec sleep 600' 2>&1 | (exec >/dev/null 2>&1 3>&-; sleep 0.1) &")`,
      1,
    );
    await expect.poll(() => agent.told.map(hasReader)).toEqual([false]);
    await kill(agent);
    await expect.poll(() => agent.told.map(isRunning)).toEqual([false]);
  });

  test("another agent's tools are not touched", async () => {
    const script = `tool("echo $$; exec sleep 600")`;
    const [one, other] = [await start(script, 1), await start(script, 1)];
    await kill(one);
    await expect.poll(() => one.told.map(isRunning)).toEqual([false]);
    expect(other.told.map(isRunning)).toEqual([true]);
    await other.dismiss();
  });
});

test("an agent that crashes leaves no tool at work either", async () => {
  const agent = await start(
    `tool("echo $$; exec sleep 600"); process.once("SIGUSR2", () => { throw new Error("oh"); })`,
    1,
  );
  expect(await kill(agent, "SIGUSR2")).toMatchObject({
    exit: { code: 1, lastWords: "Error: oh" },
    orphans: 1,
  });
  await expect.poll(() => agent.told.map(isRunning)).toEqual([false]);
});
