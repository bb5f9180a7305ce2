import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { isRecord } from "../jsonl.ts";

/** A copy of the settings that pi reads, for one start that must not change anything of the person's. */
export interface BorrowedSettings {
  /** The environment in which pi finds the copy, and writes nowhere else. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes the copy, and with it what pi has written. Idempotent. */
  remove(): void;
}

/** Bytes. Settings are text, and small. */
const LARGEST_COPY = 8_000_000;

/** What nobody reads here, and servers that pi would start and that might write. */
const LEFT_OUT = /^(?:sessions|tmp|mcp(?:-.*)?\.json|.*\.lock)$/;

/**
 * Copies the folder of settings that pi would use in this environment (`PI_CODING_AGENT_DIR`, else `~/.pi/agent`) into a
 * folder of its own, for its owner only. pi makes its folder when there is none, and rewrites files in it at each start.
 *
 * Keys are not copied: that there is one is all that pi looks for when it names its model. A key that expires counts as
 * good for a day: pi would exchange it for a new one, and the old one would be worth nothing.
 *
 * Throws when there is no place for the copy.
 */
export function borrowSettings(
  env: Readonly<Record<string, string>>,
  clock: Pick<Clock, "date">,
): BorrowedSettings {
  const goodUntil = clock.date() + A_DAY;
  const own = folderOf(env);
  const root = mkdtempSync(join(tmpdir(), "evie-check-"));
  try {
    const copy = join(root, "agent");
    const temporary = join(root, "tmp");
    for (const path of [copy, temporary]) mkdirSync(path, { mode: 0o700 });
    for (const name of namesIn(own)) borrow(join(own, name), join(copy, name), goodUntil);
    return {
      env: {
        ...env,
        PI_CODING_AGENT_DIR: copy,
        // It loads nothing from the network then, neither tools nor packages.
        PI_OFFLINE: "1",
        PI_TELEMETRY: "0",
        NODE_DISABLE_COMPILE_CACHE: "1",
        TMPDIR: temporary,
      },
      remove: () => rmSync(root, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    throw error;
  }
}

function folderOf(env: Readonly<Record<string, string>>): string {
  const home = env["HOME"] ?? homedir();
  const { PI_CODING_AGENT_DIR: chosen } = env;
  if (chosen === undefined || chosen === "") return join(home, ".pi", "agent");
  return chosen.replace(/^~(?=\/|$)/, () => home);
}

/** Without a folder, or with one that cannot be read, pi has no settings. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !LEFT_OUT.test(name));
  } catch {
    return [];
  }
}

function borrow(from: string, to: string, goodUntil: number): void {
  try {
    const found = statSync(from);
    if (found.isDirectory()) symlinkSync(from, to);
    else if (basename(from) === "auth.json")
      writeFileSync(to, withoutKeys(readFileSync(from, "utf8"), goodUntil), { mode: 0o600 });
    else if (found.isFile() && found.size <= LARGEST_COPY) {
      copyFileSync(from, to);
      chmodSync(to, 0o600);
    }
  } catch {
    // What cannot be read here cannot be read by pi.
  }
}

const A_DAY = 24 * 3_600_000;
const NO_KEY = "not-copied";

/** A key that is a command or names a variable stays: it tells where the key is, and is none. */
const IS_REFERENCE = /^[!$]/;

function withoutKeys(text: string, goodUntil: number): string {
  const kept: unknown = JSON.parse(text);
  if (!isRecord(kept)) return "{}";
  const mask = ([name, value]: [string, unknown]): [string, unknown] => {
    if (name === "expires" && typeof value === "number") return [name, Math.max(value, goodUntil)];
    const isKey = ["key", "access", "refresh"].includes(name) && typeof value === "string";
    return [name, isKey && value !== "" && !IS_REFERENCE.test(value) ? NO_KEY : value];
  };
  const masked = Object.entries(kept).map(([provider, entry]) => [
    provider,
    isRecord(entry) ? Object.fromEntries(Object.entries(entry).map(mask)) : entry,
  ]);
  return JSON.stringify(Object.fromEntries(masked));
}
