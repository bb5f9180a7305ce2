import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { realClock } from "../../src/clock.ts";
import type { BotApi } from "../../src/playground/bot-api/bot-api.ts";
import type { Person } from "../../src/playground/bot-api/person.ts";
import { startBotApi } from "../../src/playground/bot-api/start.ts";
import { FAKE_AGENT } from "../running-evie.ts";

const RELAY = fileURLToPath(new URL("bare-relay.ts", import.meta.url));

/** Milliseconds between two looks at the agent's log, where nothing is measured. */
const LOOK_EVERY = 100;

/** A line of the fake agent's log. */
export interface Noted {
  /** Milliseconds since 1970, with a fraction. */
  readonly at: number;
  readonly event: string;
  readonly record?: { readonly type: string; readonly message?: string };
}

export interface BareRelay extends AsyncDisposable {
  readonly api: BotApi;
  readonly person: Person;
  readonly pid: number;
  readonly agentLog: string;
  /** Waits until the agent has settled so many prompts. */
  settled(count: number): Promise<void>;
}

/** Starts the bare relay, see there, on an embedded Bot API and a fake agent of its own. `await using` ends it. */
export async function startBareRelay(): Promise<BareRelay> {
  const folder = await mkdtemp(join(tmpdir(), "evie-bare-"));
  const agentLog = join(folder, "agent.log");
  const api = await startBotApi({ clock: realClock });
  const child = spawn(process.execPath, [RELAY], {
    env: {
      PATH: process.env["PATH"],
      BOT_API: `${api.root}/bot${api.token}`,
      AGENT: FAKE_AGENT,
      FAKE_AGENT_LOG: agentLog,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  await api.until(() => api.callsOf("getUpdates").length > 0, {
    what: "the relay's poll",
    timeoutMs: 15_000,
  });
  return {
    api,
    person: api.person({ id: 1, first_name: "Anna" }),
    pid: child.pid ?? 0,
    agentLog,
    async settled(count) {
      while ((await readNotes(agentLog)).filter(({ event }) => event === "settled").length < count) {
        await sleep(LOOK_EVERY);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      await api.close();
      await rm(folder, { recursive: true });
    },
  };
}

export async function readNotes(path: string): Promise<readonly Noted[]> {
  const lines = (await readFile(path, "utf8").catch(() => "")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Noted);
}
