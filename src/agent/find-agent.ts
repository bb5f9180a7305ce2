import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import process from "node:process";

/** The program that is the agent, and the words that come before evie's own arguments. */
export interface AgentCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly from: "configured" | "bundled" | "path";
}

export interface Places {
  /** The words of EVIE_AGENT_COMMAND. They are run as they are, and then nothing else is tried. */
  readonly configured?: readonly string[] | undefined;
  /** The value of PATH. */
  readonly path?: string | undefined;
  /** Where the walk up to a node_modules that holds pi begins. Default: evie's own source. */
  readonly from?: string;
}

/** The name that pi is published under. */
const PACKAGE = "@earendil-works/pi-coding-agent";

/**
 * Where the agent program is: the configured words, else pi in evie's own node_modules, else `pi` on the PATH.
 * Undefined when there is none. A pi that is JavaScript is run by evie's own node: the machine's may be too old.
 */
export function findAgent(places: Places): AgentCommand | undefined {
  const [file, ...args] = places.configured ?? [];
  if (file !== undefined) return { file, args, from: "configured" };
  return (
    bundledAgent(places.from ?? dirname(fileURLToPath(import.meta.url))) ?? agentOnPath(places.path ?? "")
  );
}

function bundledAgent(from: string): AgentCommand | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const home = join(folder, "node_modules", PACKAGE);
    const bin = piBin(join(home, "package.json"));
    if (bin !== undefined) return { file: process.execPath, args: [join(home, bin)], from: "bundled" };
    if (folder === dirname(folder)) return undefined;
  }
}

/** `bin.pi` of a package.json; undefined when there is no such file or it names none. */
function piBin(packageFile: string): string | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(packageFile, "utf8"));
    if (typeof found !== "object" || found === null || !("bin" in found)) return undefined;
    const { bin } = found;
    if (typeof bin !== "object" || bin === null || !("pi" in bin)) return undefined;
    return typeof bin.pi === "string" ? bin.pi : undefined;
  } catch {
    return undefined;
  }
}

function agentOnPath(path: string): AgentCommand | undefined {
  for (const folder of path.split(":")) {
    if (!isAbsolute(folder)) continue;
    const file = executable(join(folder, "pi"));
    if (file === undefined) continue;
    const script = isNodeScript(file);
    return script ? { file: process.execPath, args: [file], from: "path" } : { file, args: [], from: "path" };
  }
  return undefined;
}

/** The file that `path` leads to, when it can be run. */
function executable(path: string): string | undefined {
  try {
    const file = realpathSync(path);
    const { mode } = statSync(file);
    const isFile = (mode & 0o170000) === 0o100000;
    return isFile && (mode & 0o111) !== 0 ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Of a program that may be run and not read it is not known: the system runs it then. */
function isNodeScript(file: string): boolean {
  if (/\.[cm]?js$/.test(file)) return true;
  const beginning = Buffer.alloc(128);
  try {
    const handle = openSync(file, "r");
    try {
      readSync(handle, beginning, 0, beginning.length, 0);
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
  const [firstLine = ""] = beginning.toString("latin1").split("\n");
  return /^#!.*\bnode\b/.test(firstLine);
}
