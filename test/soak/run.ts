import { randomBytes } from "node:crypto";
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fillStore } from "../fill-store.ts";
import { freePort } from "../running-evie.ts";
import { descendantsOf } from "../../src/agent/process-tree.ts";
import type { AgentNote, TelegramFacts } from "./facts.ts";
import { judge } from "./judge.ts";
import { judgeMemory } from "./memory.ts";
import { chatIds, type SoakOptions } from "./plan.ts";
import { createRandom } from "./random.ts";
import { readSlowly } from "./slow-readers.ts";
import { STRANGERS_WORDS } from "./strangers.ts";

/*
 * Lets many people write to one evie for minutes while everything around it fails, strangers write, programs read slowly
 * and a thousand sessions rest, and counts what became of it:
 *
 *   npm run soak -- [--seconds 180] [--chats 50] [--messages 3000] [--seed 1]
 *
 * Ends with 1 when a promise was broken, and then keeps the folder with what evie wrote.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "180" },
    chats: { type: "string", default: "50" },
    messages: { type: "string", default: "3000" },
    seed: { type: "string", default: "1" },
  },
});
const options: SoakOptions = {
  seed: Number(values.seed),
  chats: Number(values.chats),
  messages: Number(values.messages),
  seconds: Number(values.seconds),
};
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const random = createRandom(options.seed + 1);
/** Sessions of chats that say nothing meanwhile. */
const RESTING = { sessions: 1_000, messages: 20, length: 500, firstChat: 200_001 };
const SLOW_READERS = 20;
const folder = await mkdtemp(join(tmpdir(), "evie-soak-"));
const agentLog = join(folder, "agents.jsonl");

print(
  `Soaking ${options.chats} chats with ${options.messages} messages for ${options.seconds} s, seed ${options.seed}.`,
);

const telegram = fork(here("telegram.ts"), [JSON.stringify(options)]);
const place = await tell<{ root: string; token: string }>(telegram);
const token = randomBytes(32).toString("base64url");
const port = await freePort();
await fillStore(join(folder, "home"), folder, RESTING);
const evie = await startEvie(place);
const exited = once(evie, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
const watching = new AbortController();
const memory = watchMemory(evie, watching.signal);
const killed = killAgents(evie, watching.signal);
const readers = readSlowly({
  base: `http://127.0.0.1:${port}`,
  token,
  count: SLOW_READERS,
  random: createRandom(options.seed + 3),
  ended: watching.signal,
});
void exited.then(() => watching.abort());
// However this ends, an evie that goes on would be left to whoever finds it.
process.once("exit", () => evie.kill("SIGKILL"));

telegram.send("go");
const facts = await tell<TelegramFacts>(telegram);
telegram.send("read");
const died = watching.signal.aborted;
watching.abort();
evie.kill("SIGTERM");
const before = performance.now();
const [code] = await exited;
const stopMs = performance.now() - before;
await sleep(1_500);

const notes = (await readFile(agentLog, "utf8"))
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as AgentNote);
const { counts, broken: promises } = judge(facts, notes);
const { row: memoryRow, broken: memoryPromises } = judgeMemory(await memory);
const orphans = processesOf(folder);
const log = await readFile(join(folder, "evie.log"), "utf8");
const faults = faultLines(log);
const { opened, cutOff } = await readers;
const kept = [log, ...["evie.db", "evie.db-wal"].map((name) => read(join(folder, "home", name)))];
const broken = [
  ...promises,
  ...memoryPromises,
  ...(died ? ["evie ended by itself"] : []),
  ...(code === 0 ? [] : [`evie's exit code is ${code}`]),
  ...(stopMs <= 5_500 ? [] : [`evie took ${Math.round(stopMs)} ms to stop`]),
  ...(kept.some((text) => text.includes(STRANGERS_WORDS)) ? ["words of a stranger were kept"] : []),
  ...orphans.map((pid) => `process ${pid} was left behind`),
  ...faults.map((line) => `a fault of evie's own: ${line}`),
];

const rows: readonly (readonly [string, string])[] = [
  ...Object.entries(counts).map(([name, count]) => [name, `${count}`] as const),
  [
    "answers of the Bot API",
    Object.entries(facts.answers)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", "),
  ],
  ["agents killed from outside", `${await killed}`],
  ["agents started", `${notes.filter(({ event }) => event === "start").length}`],
  ["slow readers", `${opened} attached, ${cutOff} cut off`],
  ["memory of evie", memoryRow],
  ["processes left behind", `${orphans.length}`],
  ["stop", `exit code ${code} after ${Math.round(stopMs)} ms`],
  ["faults in evie's log", `${faults.length}`],
  ["promises broken", `${broken.length}`],
];
print(`\n${rows.map(([name, value]) => `${name.padEnd(32)}${value}`).join("\n")}`);
for (const each of facts.refusals.slice(0, 10)) print(`  refused: ${each}`);
for (const each of facts.violations.slice(0, 10)) print(`  into a rest: ${each}`);
for (const each of broken.slice(0, 40)) print(`  ${each}`);
await writeFile(join(folder, "facts.json"), JSON.stringify(facts, undefined, 1));
if (broken.length === 0) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
else print(`What evie wrote is in ${folder}.`);
process.exitCode = broken.length === 0 ? 0 : 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function startEvie({ root, token: botToken }: { root: string; token: string }): Promise<ChildProcess> {
  const workspace = join(folder, "workspace");
  await mkdir(workspace);
  const child = spawn(process.execPath, [here("../../src/main.ts")], {
    cwd: workspace,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      TELEGRAM_BOT_TOKEN: botToken,
      TELEGRAM_API_ROOT: root,
      EVIE_ALLOWED_USERS: chatIds(options).join(","),
      EVIE_HOME: join(folder, "home"),
      EVIE_HTTP_PORT: `${port}`,
      EVIE_HTTP_TOKEN: token,
      EVIE_AGENT_COMMAND: `'${process.execPath}' '${here("../fakes/fake-agent.ts")}'`,
      FAKE_AGENT_LOG: agentLog,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const logFile = createWriteStream(join(folder, "evie.log"));
  child.stdout.pipe(logFile, { end: false });
  child.stderr.pipe(logFile, { end: false });
  return child;
}

async function tell<Message>(of: ChildProcess): Promise<Message> {
  const ended = once(of, "exit").then(() => {
    throw new Error("the embedded Bot API has ended");
  });
  const [message] = (await Promise.race([once(of, "message"), ended])) as [Message];
  ended.catch(() => undefined);
  return message;
}

/** The resident memory of evie alone, in bytes, once a second. */
async function watchMemory({ pid }: ChildProcess, ended: AbortSignal): Promise<readonly number[]> {
  const samples: number[] = [];
  while (!ended.aborted) {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1];
    if (kilobytes !== undefined) samples.push(Number(kilobytes) * 1_024);
    await sleep(1_000, undefined, { signal: ended }).catch(() => undefined);
  }
  return samples;
}

/** Kills an agent now and then, as a machine without memory would; gives how many. */
async function killAgents({ pid = 0 }: ChildProcess, ended: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    await sleep(random.between(800, 2_500), undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return count;
    const agents = (descendantsOf(pid) ?? []).filter(({ parent }) => parent === pid);
    if (agents.length === 0) continue;
    try {
      process.kill(random.pick(agents).pid, "SIGKILL");
      count += 1;
    } catch {
      // It ended by itself.
    }
  }
}

/** The processes that still hold the folder in their environment: evie's agents, their tools, and evie itself. */
function processesOf(of: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`).includes(of));
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** What evie calls its own fault, apart from what it says again. */
function faultLines(log: string): readonly string[] {
  return [
    ...new Set(
      log
        .split("\n")
        .filter((line) => /"level":"(?:error|fatal)"/.test(line))
        .map((line) => line.slice(0, 600)),
    ),
  ];
}
