import type { Agent, AgentOptions, AgentRun, RunEnd, StartAgent } from "../../src/domain/agent.ts";
import type { AgentEvent } from "../../src/domain/events.ts";
import type { AnswerValue } from "../../src/domain/question.ts";
import type { AgentFailure } from "../../src/domain/failure.ts";
import type { Prompt } from "../../src/domain/prompt.ts";

/** An agent's process that is worked by hand: it does nothing until the test says so. */
export interface HandAgent {
  readonly options: AgentOptions;
  readonly runs: readonly HandRun[];
  readonly aborts: number;
  readonly dismissals: number;
  /** The answers that it was given, with the questions' ids. */
  readonly answers: readonly (readonly [string, AnswerValue])[];
  /** It can take a prompt. */
  getReady(): void;
  /** It could not start; it is gone too unless `lingers`. */
  failToStart(failure: AgentFailure, lingers?: "lingers"): void;
  emit(event: AgentEvent): void;
  /** Its exit was seen. A run or a start that was under way ends with it. */
  exit(): void;
}

export interface HandRun {
  readonly prompt: Prompt;
  /** What was said into it while it ran. */
  readonly steered: readonly Prompt[];
  accept(accepted?: boolean): void;
  end(end?: RunEnd): void;
}

/** Starts agents that are worked by hand, and keeps them in the order of their starts. */
export function createHandAgents(): { readonly start: StartAgent; readonly started: readonly HandAgent[] } {
  const started: HandAgent[] = [];
  return {
    started,
    start: (options) => {
      const { agent, hand } = createHandAgent(options);
      started.push(hand);
      return agent;
    },
  };
}

function createHandAgent(options: AgentOptions): { agent: Agent; hand: HandAgent } {
  const ready = Promise.withResolvers<AgentFailure | undefined>();
  const gone = Promise.withResolvers<void>();
  const runs: HandRun[] = [];
  const answers: [string, AnswerValue][] = [];
  let aborts = 0;
  let dismissals = 0;

  const agent: Agent = {
    ready: ready.promise,
    gone: gone.promise,
    run(prompt): AgentRun {
      const accepted = Promise.withResolvers<boolean>();
      const ended = Promise.withResolvers<RunEnd>();
      const steered: Prompt[] = [];
      let over = false;
      runs.push({
        prompt,
        steered,
        accept: (taken = true) => accepted.resolve(taken),
        end(end = { type: "done" }) {
          over = true;
          accepted.resolve(true);
          ended.resolve(end);
        },
      });
      return {
        accepted: accepted.promise,
        ended: ended.promise,
        steer(more) {
          if (!over) steered.push(more);
          return Promise.resolve(!over);
        },
      };
    },
    abort() {
      aborts += 1;
    },
    answer: (id, value) => void answers.push([id, value]),
    async dismiss() {
      dismissals += 1;
      await gone.promise;
    },
  };

  const hand: HandAgent = {
    options,
    runs,
    answers,
    get aborts() {
      return aborts;
    },
    get dismissals() {
      return dismissals;
    },
    getReady: () => ready.resolve(undefined),
    failToStart(failure, lingers) {
      ready.resolve(failure);
      if (lingers === undefined) gone.resolve();
    },
    emit: (event) => options.emit(event),
    exit() {
      const how = { type: "exited", exit: { code: 1 } } as const;
      runs.at(-1)?.end(dismissals > 0 ? { type: "aborted" } : { type: "failed", failure: how });
      ready.resolve({ type: "start_failed", exit: how.exit });
      gone.resolve();
    },
  };
  return { agent, hand };
}
