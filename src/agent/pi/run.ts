import type { AgentRun, RunEnd } from "../../domain/agent.ts";
import type { Clock } from "../../domain/clock.ts";
import type { AgentEvent } from "../../domain/events.ts";
import type { AgentExit, AgentFailure } from "../../domain/failure.ts";
import { isRecord } from "../jsonl.ts";
import type { ProcessEnd } from "../process.ts";
import type { Answer, Rpc } from "../rpc.ts";
import { type PiImage, readImages } from "./images.ts";
import { createOutcome } from "./outcome.ts";
import type { PiRecord } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import type { Translator } from "./translate.ts";

/** Milliseconds that an agent has to end a run that it was asked to abandon. pi takes 30, after a picture 5,000. */
const ABORT_GRACE = 5_000;

export interface RunDeps {
  readonly clock: Clock;
  readonly rpc: Rpc;
  readonly translator: Translator;
  readonly emit: (event: AgentEvent) => void;
  /** Ends the agent, which does not do what it is asked. The run's end comes with `processEnded`. */
  readonly giveUp: () => void;
  /** The failure of a run in which the agent has exited by itself. */
  readonly exitFailure: (exit: AgentExit) => AgentFailure;
  /** Called once, in the synchronous step in which the run ends. */
  readonly onEnd: () => void;
}

/** One run as the driver sees it. */
export interface PiRun {
  /** What its owner is promised. */
  readonly run: AgentRun;
  /** Writes the prompt, unless the run has ended before its pictures were read. `unread` pictures could not be. */
  handOver(message: string, images: readonly PiImage[], unread: number): void;
  /** Takes what the agent said. Before the hand-over and after the end it is of no run and says nothing. */
  see(record: PiRecord): void;
  abort(): void;
  /** Ends it as failed before anything was handed over. */
  fail(failure: AgentFailure): void;
  /** The agent has exited; `asked` when evie wanted it to. */
  processEnded(end: ProcessEnd, asked: boolean): void;
}

/** One prompt on its way through pi, from the hand-over to `agent_settled`, a refusal, or the exit. */
export function createPiRun(deps: RunDeps): PiRun {
  const { clock, rpc, translator, emit, giveUp, exitFailure, onEnd } = deps;
  const accepted = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<RunEnd>();
  const outcome = createOutcome();
  const grace = new AbortController();
  let state: "preparing" | "handed" | "accepted" | "ended" = "preparing";
  /** Whether the prompt's response named a disposition, as pi does since 0.99. */
  let saidDisposition = false;
  let abortAsked = false;
  let abortsUnanswered = 0;
  /** The agent's own end, while the answer to an abort is still awaited. */
  let settled: RunEnd | undefined;
  let tooOld = false;
  let steered = false;
  let steersUnanswered = 0;

  const finish = (end: RunEnd): void => {
    if (state === "ended") return;
    state = "ended";
    grace.abort();
    onEnd();
    accepted.resolve(false);
    ended.resolve(end);
  };

  /** pi answers an abort after the end of what it ended. Until then an abort could still meet the next run. */
  const finishWhenQuiet = (): void => {
    if (settled !== undefined && abortsUnanswered === 0 && steersUnanswered === 0) finish(settled);
  };

  const sendAbort = (): void => {
    abortsUnanswered += 1;
    rpc.request({ type: "abort" }, (answer) => {
      if (answer.type === "gone") return;
      abortsUnanswered -= 1;
      finishWhenQuiet();
    });
  };

  const steerAnswered = (): void => {
    steersUnanswered -= 1;
    finishWhenQuiet();
  };

  const settle = (end: RunEnd): void => {
    settled = end;
    finishWhenQuiet();
  };

  const onPromptAnswer = (answer: Answer): void => {
    if (state !== "handed" || answer.type === "gone") return;
    if (answer.type === "failure") {
      accepted.resolve(false);
      settle({ type: "failed", failure: { type: "refused", reason: reasonOf(answer.reason) } });
      return;
    }
    state = "accepted";
    accepted.resolve(true);
    const disposition = isRecord(answer.data) ? answer.data["disposition"] : undefined;
    saidDisposition = disposition !== undefined;
    // A command of an extension: it is done, and no run follows.
    if (disposition === "handled") settle(abortAsked ? { type: "aborted" } : { type: "done" });
    // The abort found nothing to end, because the prompt was still being prepared.
    else if (abortAsked && abortsUnanswered === 0) sendAbort();
  };

  const refuseOldAgent = (): void => {
    tooOld = true;
    giveUp();
  };

  const losePatience = async (): Promise<void> => {
    await clock.sleep(ABORT_GRACE, grace.signal);
    if (state !== "ended") giveUp();
  };

  return {
    run: {
      accepted: accepted.promise,
      ended: ended.promise,
      steer: async ({ text: message, images }) => {
        const { read } = await readImages(images);
        // An agent that has nothing to do keeps it for the next prompt instead.
        if (state !== "accepted" || settled !== undefined || abortAsked) return false;
        steered = true;
        const request = { type: "steer", message, ...(read.length === 0 ? {} : { images: read }) };
        return await new Promise((resolve) => {
          steersUnanswered += 1;
          rpc.request(request, (answer) => {
            // Behind the end of the run: pi took it for the next one, in which nobody wants it.
            const isLate = answer.type === "success" && settled !== undefined;
            resolve(answer.type === "success" && !isLate);
            if (!isLate) return steerAnswered();
            rpc.request({ type: "clear_queue" }, steerAnswered);
          });
        });
      },
    },
    handOver: (message, images, unread) => {
      if (state !== "preparing") return;
      state = "handed";
      translator.begin(message);
      if (unread > 0) emit({ type: "notice", notice: { type: "image_omitted" } });
      rpc.request({ type: "prompt", message, ...(images.length === 0 ? {} : { images }) }, onPromptAnswer);
    },
    see: (record) => {
      if (state === "preparing" || state === "ended" || settled !== undefined || tooOld) return;
      outcome.see(record);
      switch (record.type) {
        case "cumulative_update":
          return refuseOldAgent();
        case "agent_end":
          // Such an agent never says that it has settled.
          if (state === "accepted" && !saidDisposition && !record.saysWillRetry) refuseOldAgent();
          return;
        case "agent_settled":
          // One that comes before the prompt's answer is the end of something else.
          if (state === "accepted") settle(outcome.end(record.aborted));
          return;
        default:
          for (const event of translator.translate(record, clock.date())) emit(event);
      }
    },
    abort: () => {
      if (abortAsked || state === "ended") return;
      abortAsked = true;
      if (state === "preparing") return finish({ type: "aborted" });
      // pi keeps what was said into a run over its abort, and would say it into the next one.
      if (steered) rpc.request({ type: "clear_queue" }, () => {});
      sendAbort();
      void losePatience();
    },
    fail: (failure) => finish({ type: "failed", failure }),
    processEnded: (end, asked) => {
      if (tooOld) return finish({ type: "failed", failure: { type: "too_old" } });
      if (settled !== undefined) return finish(settled);
      if (asked || abortAsked) return finish({ type: "aborted" });
      finish({ type: "failed", failure: exitFailure(end.type === "exited" ? end.exit : {}) });
    },
  };
}
