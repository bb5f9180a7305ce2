import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { startEvie } from "../running-evie.ts";
import type { BenchRow } from "./row.ts";

const STARTS = 5;
/** Milliseconds from the start of the process to its first poll. */
const SLOWEST_START = 1_000;
/** Megabytes of 1,000,000 bytes that evie may keep in memory when nothing happens. */
const LARGEST_IDLE = 120;
/** Milliseconds of quiet before memory is read. */
const QUIET = 3_000;

/** How long evie takes to be ready, and what it keeps in memory then, without any agent. */
export async function benchFootprint(): Promise<readonly BenchRow[]> {
  const starts: number[] = [];
  const sizes: number[] = [];
  for (let run = 0; run < STARTS; run += 1) {
    const begun = performance.now();
    await using evie = await startEvie({ env: { LOG_LEVEL: "warn" } });
    const [poll] = evie.api.callsOf("getUpdates");
    starts.push((poll?.at ?? Number.NaN) - begun);
    if (run > 0) continue;
    await sleep(QUIET);
    sizes.push(await residentMegabytes(evie.process.pid ?? 0));
  }
  const slowest = Math.max(...starts);
  const largest = Math.max(...sizes);
  return [
    {
      name: "start of the process → ready for updates",
      value: `slowest of ${STARTS}: ${slowest.toFixed(0)} ms`,
      limit: `at most ${SLOWEST_START} ms`,
      ok: slowest <= SLOWEST_START,
    },
    {
      name: "resident memory of an idle evie",
      value: `${largest.toFixed(0)} MB`,
      limit: `at most ${LARGEST_IDLE} MB`,
      ok: largest <= LARGEST_IDLE,
    },
  ];
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
  return (kilobytes * 1_024) / 1_000_000;
}
