import type { RunEnd } from "../../domain/agent.ts";
import type { Cut } from "../../domain/cut.ts";
import { cutOf } from "./cut.ts";
import type { PiMessage } from "./message.ts";
import type { PiRecord } from "./protocol.ts";
import { reasonOf } from "./reason.ts";

/** Watches one run, to say in the end how it went. */
export interface Outcome {
  see(record: PiRecord): void;
  /** How the run ended, when the agent has settled; `aborted` as it said then. */
  end(aborted: boolean): RunEnd;
}

/** A failed model never fails the prompt: what happened stands in the last assistant message, and in what gave up. */
export function createOutcome(): Outcome {
  let last: PiMessage | undefined;
  let cut: Cut | undefined;
  let finalError: string | undefined;

  return {
    see: (record) => {
      if (record.type === "message_end" && record.message.role === "assistant") {
        last = record.message;
        // What was cut off before whole words is not what a person reads last.
        cut = cutOf(last) ?? (hasWords(last) ? undefined : cut);
      } else if (record.type === "auto_retry_end") {
        finalError = record.finalError;
      } else if (record.type === "compaction_end" && record.willRetry) {
        cut = undefined;
      }
    },
    end: (aborted) => {
      if (aborted || last?.stopReason === "aborted") return { type: "aborted" };
      if (last?.stopReason !== "error") return { type: "done", ...(cut === undefined ? {} : { cut }) };
      const reason = reasonOf(finalError ?? last.errorMessage ?? "", last.rawStopReason);
      return { type: "failed", failure: { type: "model_failed", reason } };
    },
  };
}

function hasWords({ content }: PiMessage): boolean {
  return content.some((part) => part.type === "text" && part.text.trim() !== "");
}
