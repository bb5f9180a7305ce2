/** How much more the last third may hold than the middle one. */
const GROWTH = 1.1;

/** Judges samples of memory, in bytes: after the first third, in which everything is used for the first time, it must be flat. */
export function judgeMemory(samples: readonly number[]): {
  readonly row: string;
  readonly broken: readonly string[];
} {
  const third = Math.floor(samples.length / 3);
  const [first, middle, last] = [0, 1, 2].map((part) =>
    median(samples.slice(part * third, (part + 1) * third)),
  );
  const row = [first, middle, last].map((bytes) => `${Math.round((bytes ?? 0) / 1e6)} MB`).join(", ");
  const grew = (last ?? 0) > (middle ?? 0) * GROWTH;
  return { row: `${row} (medians of its thirds)`, broken: grew ? [`evie's memory grows: ${row}`] : [] };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
