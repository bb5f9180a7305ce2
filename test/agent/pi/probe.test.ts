import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { findAgent } from "../../../src/agent/find-agent.ts";
import { probeModel } from "../../../src/agent/pi/probe.ts";
import { realClock } from "../../../src/clock.ts";
import { writeAgentFolder } from "../../../src/playground/stand-in-model/agent-folder.ts";

/** The real pi, with a configuration folder of its own and no key of anybody's. */
async function probe(prepare: (agentFolder: string) => Promise<unknown>): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "evie-probe-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const agentFolder = join(folder, "agent");
  await prepare(agentFolder);
  const command = findAgent({});
  if (command === undefined) throw new Error("there is no pi");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    PI_CODING_AGENT_DIR: agentFolder,
    PI_OFFLINE: "1",
  };
  return await probeModel({ command, cwd: folder, env, clock: realClock });
}

test("an agent that is set up names its model, without asking it", async () => {
  expect(await probe((folder) => writeAgentFolder(folder, "http://127.0.0.1:1/v1"))).toBe("Stand-in");
});

test("an agent that nobody has set up has none", async () => {
  expect(await probe((folder) => mkdir(folder))).toBeUndefined();
});

test.each([
  ["ends at once", ["-e", "process.exit(3)"]],
  ["talks rubbish and ends", ["-e", "console.log('hello')"]],
])("a program that %s has none", async (_, args) => {
  const command = { file: process.execPath, args, from: "configured" } as const;
  const model = await probeModel({ command, cwd: tmpdir(), env: {}, clock: realClock });
  expect(model).toBeUndefined();
});
