import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { realClock } from "../src/clock.ts";
import type { BotApi, BotApiOptions, Call, ShownMessage } from "../src/playground/bot-api/bot-api.ts";
import type { Person } from "../src/playground/bot-api/person.ts";
import { startBotApi } from "../src/playground/bot-api/start.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
export const FAKE_AGENT = fileURLToPath(new URL("fakes/fake-agent.ts", import.meta.url));

/** A port that nobody has at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The ids of those who are allowed; each visitor is the next. */
const FIRST_ALLOWED = 4_711;
const ALLOWED = Array.from({ length: 40 }, (_, index) => FIRST_ALLOWED + index);

/** A person who is allowed, in a private chat with evie that nobody else uses. */
export interface Visitor extends Person {
  /** What the chat shows of evie at the moment: the texts of its messages. */
  said(): readonly string[];
  /** Waits for a message of evie's that `matches`; gives it. */
  hears(matches: (message: ShownMessage) => boolean, what: string, timeoutMs?: number): Promise<ShownMessage>;
  /** The calls that spoke or changed something in this chat, in order. */
  calls(): readonly Call[];
}

export interface RunningEvie {
  readonly api: BotApi;
  /** Somebody new who is allowed. */
  visitor(): Visitor;
  /** A folder of this test's own; evie's home and workspace are in it. */
  readonly folder: string;
  readonly home: string;
  readonly workspace: string;
  readonly process: ChildProcess;
  /** Everything that evie wrote on stdout and stderr so far. */
  output(): string;
  /** What it wrote on stdout alone. */
  stdout(): string;
  /** Waits until what it wrote satisfies `matches`. */
  wrote(matches: (output: string) => boolean, what: string): Promise<void>;
  /** Asks evie to end, and gives its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface EvieOptions {
  /** The file that node starts. Default: evie's source. */
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly api?: Partial<BotApiOptions>;
  /** Called when the folder is there and evie is not yet: for what must lie in it. */
  readonly prepare?: (folder: string) => Promise<Readonly<Record<string, string>>>;
  /** Starts it in a terminal, whose own program is `process` then. */
  readonly inTerminal?: boolean;
  /** Whether to wait until evie polls. */
  readonly awaitReady?: boolean;
}

/** Starts the real evie, as a process of its own, on an embedded Bot API of its own. `await using` ends both. */
export async function startEvie(options: EvieOptions = {}): Promise<RunningEvie & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "evie-test-"));
  const home = join(folder, "home");
  const workspace = join(folder, "workspace");
  await mkdir(workspace);
  const prepared = (await options.prepare?.(folder)) ?? {};
  const api = await startBotApi({ clock: realClock, ...options.api });
  const free = [...ALLOWED];

  const main = options.main ?? MAIN;
  const [file, ...args] =
    options.inTerminal === true
      ? ["script", "--quiet", "--command", `exec '${process.execPath}' '${main}'`, "/dev/null"]
      : [process.execPath, main];
  const child = spawn(file, args, {
    cwd: workspace,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      TELEGRAM_BOT_TOKEN: api.token,
      TELEGRAM_API_ROOT: api.root,
      EVIE_ALLOWED_USERS: ALLOWED.join(","),
      EVIE_HOME: home,
      // Off unless a test is about it: all of them would want the same port.
      EVIE_HTTP_PORT: "0",
      LOG_LEVEL: "debug",
      ...prepared,
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written: Buffer[] = [];
  const onStdout: Buffer[] = [];
  const writing = new EventEmitter();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      written.push(chunk);
      if (stream === child.stdout) onStdout.push(chunk);
      writing.emit("more");
    });
  }
  const exited = once(child, "exit") as Promise<[number | null]>;
  const output = (): string => Buffer.concat(written).toString("utf8");

  async function stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    child.kill(signal);
    const [code] = await exited;
    return code;
  }

  function visitor(): Visitor {
    const id = free.shift() ?? raise("more visitors than are allowed");
    const person = api.person({ id, first_name: `Visitor ${id}` });
    const said = (): readonly string[] => api.chat(id).botMessages.map((message) => message.text);
    return {
      ...person,
      said,
      hears: (matches, what, timeoutMs = 15_000) =>
        api
          .until(() => api.chat(id).botMessages.find(matches), { what, timeoutMs })
          .catch((error: unknown) =>
            raise(`${String(error)}\nThe chat: ${JSON.stringify(said())}\nThe log:\n${output()}`),
          ),
      calls: () =>
        api.calls.filter(
          ({ method, chatId }) => chatId === id && /^(send(?!ChatAction)|edit|delete)/i.test(method),
        ),
    };
  }

  const evie: RunningEvie & AsyncDisposable = {
    api,
    visitor,
    folder,
    home,
    workspace,
    process: child,
    output,
    stdout: () => Buffer.concat(onStdout).toString("utf8"),
    async wrote(matches, what) {
      const signal = AbortSignal.timeout(15_000);
      while (!matches(output())) {
        await once(writing, "more", { signal }).catch(() =>
          raise(`Waited in vain for ${what}:\n${output()}`),
        );
      }
    },
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop();
      await api.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  if (options.awaitReady ?? true) await ready().catch(fail);
  return evie;

  /** Nobody ends what nobody was given. */
  async function fail(error: unknown): Promise<never> {
    child.kill("SIGKILL");
    await evie[Symbol.asyncDispose]();
    throw error;
  }

  async function ready(): Promise<void> {
    await Promise.race([
      api
        .until(() => api.callsOf("getUpdates").length > 0, { what: "evie's first poll", timeoutMs: 15_000 })
        .catch((error: unknown) => Promise.reject(new Error(`${String(error)}\n${output()}`))),
      exited.then(() => Promise.reject(new Error(`evie ended at once:\n${output()}`))),
    ]);
  }
}

function raise(message: string): never {
  throw new Error(message);
}
