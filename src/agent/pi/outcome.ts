import type { RunEnd } from "../../domain/agent.ts";
import type { PiRecord } from "./protocol.ts";
import { foldReason } from "./reason.ts";

/** Watches one run, to say in the end how it went. */
export interface Outcome {
  see(record: PiRecord): void;
  /** How the run ended, when the agent has settled; `aborted` as it said then. */
  end(aborted: boolean): RunEnd;
}

/** A failed model never fails the prompt: what happened stands in the last assistant message, and in what gave up. */
export function createOutcome(): Outcome {
  let stopReason: string | undefined;
  let error: string | undefined;
  let finalError: string | undefined;

  return {
    see: (record) => {
      if (record.type === "message_end" && record.message.role === "assistant") {
        stopReason = record.message.stopReason;
        error = record.message.errorMessage;
      } else if (record.type === "auto_retry_end") {
        finalError = record.finalError;
      }
    },
    end: (aborted) => {
      if (aborted || stopReason === "aborted") return { type: "aborted" };
      if (stopReason !== "error") return { type: "done" };
      const reason = foldReason(finalError ?? error ?? "it gave no reason");
      return { type: "failed", failure: { type: "model_failed", reason } };
    },
  };
}
