import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Who owns the bot, as far as the file beside the database tells. `unknown`: somebody may, and nobody knows who. */
export type KeptOwner =
  { readonly type: "nobody" | "unknown" } | { readonly type: "owner"; readonly userId: number };

/** Keeps beside the database who owns the bot, for the day on which the database cannot be read. */
export interface OwnerFile {
  /** Returns what is kept; undefined where there is no file, or one that cannot be read. */
  read(): KeptOwner | undefined;
  /** Durable when it returns. Throws when the file cannot be written; what was there before is there still. */
  write(kept: KeptOwner): void;
}

export function createOwnerFile(path: string): OwnerFile {
  return {
    read() {
      try {
        return parse(readFileSync(path, "utf8"));
      } catch {
        return undefined;
      }
    },
    write(kept) {
      const owner = kept.type === "owner" ? kept.userId : kept.type === "nobody" ? null : "unknown";
      const beside = `${path}.new`;
      // One that was left would keep its mode.
      rmSync(beside, { force: true });
      const file = openSync(beside, "wx", 0o600);
      try {
        writeSync(file, `${JSON.stringify({ owner })}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(beside, path);
      // The name as well: after a power cut the file would be the old one.
      const folder = openSync(dirname(path), "r");
      try {
        fsyncSync(folder);
      } finally {
        closeSync(folder);
      }
    },
  };
}

function parse(text: string): KeptOwner | undefined {
  const [, owner] = /^\{"owner":(\d{1,16}|null|"unknown")\}\s*$/.exec(text) ?? [];
  if (owner === undefined) return undefined;
  if (owner === "null") return { type: "nobody" };
  return owner === '"unknown"' ? { type: "unknown" } : { type: "owner", userId: Number(owner) };
}
