import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

/**
 * The token in the file at `path`, which is made, for its owner alone, when it is not there or holds none. Throws when
 * it can be neither read nor written.
 */
export function keepToken(path: string): string {
  const kept = readKept(path);
  if (kept !== undefined) {
    chmodSync(path, 0o600);
    return kept;
  }
  const token = randomBytes(32).toString("base64url");
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return token;
}

function readKept(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8").trim();
    return /^[\w-]{32,}$/.test(text) ? text : undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
