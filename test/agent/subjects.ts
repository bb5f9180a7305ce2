import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { agentEnvironment } from "../../src/agent/environment.ts";
import { findAgent } from "../../src/agent/find-agent.ts";
import type { AgentCommand } from "../../src/agent/find-agent.ts";
import { createPiAgent } from "../../src/agent/pi/driver.ts";
import { realClock } from "../../src/clock.ts";
import type { Agent } from "../../src/domain/agent.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Log } from "../../src/domain/log.ts";
import type { Prompt } from "../../src/domain/prompt.ts";
import { startStandInModel } from "../../src/playground/stand-in-model.ts";
import type { StandInModel } from "../../src/playground/stand-in-model.ts";
import { writeAgentFolder } from "../../src/playground/stand-in-model/agent-folder.ts";
import type { FakeProcess } from "../fakes/fake-agent/script.ts";
import { createRecorder } from "./recorder.ts";
import type { Recorder } from "./recorder.ts";

export const FAKE_AGENT = fileURLToPath(new URL("../fakes/fake-agent.ts", import.meta.url));

interface LogLine {
  readonly level: keyof Log;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A folder of one test and the agents in it. `await using` ends them and removes it. */
export interface Bench extends AsyncDisposable {
  readonly folder: string;
  /** Where the fake agent notes what it received. */
  readonly logFile: string;
  readonly logged: readonly LogLine[];
  start(session?: string): StartedAgent;
}

interface StartedAgent extends Recorder {
  readonly agent: Agent;
}

interface BenchOptions {
  readonly clock?: Clock;
  readonly command?: AgentCommand | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Agents of any kind, in a folder of their own. */
export async function openBench(options: BenchOptions): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "evie-agent-"));
  const logFile = join(folder, "received.jsonl");
  const logged: LogLine[] = [];
  const agents: Agent[] = [];
  const write =
    (level: keyof Log): Log["info"] =>
    (fields, message) => {
      logged.push({ level, fields, message });
    };
  const start = createPiAgent({
    clock: options.clock ?? realClock,
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    find: () => options.command,
    env: { ...agentEnvironment(process.env, []), FAKE_AGENT_LOG: logFile, ...options.env },
  });
  return {
    folder,
    logFile,
    logged,
    start: (session = "session.jsonl") => {
      const recorder = createRecorder();
      const agent = start({
        sessionFile: join(folder, session),
        cwd: options.cwd ?? folder,
        emit: recorder.emit,
        ask: recorder.ask,
      });
      agents.push(agent);
      return Object.assign(recorder, { agent });
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(agents.map((agent) => agent.dismiss()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The fake agent, which behaves as told; see `test/fakes/fake-agent.ts`. */
export function openFakeBench(
  behaviour: FakeProcess = {},
  options: Omit<BenchOptions, "command"> = {},
): Promise<Bench> {
  const args = [FAKE_AGENT, "--fake", JSON.stringify(behaviour)];
  return openBench({ ...options, command: { file: process.execPath, args, from: "configured" } });
}

/** The pi that evie brings, with a stand-in for its model. */
export async function openPiBench(): Promise<Bench & { readonly model: StandInModel }> {
  const model = await startStandInModel();
  const settings = await mkdtemp(join(tmpdir(), "evie-pi-"));
  await writeAgentFolder(settings, model.baseUrl);
  await quickRetries(join(settings, "settings.json"));
  const bench = await openBench({
    command: findAgent({}),
    env: { PI_CODING_AGENT_DIR: settings, PI_OFFLINE: "1", PI_TELEMETRY: "0" },
  });
  return {
    ...bench,
    model,
    [Symbol.asyncDispose]: async () => {
      await bench[Symbol.asyncDispose]();
      await model.close();
      await rm(settings, { recursive: true, force: true });
    },
  };
}

/** pi waits two seconds before it tries once more; a test need not. */
async function quickRetries(file: string): Promise<void> {
  const settings: unknown = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify(Object.assign({}, settings, { retry: { baseDelayMs: 20 } })));
}

/** What the fake agents of a bench noted, oldest first. */
export async function notesOf({ logFile }: Bench): Promise<readonly FakeNote[]> {
  const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as FakeNote);
}

interface FakeNote {
  readonly at: number;
  readonly pid: number;
  readonly event: string;
  readonly bytes?: number;
  readonly record?: Readonly<Record<string, unknown>>;
}

/** The requests of one type that the fake agents of a bench received. */
export async function receivedBy(bench: Bench, type: string): Promise<readonly FakeNote[]> {
  return (await notesOf(bench)).filter(({ record }) => record?.["type"] === type);
}

export function textPrompt(text: string): Prompt {
  return { text, images: [], files: [] };
}

/** Whether a process with this number runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}
