import type { Clock } from "../../domain/clock.ts";
import type { AgentFailure } from "../../domain/failure.ts";
import type { AgentCommand } from "../find-agent.ts";
import { isRecord } from "../jsonl.ts";
import { startProcess } from "../process.ts";
import { createRpc } from "../rpc.ts";
import type { Answer } from "../rpc.ts";
import { readLine } from "./protocol.ts";
import { startFailureOf } from "./start-failure.ts";

export interface ProbeOptions {
  readonly command: AgentCommand;
  readonly cwd: string;
  /** The whole environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** Milliseconds that pi has to say which model it would ask. It needs half a second. */
const PROBE_DEADLINE = 15_000;

/** What became of an agent that was started once, without a session. */
export type Probed =
  /** `model` is undefined when it has none that it holds a key for. */
  | { readonly type: "ready"; readonly model: string | undefined }
  | { readonly type: "failed"; readonly failure: AgentFailure };

/** The name of the model that pi would ask; undefined when it has none, or does not start. Never rejects. */
export async function probeModel(options: ProbeOptions): Promise<string | undefined> {
  const probed = await probeAgent(options);
  return probed.type === "ready" ? probed.model : undefined;
}

/** Starts the agent once, without a session, and asks it for its model. It has ended when this resolves. Never rejects. */
export async function probeAgent({ command, cwd, env, clock }: ProbeOptions): Promise<Probed> {
  const agent = startProcess({
    file: command.file,
    args: [...command.args, "--mode", "rpc", "--no-session"],
    cwd,
    env,
    clock,
    onLine: (line) => {
      const record = readLine(line);
      if (typeof record === "object" && record.type === "response") rpc.settle(record);
    },
  });
  const rpc = createRpc((line) => agent.writeLine(line));
  void agent.ended.then((end) => rpc.close(end));
  const ask = (type: string): Promise<Answer> => new Promise((resolve) => rpc.request({ type }, resolve));

  const over = new AbortController();
  const late = clock
    .sleep(PROBE_DEADLINE, over.signal)
    .then(() => failed({ type: "start_timeout", seconds: PROBE_DEADLINE / 1_000 }));
  const found = Promise.all([ask("get_state"), ask("get_available_models")]).then(
    ([state, models]): Probed => {
      if (state.type === "gone") return failed(startFailureOf(state.end, command, cwd));
      if (state.type === "failure")
        return failed({ type: "start_failed", exit: { lastWords: state.reason } });
      return { type: "ready", model: chosenModel(state, models) };
    },
  );
  const probed = await Promise.race([found, late]);
  over.abort();
  await agent.dismiss();
  return probed;
}

function failed(failure: AgentFailure): Probed {
  return { type: "failed", failure };
}

/** pi names a model "unknown" when it has none, and names one without a key all the same; only the list knows. */
function chosenModel(state: Answer, available: Answer): string | undefined {
  const model = fieldOf(state, "model");
  const models = fieldOf(available, "models");
  if (!isRecord(model) || !Array.isArray(models)) return undefined;
  const { id, name, provider } = model;
  const isUsable = models.some(
    (other: unknown) => isRecord(other) && other["id"] === id && other["provider"] === provider,
  );
  if (!isUsable || typeof id !== "string") return undefined;
  return typeof name === "string" && name !== "" ? name : id;
}

function fieldOf(answer: Answer, name: string): unknown {
  return answer.type === "success" && isRecord(answer.data) ? answer.data[name] : undefined;
}
