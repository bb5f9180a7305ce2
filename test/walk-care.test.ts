import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { descendantsOf } from "../src/agent/process-tree.ts";
import { isRunning } from "./agent/subjects.ts";
import { FAKE_AGENT, type RunningEvie, startEvie } from "./running-evie.ts";

/*
 * The agents of a running evie, and what the machine does to them: evie as a process, with an agent that does what
 * its prompt tells it to. Each trouble is one clear line, and the next message works.
 */

let evie: RunningEvie & AsyncDisposable;

beforeAll(async () => {
  evie = await startEvie({
    prepare: async (folder) => {
      // A command of its own, so that it can go and come back.
      const command = join(folder, "agent.sh");
      await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${FAKE_AGENT}" "$@"\n`, {
        mode: 0o755,
      });
      return { EVIE_AGENT_COMMAND: command, FAKE_AGENT_LOG: join(folder, "agent.log") };
    },
  });
}, 30_000);

afterAll(() => evie[Symbol.asyncDispose]());

const script = (run: unknown): string => `FAKE${JSON.stringify(run)}`;
const final = (text: string) => (message: { text: string }) => message.text === text;
const holds = (mark: string) => (message: { text: string }) => message.text.includes(mark);

/** The agent that took the prompt with `mark`, and the processes below it. */
async function agentOf(mark: string): Promise<{ readonly pid: number; readonly below: readonly number[] }> {
  const lines = (await readFile(join(evie.folder, "agent.log"), "utf8")).trimEnd().split("\n");
  const line = lines.findLast((each) => each.includes('"received"') && each.includes(mark)) ?? "{}";
  const { pid } = JSON.parse(line) as { pid: number };
  return { pid, below: (descendantsOf(pid) ?? []).map((each) => each.pid) };
}

describe("an agent", () => {
  test("that is killed in mid-tool leaves no tool behind, is told in one line, and comes back", async () => {
    const anna = evie.visitor();
    await anna.say(`killed-in-tool ${script({ tool: { process: true } })}`);
    await anna.hears(holds("bash"), "the tool at work");
    const { pid, below } = await agentOf("killed-in-tool");
    expect(below.length).toBeGreaterThan(1);
    process.kill(pid, "SIGKILL");
    await anna.hears(holds("⚠️ The agent ended unexpectedly (signal SIGKILL)."), "the line about it");
    await expect.poll(() => below.filter(isRunning)).toEqual([]);
    await anna.say(`again ${script({ text: "Back." })}`);
    await anna.hears(final("Back."), "the next answer");
    expect(anna.said()).toHaveLength(2);
  });

  test("whose program goes is told in one line, and found when it is there again", async () => {
    const command = join(evie.folder, "agent.sh");
    const anna = evie.visitor();
    await rename(command, `${command}.gone`);
    await anna.say("no program");
    await anna.hears(
      holds(`⚠️ The agent was not found (${command}). Install pi, or set EVIE_AGENT_COMMAND`),
      "the line about it",
    );
    await rename(`${command}.gone`, command);
    await anna.say(`again ${script({ text: "Found." })}`);
    await anna.hears(final("Found."), "the next answer");
    expect(anna.said()).toHaveLength(2);
  });

  test("whose folder goes is told in one line, and works when it is there again", async () => {
    const anna = evie.visitor();
    await rm(evie.workspace, { recursive: true });
    await anna.say("no folder");
    await anna.hears(
      holds(`⚠️ The folder of this session is gone (${evie.workspace}). Put it back, or send /clear`),
      "the line about it",
    );
    await mkdir(evie.workspace);
    await anna.say(`again ${script({ text: "Home." })}`);
    await anna.hears(final("Home."), "the next answer");
    expect(anna.said()).toHaveLength(2);
  });
});
