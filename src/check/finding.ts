/** What one look has found. */
export interface Finding {
  /** What was looked at, in one word. */
  readonly about: string;
  /** `unknown` when it could not be looked at because of another problem. */
  readonly state: "ok" | "problem" | "unknown";
  /** How it is, or what to do; one line. */
  readonly words: string;
}

export function ok(about: string, words: string): Finding {
  return { about, state: "ok", words };
}

export function problem(about: string, words: string): Finding {
  return { about, state: "problem", words };
}

export function unknown(about: string, words: string): Finding {
  return { about, state: "unknown", words };
}

const MARKS = { ok: "ok", problem: "!!", unknown: "--" } as const;

/** Colours a mark, where there are eyes for it. */
export type Paint = (colour: "green" | "red" | "yellow", text: string) => string;

const COLOURS = { ok: "green", problem: "red", unknown: "yellow" } as const;

/** `ok  agent      pi starts and asks stand-in-1.` Words from outside may hold line ends; here they stay one line. */
export function findingLine({ about, state, words }: Finding, paint: Paint): string {
  const line = words.replace(/[\p{Cc}\s]+/gu, " ").trim();
  return `${paint(COLOURS[state], MARKS[state])}  ${about.padEnd(9)}  ${line}`;
}

/** The last line: whether all is well. */
export function summaryLine(findings: readonly Finding[]): string {
  const problems = findings.filter(({ state }) => state === "problem").length;
  if (problems === 0) return "All is well.";
  return problems === 1 ? "One thing is to be put right." : `${problems} things are to be put right.`;
}
