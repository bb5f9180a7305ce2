import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

/** Why a folder cannot be written: the system's code for it, and its error. */
export interface Obstacle {
  readonly code: string;
  readonly cause: Error;
}

/** Linux's numbers for /proc and /sys, whose folders root may write by their modes, and which take no files. */
const TAKES_NO_FILES = new Set([0x9fa0, 0x62656572]);

/**
 * Tells why new files cannot be made in `folder`; undefined when they can. Changes nothing, not even for a moment: the
 * system is asked, which knows of disks that are mounted for reading, too.
 */
export function whyNotWritable(folder: string): Obstacle | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (process.platform === "linux" && TAKES_NO_FILES.has(statfsSync(folder).type))
      throw Object.assign(new Error(`the system takes no files there, '${folder}'`), { code: "EPERM" });
    return undefined;
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    const code: unknown = Reflect.get(cause, "code");
    return { code: typeof code === "string" ? code : cause.message, cause };
  }
}

/** Returns the folder in which `path` would be made: the nearest one above it that is there. */
export function nearestFolder(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? above : nearestFolder(above);
}
