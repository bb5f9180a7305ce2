import type { StartAgent } from "../../domain/agent.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { AgentCommand } from "../find-agent.ts";

export interface PiAgentDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined when no agent was found: each start then fails as `missing`. */
  readonly command: AgentCommand | undefined;
  /** The whole environment of the agent; see `agentEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
}

/** The driver of `pi --mode rpc`: one process a session, spoken to in JSON lines. */
export function createPiAgent(_deps: PiAgentDeps): StartAgent {
  throw new Error("Not written yet.");
}
