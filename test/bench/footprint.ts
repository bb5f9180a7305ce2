import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startEvie } from "../running-evie.ts";
import type { BenchRow } from "./row.ts";

const STARTS = 5;
/** Milliseconds from the start of the process to its first poll. */
const SLOWEST_START = 1_000;
/** Megabytes of 1,000,000 bytes that evie may keep in memory when nothing happens. */
const LARGEST_IDLE = 120;
/** Milliseconds of quiet before memory is read. */
const QUIET = 3_000;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * How long evie takes to be ready, and what it keeps in memory then, without any agent: bundled, as it is installed,
 * which the limits are for; and from its source, where Node keeps its TypeScript stripper in memory as well.
 */
export async function benchFootprint(): Promise<readonly BenchRow[]> {
  // Beside the source: it reads its version from the package.json above it.
  const dist = await mkdtemp(join(ROOT, "dist-bench-"));
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, "src/prebuild.ts"), dist]);
    return [
      ...(await measure("installed", join(dist, "launcher.js"), true)),
      ...(await measure("from source", join(ROOT, "src/main.ts"), false)),
    ];
  } finally {
    await rm(dist, { recursive: true, force: true });
  }
}

async function measure(which: string, main: string, limited: boolean): Promise<readonly BenchRow[]> {
  const starts: number[] = [];
  let size = 0;
  for (let run = 0; run < STARTS; run += 1) {
    const begun = performance.now();
    // With the HTTP face, as people have it.
    await using evie = await startEvie({ main, env: { LOG_LEVEL: "warn", EVIE_HTTP_PORT: "" } });
    const [poll] = evie.api.callsOf("getUpdates");
    starts.push((poll?.at ?? Number.NaN) - begun);
    if (run > 0) continue;
    await sleep(QUIET);
    size = await residentMegabytes(evie.process.pid ?? 0);
  }
  const slowest = Math.max(...starts);
  return [
    {
      name: `start of the process → ready for updates, ${which}`,
      value: `slowest of ${STARTS}: ${slowest.toFixed(0)} ms`,
      limit: `at most ${SLOWEST_START} ms`,
      ok: slowest <= SLOWEST_START,
    },
    {
      name: `resident memory of an idle evie, ${which}`,
      value: `${size.toFixed(0)} MB`,
      limit: limited ? `at most ${LARGEST_IDLE} MB` : "-",
      ok: !limited || size <= LARGEST_IDLE,
    },
  ];
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
  return (kilobytes * 1_024) / 1_000_000;
}
