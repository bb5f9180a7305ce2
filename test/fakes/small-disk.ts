import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** A disk of its own, in memory, that can be filled and mounted for reading only. */
export interface SmallDisk extends Disposable {
  readonly folder: string;
  /** Mounts it for reading only, or for writing again. */
  lock(isLocked: boolean): void;
}

/** Mounts a disk of so many kB. Throws where the system lets nobody mount: ask `canMount` first. */
export function mountSmallDisk(kilobytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "evie-disk-"));
  mount("-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder);
  return {
    folder,
    lock: (isLocked) => mount("-o", `remount,${isLocked ? "ro" : "rw"}`, folder),
    [Symbol.dispose]() {
      // Lazily: a process that was just killed may hold a file for a moment.
      execFileSync("umount", ["-l", folder], { stdio: "ignore" });
      rmSync(folder, { recursive: true });
    },
  };
}

/** Tells whether this user may mount a disk. */
export function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    mountSmallDisk(64)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

function mount(...args: readonly string[]): void {
  execFileSync("mount", args, { stdio: "ignore" });
}
