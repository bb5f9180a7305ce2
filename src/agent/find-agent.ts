import { open, readFile, realpath, stat } from "node:fs/promises";
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
export async function findAgent(places: Places): Promise<AgentCommand | undefined> {
  const [file, ...args] = places.configured ?? [];
  if (file !== undefined) return { file, args, from: "configured" };
  return (
    (await bundledAgent(places.from ?? dirname(fileURLToPath(import.meta.url)))) ??
    (await agentOnPath(places.path ?? ""))
  );
}

async function bundledAgent(from: string): Promise<AgentCommand | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const home = join(folder, "node_modules", PACKAGE);
    const bin = await piBin(join(home, "package.json"));
    if (bin !== undefined) return { file: process.execPath, args: [join(home, bin)], from: "bundled" };
    if (folder === dirname(folder)) return undefined;
  }
}

/** `bin.pi` of a package.json; undefined when there is no such file or it names none. */
async function piBin(packageFile: string): Promise<string | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(packageFile, "utf8"));
    if (typeof found !== "object" || found === null || !("bin" in found)) return undefined;
    const { bin } = found;
    if (typeof bin !== "object" || bin === null || !("pi" in bin)) return undefined;
    return typeof bin.pi === "string" ? bin.pi : undefined;
  } catch {
    return undefined;
  }
}

async function agentOnPath(path: string): Promise<AgentCommand | undefined> {
  for (const folder of path.split(":")) {
    if (!isAbsolute(folder)) continue;
    const file = await executable(join(folder, "pi"));
    if (file === undefined) continue;
    const script = await isNodeScript(file);
    return script ? { file: process.execPath, args: [file], from: "path" } : { file, args: [], from: "path" };
  }
  return undefined;
}

/** The file that `path` leads to, when it can be run. */
async function executable(path: string): Promise<string | undefined> {
  try {
    const file = await realpath(path);
    const { mode } = await stat(file);
    const isFile = (mode & 0o170000) === 0o100000;
    return isFile && (mode & 0o111) !== 0 ? file : undefined;
  } catch {
    return undefined;
  }
}

async function isNodeScript(file: string): Promise<boolean> {
  if (/\.[cm]?js$/.test(file)) return true;
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(128), 0, 128, 0);
  const [firstLine = ""] = buffer.toString("latin1", 0, bytesRead).split("\n");
  return /^#!.*\bnode\b/.test(firstLine);
}
