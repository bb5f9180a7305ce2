import { expect, test } from "vitest";
import { cutOf } from "../../../src/agent/pi/cut.ts";
import { createOutcome } from "../../../src/agent/pi/outcome.ts";
import type { PiRecord } from "../../../src/agent/pi/protocol.ts";

const said = (stopReason: string, errorMessage?: string, text = "words"): PiRecord => ({
  type: "message_end",
  message: {
    role: "assistant",
    content: [{ type: "text", text }],
    stopReason,
    ...(errorMessage === undefined ? {} : { errorMessage }),
  },
});
const retries: PiRecord = { type: "compaction_end", willRetry: true };
const cut = (type: string): object => ({ type: "done", cut: { type } });
const gaveUp = (finalError?: string): PiRecord =>
  finalError === undefined ? { type: "auto_retry_end" } : { type: "auto_retry_end", finalError };
const failed = (reason: string): object => ({ type: "failed", failure: { type: "model_failed", reason } });

test.each([
  ["nothing was said", [], false, { type: "done" }],
  ["the answer ended", [said("stop")], false, { type: "done" }],
  ["the answer was too long", [said("length")], false, cut("length")],
  [
    "it was, and nothing was said behind it",
    [said("length"), said("stop", undefined, " ")],
    false,
    cut("length"),
  ],
  ["it was, and more was said behind it", [said("length"), said("stop")], false, { type: "done" }],
  ["it was, and the agent asks once more", [said("length"), retries, said("stop")], false, { type: "done" }],
  ["a tool was to be used, and none was named", [said("toolUse")], false, cut("no_tool")],
  [
    "the agent gives a reason that nobody knows",
    [said("deferred")],
    false,
    { type: "done", cut: { type: "unknown", reason: "deferred" } },
  ],
  ["the agent says that it was aborted", [said("stop")], true, { type: "aborted" }],
  [
    "the answer was aborted, and an older agent does not say more",
    [said("aborted")],
    false,
    { type: "aborted" },
  ],
  ["the model failed", [said("error", "no key")], false, failed("no key")],
  [
    "the model failed without a word",
    [said("error")],
    false,
    failed("it gave no reason. Send the message again; the log on evie's machine may tell more."),
  ],
  ["all attempts failed", [said("error", "first"), gaveUp("last")], false, failed("last")],
  ["a later attempt went well", [said("error", "no"), said("stop"), gaveUp()], false, { type: "done" }],
  ["an attempt was aborted", [said("error", "no"), gaveUp("Retry cancelled")], true, { type: "aborted" }],
])("a run ends right when %s", (_when, records, aborted, end) => {
  const outcome = createOutcome();
  for (const record of records) outcome.see(record);
  expect(outcome.end(aborted)).toEqual(end);
});

test.each([
  [{ stopReason: "length", rawStopReason: "max_tokens" }, { type: "length" }],
  [{ stopReason: "length", rawStopReason: "model_context_window_exceeded" }, { type: "full" }],
  [{ stopReason: "stop", rawStopReason: "end_turn" }, undefined],
  [{ stopReason: "stop", rawStopReason: "pause_turn" }, { type: "paused" }],
  [{ stopReason: "stop" }, undefined],
  [{ stopReason: "pending" }, undefined],
  [{ stopReason: "aborted" }, undefined],
  [{ stopReason: "error" }, undefined],
  [{}, undefined],
])("an answer that ends with %j is cut by %j", (message, found) => {
  expect(cutOf({ role: "assistant", content: [], ...message })).toEqual(found);
});

test("an answer that calls a tool is whole", () => {
  const call = { type: "toolCall", id: "c", name: "bash", arguments: {} } as const;
  expect(cutOf({ role: "assistant", content: [call], stopReason: "toolUse" })).toBeUndefined();
});
