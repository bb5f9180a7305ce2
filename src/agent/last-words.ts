import { stripVTControlCharacters } from "node:util";
import { clip } from "../domain/text.ts";
import { hideKeys } from "./hide-keys.ts";

/** What stands around the sentence that matters: the frames of a crash of Node, and the names of files to read. */
const AROUND_IT = /^(?:at |Node\.js v\d|[{}^~]+$|\w+: .*,$|\[cause\]:|[\\/]\S+$)/;

const LONGEST = 500;

/**
 * Returns the last line of a program's stderr that says something: without colours, control characters and keys, those in
 * its environment among them, and of at most 500 characters. Of a crash of Node it is the error's own line. Undefined
 * when there is none.
 */
export function lastWords(stderr: string, env: Readonly<Record<string, string>>): string | undefined {
  const lines = stripVTControlCharacters(stderr)
    .split(/[\r\n]+/)
    .map((line) => line.replace(/[\p{Cc}\s]+/gu, " ").trim())
    .filter((line) => line !== "");
  const crashed = lines.at(-1)?.startsWith("Node.js v") === true;
  const line =
    (crashed ? lines.findLast((each) => /^(?:Uncaught )?\w*Error\b/.test(each)) : undefined) ??
    lines.findLast((each) => !AROUND_IT.test(each)) ??
    lines.at(-1);
  return line === undefined ? undefined : clip(hideKeys(line, env), LONGEST).toWellFormed();
}
