import process from "node:process";
import { benchAttach } from "./attach.ts";
import { benchCapacity } from "./capacity.ts";
import { benchDeck } from "./deck.ts";
import { benchFootprint } from "./footprint.ts";
import { benchLatency } from "./latency.ts";
import { benchRendering } from "./rendering.ts";
import { benchStreaming } from "./streaming.ts";
import type { BenchRow } from "./row.ts";

/*
 * Measures what evie promises as a number and prints it as a table. One figure of a busy machine says little: run it
 * on a quiet one, more than once. `npm run bench -- latency` runs one of them.
 */
const benches: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  latency: benchLatency,
  footprint: benchFootprint,
  capacity: benchCapacity,
  attach: benchAttach,
  deck: benchDeck,
  rendering: benchRendering,
  streaming: benchStreaming,
};

const wanted = process.argv.slice(2);
const rows: BenchRow[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`measuring ${name} …`);
  rows.push(...(await bench()));
}
console.table(
  rows.map(({ name, value, limit, ok }) => ({
    what: name,
    measured: value,
    limit,
    "": ok ? "ok" : "MISSED",
  })),
);
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
