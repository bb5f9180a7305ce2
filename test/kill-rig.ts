import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { realClock } from "../src/clock.ts";
import type { BotApi } from "../src/playground/bot-api/bot-api.ts";
import { startBotApi } from "../src/playground/bot-api/start.ts";
import { FAKE_AGENT, freePort } from "./running-evie.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** A prompt that an agent took. */
export interface TakenPrompt {
  readonly text: string;
  readonly images: number;
}

/** What evie has written down, by how far it has come. */
export interface Standing {
  readonly unspent: number;
  readonly flushed: number;
  readonly handed: number;
  readonly accepted: number;
  readonly undelivered: number;
  /** Messages of evie's that it knows to be in a chat. */
  readonly bubbles: number;
}

export interface MortalEvie {
  readonly api: BotApi;
  readonly folder: string;
  /** Starts evie on the home and the Bot API of before. */
  launch(env?: Readonly<Record<string, string>>): void;
  /** Resolves when it has begun to poll. */
  polls(): Promise<void>;
  /** Kills it as the kernel would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Asks it to end; its exit code. */
  stop(): Promise<number | null>;
  /** The prompts that agents have taken so far, in order. */
  taken(): readonly TakenPrompt[];
  /** A request to its HTTP face, where it has one; gives the JSON of the answer. Rejects when nobody answers. */
  ask<Value>(method: string, path: string, body?: object): Promise<Value>;
  /** Undefined when it died before it had written anything. */
  standing(): Standing | undefined;
  /** What it wrote in all its lives. */
  output(): string;
}

/** An evie that is killed and started again, on one home, one Bot API and the fake agent. */
export async function prepareMortalEvie(
  users: readonly number[],
  { http = false } = {},
): Promise<MortalEvie & AsyncDisposable> {
  const port = http ? await freePort() : 0;
  const folder = await mkdtemp(join(tmpdir(), "evie-kill-"));
  const workspace = join(folder, "workspace");
  const agentLog = join(folder, "agent.log");
  await mkdir(workspace);
  const api = await startBotApi({ clock: realClock });
  const written: Buffer[] = [];
  let child: ChildProcess | undefined;
  let pollsBefore = 0;
  let exited: Promise<[number | null]> | undefined;

  const output = (): string => Buffer.concat(written).toString("utf8");

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (child === undefined || exited === undefined) return null;
    child.kill(signal);
    const [code] = await exited;
    child = undefined;
    return code;
  }

  return {
    api,
    folder,
    launch(env = {}) {
      pollsBefore = api.callsOf("getUpdates").length;
      child = spawn(process.execPath, [MAIN], {
        cwd: workspace,
        env: {
          PATH: process.env["PATH"],
          HOME: folder,
          TELEGRAM_BOT_TOKEN: api.token,
          TELEGRAM_API_ROOT: api.root,
          EVIE_ALLOWED_USERS: users.join(","),
          EVIE_HOME: join(folder, "home"),
          EVIE_HTTP_PORT: `${port}`,
          EVIE_AGENT_COMMAND: `"${process.execPath}" "${FAKE_AGENT}"`,
          FAKE_AGENT_LOG: agentLog,
          LOG_LEVEL: "info",
          ...env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      exited = once(child, "exit") as Promise<[number | null]>;
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (chunk: Buffer) => void written.push(chunk));
    },
    async polls() {
      await api
        .until(() => api.callsOf("getUpdates").length > pollsBefore, { what: "a poll", timeoutMs: 30_000 })
        .catch((error: unknown) => Promise.reject(new Error(`${String(error)}\n${output().slice(-4_000)}`)));
    },
    async kill() {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
    async ask<Value>(method: string, path: string, body?: object) {
      const token = readFileSync(join(folder, "home", "http-token"), "utf8").trim();
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
      return (await response.json()) as Value;
    },
    taken() {
      if (!existsSync(agentLog)) return [];
      const received = new Map<number, TakenPrompt>();
      return readFileSync(agentLog, "utf8")
        .trimEnd()
        .split("\n")
        .flatMap((line) => {
          const { pid, event, record } = JSON.parse(line) as Noted;
          if (record?.type === "prompt")
            received.set(pid, { text: record.message ?? "", images: record.images?.length ?? 0 });
          const prompt = received.get(pid);
          return event === "accepted" && prompt !== undefined ? [prompt] : [];
        });
    },
    standing() {
      const path = join(folder, "home", "evie.db");
      if (!existsSync(path)) return undefined;
      const database = new DatabaseSync(path);
      try {
        // It may have died before it had made its tables.
        if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'bubbles'").get() === undefined)
          return undefined;
        const count = (sql: string): number =>
          Number(database.prepare(`SELECT COUNT(*) AS n FROM ${sql}`).get()?.["n"]);
        const open = "turns WHERE ended_at IS NULL AND";
        return {
          unspent: count("updates WHERE spent = 0"),
          flushed: count(`${open} handed_at IS NULL`),
          handed: count(`${open} handed_at IS NOT NULL AND accepted_at IS NULL`),
          accepted: count(`${open} accepted_at IS NOT NULL`),
          bubbles: count("bubbles"),
          undelivered: count("turns WHERE ended_at IS NOT NULL AND delivered_at IS NULL"),
        };
      } finally {
        database.close();
      }
    },
    output,
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
      await api.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Noted {
  readonly pid: number;
  readonly event: string;
  readonly record?: {
    readonly type: string;
    readonly message?: string;
    readonly images?: readonly unknown[];
  };
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
