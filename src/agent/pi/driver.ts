import { chmod } from "node:fs/promises";
import type { Agent, AgentOptions, AgentRun, StartAgent } from "../../domain/agent.ts";
import type { Clock } from "../../domain/clock.ts";
import type { AgentEvent } from "../../domain/events.ts";
import type { AgentFailure } from "../../domain/failure.ts";
import type { Log } from "../../domain/log.ts";
import type { Prompt } from "../../domain/prompt.ts";
import type { Question } from "../../domain/question.ts";
import type { AgentCommand } from "../find-agent.ts";
import { noteRunning } from "../left-behind.ts";
import { startProcess } from "../process.ts";
import type { ProcessEnd } from "../process.ts";
import { createRpc } from "../rpc.ts";
import { createDialogs } from "./dialogs.ts";
import { errorForLog } from "./error-for-log.ts";
import { readImages } from "./images.ts";
import { readLine } from "./protocol.ts";
import type { PiRecord } from "./protocol.ts";
import { createPiRun } from "./run.ts";
import type { PiRun } from "./run.ts";
import { prepareSessionFile } from "./session-file.ts";
import { historyFailureOf, startFailureOf, tooLargeHistory } from "./start-failure.ts";
import { createTranslator } from "./translate.ts";

export interface PiAgentDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Asked at each start. Undefined when there is no agent: that start then fails as `missing`. */
  readonly find: () => AgentCommand | undefined;
  /** The whole environment of the agent; see `agentEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds that an agent has to take its first request. pi needs 450, and 2,300 when eight start at once. */
const START_DEADLINE = 30_000;
/** It reads all of its session file first: so many bytes a millisecond get it more time, up to the longest. pi reads 50,000 on an idle machine. */
const SLOWEST_READ = 10_000;
const LONGEST_START = 300_000;

/** The driver of `pi --mode rpc`: one process a session, spoken to in JSON lines. */
export function createPiAgent({ find, ...deps }: PiAgentDeps): StartAgent {
  return (options) => {
    const command = find();
    if (command === undefined) return neverStarted({ type: "missing", command: "pi" });
    const { sessionFile } = options;
    const history = prepareSessionFile(sessionFile);
    switch (history.type) {
      case "unusable":
        deps.log.error({ sessionFile, reason: history.reason }, "A session file cannot be opened.");
        return neverStarted({ type: "history_unusable", file: sessionFile, reason: history.reason });
      case "set_aside":
        deps.log.error(
          { sessionFile, damaged: history.movedTo },
          "A session file was damaged and set aside.",
        );
        return startPi({ ...deps, command }, { ...options, fileSize: 0, lostHistory: true });
      case "usable":
        return startPi({ ...deps, command }, { ...options, fileSize: history.size, lostHistory: false });
    }
  };
}

/** pi makes its file readable for everybody. Until there is one, there is nothing to close. */
function closeToOthers(sessionFile: string): void {
  chmod(sessionFile, 0o600).catch(() => undefined);
}

function neverStarted(failure: AgentFailure): Agent {
  return {
    ready: Promise.resolve(failure),
    gone: Promise.resolve(),
    run: () => ({
      accepted: Promise.resolve(false),
      ended: Promise.resolve({ type: "failed", failure }),
    }),
    abort: () => {},
    answer: () => {},
    dismiss: () => Promise.resolve(),
  };
}

interface StartOptions extends AgentOptions {
  /** Bytes. */
  readonly fileSize: number;
  /** Whether a file from before was set aside, which the person has to be told. */
  readonly lostHistory: boolean;
}

function startPi(
  { clock, log, command, env }: Omit<PiAgentDeps, "find"> & { readonly command: AgentCommand },
  { sessionFile, cwd, emit, ask, fileSize, lostHistory }: StartOptions,
): Agent {
  const ready = Promise.withResolvers<AgentFailure | undefined>();
  const gone = Promise.withResolvers<undefined>();
  const starting = new AbortController();
  const translator = createTranslator(crypto.randomUUID());
  let startFailure: AgentFailure | undefined;
  let end: ProcessEnd | undefined;
  let dismissAsked = false;
  let badLines = 0;
  let current: PiRun | undefined;

  let tellOfLoss = lostHistory;
  const agent = startProcess({
    file: command.file,
    args: [...command.args, "--mode", "rpc", "--session", sessionFile],
    cwd,
    env,
    clock,
    onLine: (line) => {
      const record = readLine(line);
      if (record === "bad") noteBadLine(line);
      else if (record !== "ignored") take(record);
    },
  });
  const rpc = createRpc(agent.writeLine);
  const about = { pid: agent.pid, sessionFile };
  const takeNoteAway = noteRunning(sessionFile, agent.pid, agent.mark);
  const dialogs = createDialogs({
    clock,
    writeLine: agent.writeLine,
    ask: (question) => askSafely(question),
  });

  const noteBadLine = (line: string): void => {
    badLines += 1;
    // Half a record could hold a person's words: its length has to do.
    if (badLines === 1)
      log.warn({ ...about, length: line.length }, "The agent wrote a line that is no record.");
  };

  /** People are told what an error means; what it said itself stands here alone. */
  const noteError = (record: PiRecord): void => {
    const raw = errorForLog(record);
    if (raw !== undefined) log.warn({ ...about, raw }, "The agent has told of an error.");
  };

  const take = (record: PiRecord): void => {
    noteError(record);
    if (record.type === "response") {
      if (!rpc.settle(record))
        log.warn({ ...about, command: record.command }, "The agent answered what was not asked.");
      return;
    }
    if (record.type === "dialog") dialogs.take(record);
    else current?.see(record);
  };

  const emitSafely = (event: AgentEvent): void => {
    try {
      emit(event);
    } catch (error) {
      log.error({ ...about, err: error }, "Whoever listens to the agent failed.");
    }
  };

  const askSafely = (question: Question): void => {
    try {
      ask(question);
    } catch (error) {
      log.error({ ...about, err: error }, "Whoever is asked failed.");
      dialogs.answer(question.id, null);
    }
  };

  const failStart = (failure: AgentFailure): void => {
    startFailure ??= failure;
    void agent.dismiss();
  };

  const watchStart = async (): Promise<void> => {
    const deadline = Math.min(LONGEST_START, START_DEADLINE + Math.floor(fileSize / SLOWEST_READ));
    await clock.sleep(deadline, starting.signal);
    if (starting.signal.aborted) return;
    failStart(
      tooLargeHistory(sessionFile) ?? { type: "start_timeout", seconds: Math.round(deadline / 1_000) },
    );
  };

  const watchEnd = async (): Promise<void> => {
    end = await agent.ended;
    takeNoteAway();
    const asked = dismissAsked || startFailure !== undefined;
    const exit = end.type === "exited" ? { ...end.exit, orphans: end.orphans ?? 0 } : { reason: end.reason };
    if (asked || current === undefined) log.debug({ ...about, ...exit, badLines }, "The agent has ended.");
    else log.warn({ ...about, ...exit, badLines }, "The agent ended in the middle of a run.");
    const hasStarted = starting.signal.aborted;
    starting.abort();
    rpc.close(end);
    current?.processEnded(end, dismissAsked);
    gone.resolve(undefined);
    if (!hasStarted) ready.resolve(startFailure ?? startFailureOf(end, command, cwd, sessionFile));
  };

  rpc.request({ type: "get_state" }, (answer) => {
    if (answer.type === "gone" || startFailure !== undefined) return;
    if (answer.type === "failure")
      return failStart({ type: "start_failed", exit: { lastWords: answer.reason } });
    starting.abort();
    ready.resolve(undefined);
  });
  void watchStart();
  void watchEnd();

  const handOver = async (run: PiRun, prompt: Prompt): Promise<void> => {
    const { read, errors } = await readImages(prompt.images);
    for (const err of errors) log.warn({ ...about, err }, "A picture of the prompt could not be read.");
    if (prompt.text.trim() === "" && read.length === 0 && errors.length > 0) {
      return run.fail({ type: "internal", reason: "the picture could not be read" });
    }
    run.handOver(prompt.text, read, errors.length);
  };

  return {
    ready: ready.promise,
    gone: gone.promise,
    run: (prompt): AgentRun => {
      const run = createPiRun({
        clock,
        rpc,
        translator,
        emit: emitSafely,
        giveUp: () => void agent.dismiss(),
        exitFailure: (exit) => historyFailureOf(exit, sessionFile) ?? { type: "exited", exit },
        onEnd: () => {
          if (current !== run) return;
          current = undefined;
          closeToOthers(sessionFile);
          dialogs.cancel();
        },
      });
      if (current !== undefined) {
        run.fail({ type: "internal", reason: "a second prompt was handed over during a run" });
      } else if (startFailure !== undefined) {
        run.fail(startFailure);
      } else if (end !== undefined) {
        run.processEnded(end, dismissAsked);
      } else {
        current = run;
        dialogs.begin();
        if (tellOfLoss) emitSafely({ type: "notice", notice: { type: "history_lost" } });
        tellOfLoss = false;
        if (prompt.images.length === 0) run.handOver(prompt.text, [], 0);
        else void handOver(run, prompt);
      }
      return run.run;
    },
    abort: () => {
      dialogs.cancel();
      current?.abort();
    },
    answer: dialogs.answer,
    dismiss: () => {
      dismissAsked = true;
      return agent.dismiss();
    },
  };
}
