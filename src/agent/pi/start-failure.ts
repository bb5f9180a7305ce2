import { statSync } from "node:fs";
import type { AgentExit, AgentFailure } from "../../domain/failure.ts";
import type { AgentCommand } from "../find-agent.ts";
import type { ProcessEnd } from "../process.ts";
import { setAside } from "./session-file.ts";

/** Tells why an agent that has ended never took a prompt. A session file that it called none is set aside. */
export function startFailureOf(
  end: ProcessEnd,
  command: AgentCommand,
  cwd: string,
  sessionFile?: string,
): AgentFailure {
  if (end.type === "exited")
    return historyFailureOf(end.exit, sessionFile) ?? { type: "start_failed", exit: end.exit };
  // The system says "no such file" of a missing folder too.
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return { type: "workspace_gone", cwd };
  const words = [command.file, ...command.args].join(" ");
  if (end.code === "ENOENT") return { type: "missing", command: words };
  return { type: "start_failed", exit: { lastWords: end.reason } };
}

/** Bytes from which on it is the file's size that keeps pi from starting: one of 600 MB took it 800 MB of memory and 10 to 30 s. */
const LARGE_FILE = 64 * 2 ** 20;

/** How Node ends, and what it throws, when something does not fit into its memory or into one text. */
const TOO_LARGE =
  /heap out of memory|allocation failed|invalid string length|ERR_STRING_TOO_LONG|array buffer/i;

/** pi's words for a file whose first entry is no header. */
const NO_SESSION = "is not a valid pi session";

/** Tells what was wrong with its session file when that is why an agent has ended; undefined when it is not. */
export function historyFailureOf(exit: AgentExit, sessionFile: string | undefined): AgentFailure | undefined {
  const { lastWords = "" } = exit;
  if (sessionFile === undefined) return undefined;
  if (lastWords.includes(NO_SESSION)) {
    try {
      return { type: "history_damaged", movedTo: setAside(sessionFile) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { type: "history_unusable", file: sessionFile, reason };
    }
  }
  return TOO_LARGE.test(lastWords) ? tooLargeHistory(sessionFile) : undefined;
}

/** The failure of an agent that did not get through its session file; undefined when that one is not large. */
export function tooLargeHistory(file: string): AgentFailure | undefined {
  const size = sizeOf(file);
  if (size < LARGE_FILE) return undefined;
  const reason = `it is too large for the agent, ${Math.round(size / 1e6)} MB`;
  return { type: "history_unusable", file, reason };
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
