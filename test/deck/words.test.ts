import { describe, expect, test } from "vitest";
import { cutSentence } from "../../src/domain/cut.ts";
import type { Message } from "../../src/domain/events.ts";
import type { TurnId } from "../../src/domain/ids.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import { endWords, troubleWords } from "../../src/deck/words.ts";

const turn = (outcome?: TurnOutcome) => ({
  turn: { id: "t" as TurnId, startedAt: 0, ...(outcome === undefined ? {} : { outcome }) },
});
const last = (more: Partial<Message>): { readonly messages: readonly Message[] } => ({
  messages: [{ key: "a", role: "assistant", at: 0, content: [], ...more }],
});
const cut = cutSentence({ type: "length" });

describe("how a turn ended is said below it", () => {
  test.each<[string, TurnOutcome | undefined, Partial<Message>, string | undefined]>([
    ["nothing while it runs", undefined, {}, undefined],
    ["nothing when it was answered", { type: "done" }, { stopReason: "stop" }, undefined],
    ["that it was stopped", { type: "stopped" }, { stopReason: "stop" }, "Stopped"],
    ["unless its last message says so", { type: "stopped" }, { stopReason: "aborted" }, undefined],
    ["why it failed", { type: "failed", message: "The agent ended." }, {}, "The agent ended."],
    [
      "unless its last message says so, with a capital",
      { type: "failed", message: "The model could not answer: the provider is overloaded (529). Wait." },
      { stopReason: "error", error: "The provider is overloaded (529). Wait." },
      undefined,
    ],
    ["why it is not whole", { type: "done", cut: { reason: "length", message: cut } }, {}, cut],
    [
      "unless its last message says so as well",
      { type: "done", cut: { reason: "length", message: cut } },
      { stopReason: "length", error: cut },
      undefined,
    ],
  ])("%s", (_, outcome, message, words) => {
    expect(endWords({ ...turn(outcome), ...last(message) })).toBe(words);
  });
});

test.each<[Partial<Message>, string | undefined]>([
  [{ stopReason: "stop" }, undefined],
  [{ stopReason: "pending" }, undefined],
  [{ stopReason: "length", error: cut }, cut],
  [{ stopReason: "length" }, "Cut off: the model's answer was at its longest."],
  [{ stopReason: "toolUse", error: "No tool." }, "No tool."],
  [{ stopReason: "error" }, "The model failed here."],
  [{ stopReason: "aborted" }, "Cut off: the turn was stopped here."],
])("a message that ended with %j says %j", (message, words) => {
  expect(troubleWords(message)).toBe(words);
});
