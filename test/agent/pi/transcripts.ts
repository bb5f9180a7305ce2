import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../fixtures/pi/", import.meta.url));

/** A conversation with pi as it was recorded: what went in, and what came out, line by line. */
export interface Transcript {
  readonly name: string;
  readonly entries: readonly {
    readonly dir: "in" | "out" | "err" | "exit" | "note";
    readonly rec: Readonly<Record<string, unknown>>;
  }[];
}

export const transcripts: readonly Transcript[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => ({
    name: file.replace(".jsonl", ""),
    entries: readFileSync(`${FOLDER}${file}`, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Transcript["entries"][number]),
  }));
