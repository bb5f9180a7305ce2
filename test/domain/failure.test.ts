import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AgentExit, type AgentFailure, exitWords, failureSentence } from "../../src/domain/failure.ts";

describe("a failure is said in a sentence or two", () => {
  test.each<[AgentFailure, string]>([
    [
      { type: "missing", command: "pi --mode rpc" },
      "The agent was not found (pi --mode rpc). Install pi, or set EVIE_AGENT_COMMAND on the machine evie runs on.",
    ],
    [
      { type: "start_failed", exit: { code: 3, lastWords: "no such model" } },
      "The agent could not start (exit code 3: no such model). Run it once by hand on evie's machine to see why.",
    ],
    [
      { type: "start_timeout", seconds: 30 },
      "The agent did not answer within 30 s of its start and was ended. Send your message again to try once more.",
    ],
    [
      { type: "too_old" },
      "The agent speaks an old protocol. Update it to pi 0.84 or newer on evie's machine.",
    ],
    [
      { type: "workspace_gone", cwd: "/home/ada/x" },
      "The folder of this session is gone (/home/ada/x). Put it back, or send /clear for a new session.",
    ],
    [
      { type: "history_unusable", file: "/h/s.jsonl", reason: "it is too large for the agent, 600 MB" },
      "The history of this session cannot be opened (it is too large for the agent, 600 MB). Send /clear for a new session; the old one stays on evie's machine, in /h/s.jsonl.",
    ],
    [
      { type: "history_damaged", movedTo: "/h/s.jsonl.damaged" },
      "The history of this session could not be read, so it was set aside as /h/s.jsonl.damaged. Send your message again: the agent begins anew.",
    ],
    [
      { type: "exited", exit: { signal: "SIGKILL" } },
      "The agent ended unexpectedly (signal SIGKILL). Send a message to start it again.",
    ],
    [{ type: "refused", reason: "No API key found." }, "The agent refused the prompt: No API key found."],
    [{ type: "refused", reason: " \n" }, "The agent refused the prompt: it gave no reason."],
    [{ type: "model_failed", reason: "529\n  overloaded" }, "The model could not answer: 529 overloaded."],
    [{ type: "model_failed", reason: "half of \ud83d" }, "The model could not answer: half of \ufffd."],
    [{ type: "model_failed", reason: "Really?" }, "The model could not answer: Really?"],
    [{ type: "model_failed", reason: "" }, "The model could not answer: it gave no reason."],
    [
      { type: "internal", reason: "database is locked" },
      "evie made a mistake (database is locked). Send the message again; the log on its machine tells more.",
    ],
    [
      { type: "internal", reason: "" },
      "evie made a mistake (it gave no reason). Send the message again; the log on its machine tells more.",
    ],
  ])("%o", (failure, sentence) => {
    expect(failureSentence(failure)).toBe(sentence);
  });

  test("also when the reason is long, and then it is cut between characters", () => {
    const sentence = (count: number) => failureSentence({ type: "refused", reason: "😀".repeat(count) });
    expect(sentence(300)).toBe(`The agent refused the prompt: ${"😀".repeat(300)}.`);
    expect(sentence(301)).toBe(`The agent refused the prompt: ${"😀".repeat(299)}…`);
  });

  test("whatever the reason is: on one line, whole, bounded, with an end", () => {
    const reason = fc.string({ unit: "binary", maxLength: 1_000 });
    fc.assert(
      fc.property(reason, fc.constantFrom("refused", "model_failed", "internal"), (text, type) => {
        const sentence = failureSentence({ type, reason: text });
        expect(sentence).not.toMatch(/[\n\r\u2028\u2029\p{Cs}]/u);
        expect(sentence).not.toMatch(/: $|\(\)/);
        expect(sentence).toMatch(/[.!?…]$/);
        expect(Array.from(sentence).length).toBeLessThan(450);
      }),
    );
  });
});

test.each<[AgentExit, string]>([
  [{ code: 3 }, "exit code 3"],
  [{ code: 0 }, "exit code 0"],
  [{ signal: "SIGKILL" }, "signal SIGKILL"],
  [{ code: 1, signal: "SIGTERM" }, "signal SIGTERM"],
  [{}, "no exit code"],
  [{ code: 1, lastWords: "out of\n memory " }, "exit code 1: out of memory"],
  [{ code: 1, lastWords: " " }, "exit code 1"],
])("the exit %o reads %s", (exit, words) => {
  expect(exitWords(exit)).toBe(words);
});
