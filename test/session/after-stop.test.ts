import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, Content, Message, TurnEvent, Usage } from "../../src/domain/events.ts";
import { createAfterStop } from "../../src/session/after-stop.ts";
import {
  asked,
  assistant,
  begin,
  end,
  interrupted,
  opens,
  said,
  says,
  T0,
  thinks,
  toolEnds,
  toolStarts,
  transcriptOf,
} from "../domain/events.ts";
import { stepEvents } from "./step-events.ts";

const usage: Usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, cost: 0.5 };

/** A turn that is stopped after `before`: what everybody is told, and what is kept of what comes then. */
function stopAfter(...before: readonly AgentEvent[]) {
  const told: (AgentEvent | TurnEvent)[] = [];
  const kept = new Map<string, Message>();
  const afterStop = createAfterStop({
    keep: (message) => void kept.set(message.key, message),
    forget: (key) => void kept.delete(key),
  });
  const see = (...events: readonly (AgentEvent | TurnEvent)[]): void => {
    for (const event of events) if (!afterStop.takes(event, T0)) told.push(event);
  };
  see(begin, ...before, interrupted("stopped"));
  afterStop.begin(
    transcriptOf(begin, ...before).messages.filter(({ stopReason }) => stopReason === "pending"),
  );
  told.splice(0);
  return { see, told, kept, messages: () => [...kept.values()] };
}

const text = (words: string): Content => ({ type: "text", text: words });

describe("after the interruption of a turn", () => {
  test("nobody is told what its agent says or does, but that it has ended", () => {
    const { see, told } = stopAfter(opens("a"), says("a", "Half"));
    see(says("a", " more"), toolStarts("1", "bash", "rm -rf /"), toolEnds("1"), { type: "turn_end" });
    see({ type: "notice", notice: { type: "compacting" } }, opens("b"), said("b", "And on."));
    expect(told).toEqual([]);
    see(end({ type: "stopped" }), begin, opens("c"));
    expect(told).toEqual([end({ type: "stopped" }), begin, opens("c")]);
  });

  test("a message that was under way stays as it was seen, and the rest of it is kept behind it, marked", () => {
    const { see, messages } = stopAfter(opens("a"), thinks("a", "hm"), says("a", "Half", 1));
    see(says("a", " an answer", 1), said("a", { type: "thinking", text: "hm" }, "Half an answer"));
    expect(messages()).toEqual([
      assistant("a-after-stop", [text(" an answer")], { stopReason: "stop", afterStop: true }),
    ]);
  });

  test("a message that ends where it was seen to end leaves nothing behind it but what it cost", () => {
    const { see, messages } = stopAfter(opens("a"), says("a", "Half"));
    const message = assistant("a", [text("Half")], { stopReason: "aborted", usage, model: "m" });
    see({ type: "message_end", key: "a", message });
    expect(messages()).toEqual([message]);
  });

  test("a message that says something else in the end is kept whole beside what was seen of it", () => {
    const { see, messages } = stopAfter(opens("a"), says("a", "Hall"));
    see(said("a", "Hello"));
    expect(messages()).toMatchObject([{ key: "a-after-stop", content: [text("Hello")], afterStop: true }]);
  });

  test("a call that was still being written is kept whole, and one that was whole is not kept twice", () => {
    const call = (id: string, args: string): Content => ({ type: "toolCall", id, name: "bash", args });
    const writes = (id: string, args: string, contentIndex: number): AgentEvent => ({
      type: "message_update",
      key: "a",
      delta: { contentIndex, kind: "toolCall", text: args, toolCall: { id, name: "bash" } },
    });
    const { see, messages } = stopAfter(opens("a"), writes("1", '{"a":1}', 0), writes("2", '{"b":', 1));
    see(said("a", call("1", '{"a": 1}'), call("2", '{"b":2}')));
    expect(messages()).toMatchObject([{ key: "a-after-stop", content: [call("2", '{"b":2}')] }]);
  });

  test("what is said then is kept with a mark, results of tools as well, and what was not ended as far as it came", () => {
    const { see, messages } = stopAfter();
    const result: Message = { key: "r", role: "toolResult", at: T0, content: [text("ok")], toolCallId: "1" };
    see(
      said("b", "Going on."),
      { type: "message_end", key: "r", message: result },
      opens("c"),
      says("c", "And"),
    );
    see(end({ type: "stopped" }));
    expect(messages()).toEqual([
      assistant("b", [text("Going on.")], { stopReason: "stop", afterStop: true }),
      { ...result, afterStop: true },
      assistant("c", [text("And")], { stopReason: "aborted", afterStop: true }),
    ]);
  });

  test("an attempt that begins anew takes back what was kept of the one before, and nothing that was seen", () => {
    const { see, messages } = stopAfter(opens("a"), says("a", "Seen"));
    const discards = (key: string): AgentEvent => ({ type: "message_discard", key });
    see(said("a", "Seen and more"), said("b", "Kept"), discards("a"), discards("b"));
    expect(messages().map(({ key }) => key)).toEqual(["a-after-stop"]);
  });

  test("the person's own words are told when the agent takes them only then, and no other words as theirs", () => {
    const { see, told, messages } = stopAfter();
    see(asked("What is it?"));
    expect(told).toEqual([asked("What is it?")]);
    const more: Message = { key: "u", role: "user", at: T0, content: [text("And this")] };
    see({ type: "message_end", key: "u", message: more });
    expect(told).toHaveLength(1);
    expect(messages()).toEqual([{ ...more, afterStop: true }]);
    const later = stopAfter(asked("What is it?"));
    later.see({ type: "message_end", key: "u", message: more });
    expect(later.told).toEqual([]);
  });

  test("whatever the agent says and does, nobody is told, and all that is kept is marked or was seen", () => {
    fc.assert(
      fc.property(stepEvents, stepEvents, (before, after) => {
        const seen = transcriptOf(begin, ...before, interrupted("stopped"));
        const { see, told, messages } = stopAfter(...before);
        see(...after, end({ type: "stopped" }));
        expect(told.map(({ type }) => type)).toEqual(["agent_end"]);
        for (const { afterStop, usage: _usage, model: _model, ...message } of messages()) {
          if (afterStop !== true) expect(seen.messages).toContainEqual(message);
        }
      }),
    );
  });
});
