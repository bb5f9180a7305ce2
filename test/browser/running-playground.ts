import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const PATIENCE_MS = 20_000;

/** `evie playground` as a process of its own, in a home that nobody else has. */
export interface RunningPlayground {
  /** What it printed for the person to open. */
  readonly link: string;
  readonly port: number;
  readonly home: string;
  readonly process: ChildProcess;
  /** Everything that it wrote so far. */
  output(): string;
}

type Environment = Readonly<Record<string, string>>;

/** An `evie` with these words on its command line; `exited` gives its exit code. */
export function spawnEvie(home: string, words: readonly string[], env: Environment = {}) {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env["PATH"], HOME: home, EVIE_HOME: join(home, "evie"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => written.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => written.push(chunk));
  const exited = once(child, "close").then(() => child.exitCode);
  return { child, exited, output: () => Buffer.concat(written).toString("utf8") };
}

/** Starts the playground and waits for its link. `await using` ends it. */
export async function startPlaygroundProcess(
  words: readonly string[] = [],
  env: Environment = {},
): Promise<RunningPlayground & AsyncDisposable> {
  const home = await mkdtemp(join(tmpdir(), "evie-playground-"));
  const { child, exited, output } = spawnEvie(home, ["playground", ...words], env);
  const link = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const found = /http:\/\/\S+#key=\S+/.exec(output())?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", look);
    const failed = (why: string): void => reject(new Error(`${why}:\n${output()}`));
    AbortSignal.timeout(PATIENCE_MS).addEventListener("abort", () => failed("there is no link"));
    void exited.then(() => failed("the playground ended"));
  });
  return {
    link,
    port: Number(new URL(link).port),
    home,
    process: child,
    output,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
