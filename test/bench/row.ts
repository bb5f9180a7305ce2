/** One line of a benchmark's report. */
export interface BenchRow {
  readonly name: string;
  /** What was measured, with its unit. */
  readonly value: string;
  /** What it is held to, or a dash. */
  readonly limit: string;
  readonly ok: boolean;
}
