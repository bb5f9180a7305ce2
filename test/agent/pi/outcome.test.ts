import { expect, test } from "vitest";
import { createOutcome } from "../../../src/agent/pi/outcome.ts";
import type { PiRecord } from "../../../src/agent/pi/protocol.ts";

const said = (stopReason: string, errorMessage?: string): PiRecord => ({
  type: "message_end",
  message: {
    role: "assistant",
    content: [],
    stopReason,
    ...(errorMessage === undefined ? {} : { errorMessage }),
  },
});
const gaveUp = (finalError?: string): PiRecord =>
  finalError === undefined ? { type: "auto_retry_end" } : { type: "auto_retry_end", finalError };
const failed = (reason: string): object => ({ type: "failed", failure: { type: "model_failed", reason } });

test.each([
  ["nothing was said", [], false, { type: "done" }],
  ["the answer ended", [said("stop")], false, { type: "done" }],
  ["the answer was too long", [said("length")], false, { type: "done" }],
  ["the agent says that it was aborted", [said("stop")], true, { type: "aborted" }],
  [
    "the answer was aborted, and an older agent does not say more",
    [said("aborted")],
    false,
    { type: "aborted" },
  ],
  ["the model failed", [said("error", "no key")], false, failed("no key")],
  ["the model failed without a word", [said("error")], false, failed("it gave no reason")],
  ["all attempts failed", [said("error", "first"), gaveUp("last")], false, failed("last")],
  ["a later attempt went well", [said("error", "no"), said("stop"), gaveUp()], false, { type: "done" }],
  ["an attempt was aborted", [said("error", "no"), gaveUp("Retry cancelled")], true, { type: "aborted" }],
])("a run ends right when %s", (_when, records, aborted, end) => {
  const outcome = createOutcome();
  for (const record of records) outcome.see(record);
  expect(outcome.end(aborted)).toEqual(end);
});
