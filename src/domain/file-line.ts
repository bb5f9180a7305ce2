import type { PromptFile } from "./prompt.ts";

/** The line that tells the agent of a file. `whose` and `remark` are clauses for it: " of the message replied to". */
export function fileLine({ name, size, path }: PromptFile, remark?: string, whose = ""): string {
  const why = remark === undefined ? "" : `, ${remark}`;
  return `[File ${quoteName(name)}${whose} (${formatBytes(size)}${why}) is at ${path}]`;
}

/** Names come from strangers: as a JSON string one stays on its line and shows what would be invisible. */
export function quoteName(name: string): string {
  return JSON.stringify(name).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `12 kB`, in units of a thousand, as file browsers and Telegram show sizes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = -1;
  do {
    value /= 1_000;
    unit += 1;
  } while (value >= 999.5 && unit < units.length - 1);
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
