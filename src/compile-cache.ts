import { mkdirSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/**
 * Lets Node keep the compiled code of this program between its starts, in a folder of the person's own: Node's default
 * lies in the folder for temporary files, where somebody else could put code of theirs. `NODE_COMPILE_CACHE` names
 * another folder. Without a folder that can be written, each start compiles anew.
 */
export function keepCompiledCode(): void {
  const { NODE_COMPILE_CACHE: chosen, XDG_CACHE_HOME: caches } = process.env;
  const folder = chosen ?? join(caches ?? join(homedir(), ".cache"), "evie");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    module.enableCompileCache(folder);
  } catch {
    // It saves milliseconds. Nothing else depends on it.
  }
}
