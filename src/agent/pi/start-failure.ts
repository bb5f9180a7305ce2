import { statSync } from "node:fs";
import type { AgentFailure } from "../../domain/failure.ts";
import type { AgentCommand } from "../find-agent.ts";
import type { ProcessEnd } from "../process.ts";

/** Why an agent that has ended never took a prompt. */
export function startFailureOf(end: ProcessEnd, command: AgentCommand, cwd: string): AgentFailure {
  if (end.type === "exited") return { type: "start_failed", exit: end.exit };
  // The system says "no such file" of a missing folder too.
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return { type: "workspace_gone", cwd };
  const words = [command.file, ...command.args].join(" ");
  if (end.code === "ENOENT") return { type: "missing", command: words };
  return { type: "start_failed", exit: { lastWords: end.reason } };
}
