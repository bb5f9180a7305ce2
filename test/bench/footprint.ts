import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startEvie } from "../running-evie.ts";
import type { BenchRow } from "./row.ts";

const STARTS = 7;
/** Milliseconds from the start of the process to its first poll, and megabytes of 1,000,000 bytes when nothing happens. */
const INSTALLED = { start: 200, idle: 80 };
const FROM_SOURCE = { start: 1_000, idle: undefined };
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
      ...(await measure("installed", join(dist, "launcher.js"), INSTALLED)),
      ...(await measure("from source", join(ROOT, "src/main.ts"), FROM_SOURCE)),
    ];
  } finally {
    await rm(dist, { recursive: true, force: true });
  }
}

async function measure(
  which: string,
  main: string,
  limits: { readonly start: number; readonly idle: number | undefined },
): Promise<readonly BenchRow[]> {
  const starts: number[] = [];
  let size = 0;
  // One for all starts, as a person has it: the first fills it.
  const cache = await mkdtemp(join(tmpdir(), "evie-bench-cache-"));
  for (let run = 0; run <= STARTS; run += 1) {
    const begun = performance.now();
    // With the HTTP face, as people have it.
    const env = { LOG_LEVEL: "warn", EVIE_HTTP_PORT: "", XDG_CACHE_HOME: cache };
    await using evie = await startEvie({ main, env });
    const [poll] = evie.api.callsOf("getUpdates");
    if (run > 0) starts.push((poll?.at ?? Number.NaN) - begun);
    if (run !== 1) continue;
    await sleep(QUIET);
    size = await residentMegabytes(evie.process.pid ?? 0);
  }
  await rm(cache, { recursive: true, force: true });
  const median = starts.toSorted((one, other) => one - other)[Math.floor(STARTS / 2)] ?? Number.NaN;
  return [
    {
      name: `start of the process → ready for updates, ${which}`,
      value: `median of ${STARTS}: ${median.toFixed(0)} ms`,
      limit: `at most ${limits.start} ms`,
      ok: median <= limits.start,
    },
    {
      name: `resident memory of an idle evie, ${which}`,
      value: `${size.toFixed(0)} MB`,
      limit: limits.idle === undefined ? "-" : `at most ${limits.idle} MB`,
      ok: limits.idle === undefined || size <= limits.idle,
    },
  ];
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
  return (kilobytes * 1_024) / 1_000_000;
}
