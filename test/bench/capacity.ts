import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fillStore } from "../fill-store.ts";
import { FAKE_AGENT, type RunningEvie, startEvie } from "../running-evie.ts";
import type { BenchRow } from "./row.ts";

const SESSIONS = 1_000;
/** Messages of each, and characters of a message: as much as a session shows to whoever attaches. */
const MESSAGES = 200;
const MESSAGE = 2_400;
/** Milliseconds from the start of the process to its first poll. */
const SLOWEST_START = 1_000;
/** Megabytes of 1,000,000 bytes. */
const LARGEST_IDLE = 130;
const LARGEST_RISE = 30;

const CHATS = 50;
/** Prompts of each chat, one after the other. */
const ROUNDS = 3;
const FIRST_CHAT = 100_001;
/** What each of them has its agent do: a tool that prints a lot, then a long answer. */
const BUSY = { tool: { output: 50_000 }, deltas: 1_000, overMs: 8_000 };
/** Milliseconds of quiet before idle memory is read, and after the last answer until it must have fallen. */
const QUIET = 3_000;
const CALM = 60_000;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What many sessions cost that rest, and what many chats leave behind that were busy: bundled, as evie is installed. */
export async function benchCapacity(): Promise<readonly BenchRow[]> {
  // Beside the source: it reads its version from the package.json above it.
  const dist = await mkdtemp(join(ROOT, "dist-bench-"));
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, "src/prebuild.ts"), dist]);
    const main = join(dist, "launcher.js");
    return [...(await measureResting(main)), await measureBusy(main)];
  } finally {
    await rm(dist, { recursive: true, force: true });
  }
}

async function measureResting(main: string): Promise<readonly BenchRow[]> {
  let begun = 0;
  await using evie = await startEvie({
    main,
    env: { LOG_LEVEL: "warn", EVIE_HTTP_PORT: "" },
    prepare: async (folder) => {
      await fillStore(join(folder, "home"), join(folder, "workspace"), {
        sessions: SESSIONS,
        messages: MESSAGES,
        length: MESSAGE,
        firstChat: FIRST_CHAT,
      });
      begun = performance.now();
      return {};
    },
  });
  const [poll] = evie.api.callsOf("getUpdates");
  const start = (poll?.at ?? Number.NaN) - begun;
  await sleep(QUIET);
  const size = await residentMegabytes(evie);
  return [
    {
      name: `start of the process → ready for updates, with ${SESSIONS} full chats`,
      value: `${start.toFixed(0)} ms`,
      limit: `at most ${SLOWEST_START} ms`,
      ok: start <= SLOWEST_START,
    },
    {
      name: `resident memory of an idle evie with ${SESSIONS} full chats`,
      value: `${size.toFixed(0)} MB`,
      limit: `at most ${LARGEST_IDLE} MB`,
      ok: size <= LARGEST_IDLE,
    },
  ];
}

async function measureBusy(main: string): Promise<BenchRow> {
  const ids = Array.from({ length: CHATS }, (_, index) => FIRST_CHAT + index);
  await using evie = await startEvie({
    main,
    env: {
      LOG_LEVEL: "warn",
      EVIE_HTTP_PORT: "",
      EVIE_MAX_AGENTS: `${CHATS}`,
      EVIE_ALLOWED_USERS: ids.join(","),
      EVIE_AGENT_COMMAND: `"${process.execPath}" "${FAKE_AGENT}"`,
    },
  });
  await sleep(QUIET);
  const before = await residentMegabytes(evie);
  let highest = before;
  const watching = new AbortController();
  void watch();
  await Promise.all(ids.map((id) => converse(evie, id)));
  watching.abort();
  await sleep(CALM);
  const after = await residentMegabytes(evie);
  return {
    name: `resident memory a minute after ${CHATS} chats were busy`,
    value: `${after.toFixed(0)} MB (idle ${before.toFixed(0)} MB, at most ${highest.toFixed(0)} MB)`,
    limit: `idle + ${LARGEST_RISE} MB`,
    ok: after <= before + LARGEST_RISE,
  };

  async function watch(): Promise<void> {
    while (!watching.signal.aborted) {
      highest = Math.max(highest, await residentMegabytes(evie));
      await sleep(500, undefined, { signal: watching.signal }).catch(() => undefined);
    }
  }
}

/** Asks one thing after the other, each when the answer before it is whole. */
async function converse({ api }: RunningEvie, id: number): Promise<void> {
  const person = api.person({ id, first_name: `Chat ${id}` });
  const whole = (): number =>
    api.chat(id).botMessages.filter(({ text }) => text.includes(`w${BUSY.deltas}`)).length;
  for (let round = 1; round <= ROUNDS; round += 1) {
    await person.say(`go FAKE${JSON.stringify(BUSY)}`);
    await api.until(() => whole() >= round, { what: `answer ${round} of chat ${id}`, timeoutMs: 300_000 });
  }
}

async function residentMegabytes(evie: RunningEvie): Promise<number> {
  const status = await readFile(`/proc/${evie.process.pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
  return (kilobytes * 1_024) / 1_000_000;
}
