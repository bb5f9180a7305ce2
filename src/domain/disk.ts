/** What keeps a disk from taking more: no room, none for this user, or it is mounted for reading only. */
export type DiskTrouble = "full" | "quota" | "read-only";

const BY_CODE: Readonly<Record<string, DiskTrouble>> = {
  ENOSPC: "full",
  EDQUOT: "quota",
  EROFS: "read-only",
};

/** SQLite's results SQLITE_READONLY and SQLITE_FULL; an extended one carries the plain one in its lowest byte. */
const BY_SQLITE: Readonly<Record<number, DiskTrouble>> = { 8: "read-only", 13: "full" };

/**
 * Tells whether an error, or what caused it, is a disk that takes nothing more: by the codes of the system and of
 * SQLite. Undefined for everything else.
 */
export function diskTroubleOf(error: unknown): DiskTrouble | undefined {
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    const code: unknown = Reflect.get(at, "code");
    const byCode = typeof code === "string" ? BY_CODE[code] : undefined;
    if (byCode !== undefined) return byCode;
    const result: unknown = Reflect.get(at, "errcode");
    const bySqlite = typeof result === "number" ? BY_SQLITE[result & 0xff] : undefined;
    if (bySqlite !== undefined) return bySqlite;
  }
  return undefined;
}

/** Returns what is wrong with the disk, and what to do, each without a full stop. `where` is what lies on it. */
export function diskTroubleWords(
  trouble: DiskTrouble,
  where: string,
): { readonly reason: string; readonly advice: string } {
  switch (trouble) {
    case "full":
      return { reason: `the disk that holds ${where} is full`, advice: "Make room on it" };
    case "quota":
      return {
        reason: `the user evie runs as may put no more on the disk that holds ${where}`,
        advice: "Remove some of that user's files, or raise the quota",
      };
    case "read-only":
      return {
        reason: `the disk that holds ${where} is mounted read-only`,
        advice: "Mount it for writing (after a fault the system mounts a disk so: look at its log)",
      };
  }
}

/** A time in which the disk takes nothing more. Each has an object of its own, so that it can be told once. */
export interface DiskOutage {
  readonly trouble: DiskTrouble;
  /** What is wrong, and what to do. */
  readonly sentence: string;
}

/** Knows whether the disk takes data. */
export interface DiskWatch {
  /** Tells whether an error is the disk's; then the outage has begun at the latest. */
  notice(error: unknown): DiskOutage | undefined;
}

/** A watch for whoever tells each error for itself. */
export const eachForItself: DiskWatch = {
  notice(error) {
    const trouble = diskTroubleOf(error);
    return trouble === undefined ? undefined : { trouble, sentence: diskSentence(trouble, "evie's home") };
  },
};

/** Returns what is wrong with the disk and what to do, as two sentences. */
export function diskSentence(trouble: DiskTrouble, where: string): string {
  const { reason, advice } = diskTroubleWords(trouble, where);
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. ${advice}.`;
}
