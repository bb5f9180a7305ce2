import { appendFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import process from "node:process";

/** Writes one record to stdout. */
export function say(record: object): void {
  process.stdout.write(`${JSON.stringify(record)}\n`);
}

export function respond(
  id: unknown,
  command: string,
  answer: { readonly data?: object; readonly error?: string },
): void {
  say({ id, type: "response", command, success: answer.error === undefined, ...answer });
}

/** Adds a line to the record of this agent, if one is kept. */
export function note(event: string, fields: object = {}): void {
  const file = process.env["FAKE_AGENT_LOG"];
  if (file === undefined) return;
  const at = performance.timeOrigin + performance.now();
  appendFileSync(file, `${JSON.stringify({ at, pid: process.pid, event, ...fields })}\n`);
}

/** Calls `onLine` for each line of stdin. */
export function readLines(onLine: (line: string) => void): void {
  let pieces: string[] = [];
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk: string) => {
    const [head = "", ...rest] = chunk.split("\n");
    pieces.push(head);
    for (const part of rest) {
      const line = pieces.join("");
      pieces = [part];
      if (line !== "") onLine(line);
    }
  });
}
