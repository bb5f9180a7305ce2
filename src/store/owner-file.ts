import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Who owns the bot, as far as the file beside the database tells. `unknown`: somebody may, and nobody knows who. */
export type KeptOwner =
  { readonly type: "nobody" | "unknown" } | { readonly type: "owner"; readonly userId: number };

/** Keeps beside the database who owns the bot, for the day on which the database cannot be read. */
export interface OwnerFile {
  /** Returns what is kept; undefined where there is no file. A file that cannot be read is `unknown`. */
  read(): KeptOwner | undefined;
  /** Durable when it returns. Throws when the file cannot be written; what was there before is there still. */
  write(kept: KeptOwner): void;
}

export function createOwnerFile(path: string): OwnerFile {
  return {
    read() {
      let text: string;
      try {
        text = readFileSync(path, "utf8");
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        return { type: "unknown" };
      }
      return parse(text);
    },
    write(kept) {
      const owner = kept.type === "owner" ? kept.userId : kept.type === "nobody" ? null : "unknown";
      const beside = `${path}.new`;
      const file = openSync(beside, "w", 0o600);
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

function parse(text: string): KeptOwner {
  const owner = /^\{"owner":(?:(\d{1,16})|(null))\}\s*$/.exec(text);
  if (owner === null) return { type: "unknown" };
  const [, userId] = owner;
  return userId === undefined ? { type: "nobody" } : { type: "owner", userId: Number(userId) };
}
