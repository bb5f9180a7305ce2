import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Lists a folder and every path below it, with its mode, its size and the time of its last change. */
export function listing(folder: string): readonly string[] {
  return ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].toSorted().map((name) => {
    const { mode, mtimeMs, size } = lstatSync(join(folder, name));
    return [name, mode.toString(8), size, mtimeMs].join(" ");
  });
}
