import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, Content, MessageDelta, SessionEvent, TurnEvent } from "../../src/domain/events.ts";
import { applyEvent, emptyTranscript, endOf, type Transcript } from "../../src/domain/transcript.ts";
import {
  assistant,
  begin,
  end,
  fold,
  interrupted,
  numbered,
  opens,
  said,
  says,
  SECOND,
  T0,
  thinks,
  toolEnds,
  toolStarts,
  transcriptOf,
} from "./events.ts";

const notice = (what: Extract<AgentEvent, { type: "notice" }>["notice"]): AgentEvent => ({
  type: "notice",
  notice: what,
});
const compacting = notice({ type: "compacting" });
const retrying = notice({ type: "retrying", attempt: 1, maxAttempts: 3, delayMs: 2_000, reason: "529" });
const omitted = notice({ type: "image_omitted" });
const discard = (key: string): AgentEvent => ({ type: "message_discard", key });
const output = (toolCallId: string, text: string): AgentEvent => ({
  type: "tool_execution_update",
  toolCallId,
  toolName: "bash",
  output: text,
});
const delta = (key: string, fields: Partial<MessageDelta>): AgentEvent => ({
  type: "message_update",
  key,
  delta: { contentIndex: 0, kind: "text", text: "", ...fields },
});

function contentOf({ messages }: Transcript, key: string): readonly Content[] | undefined {
  return messages.find((message) => message.key === key)?.content;
}

describe("a turn", () => {
  test("begins when its first event was received", () => {
    const { turn, seq } = transcriptOf(begin);
    expect(turn).toEqual({ id: expect.stringMatching(/^t-/), startedAt: T0 });
    expect(seq).toBe(1);
  });

  test("keeps its beginning when it ends, and how", () => {
    const { turn } = transcriptOf(begin, opens("a"), end({ type: "replaced" }));
    expect(turn).toMatchObject({
      startedAt: T0,
      endedAt: T0 + 2 * SECOND,
      outcome: { type: "replaced" },
    });
  });

  test("begins without the last one's end, tools, remarks and notice, and keeps the messages", () => {
    const before = [begin, said("a", "x"), toolStarts("1", "bash", "ls"), omitted, compacting];
    const { turn, messages, tools, remarks, notice: passing } = transcriptOf(...before, begin);
    expect(turn).toEqual({ id: expect.any(String), startedAt: T0 + 5 * SECOND });
    expect(messages).toHaveLength(1);
    expect([tools, remarks, passing]).toEqual([[], [], undefined]);
  });

  test("that nobody saw begin has no end either", () => {
    expect(transcriptOf(end({ type: "done" }))).toEqual({ ...emptyTranscript, seq: 1 });
  });

  test("goes through steps that leave no trace", () => {
    const { seq: _, ...before } = transcriptOf(begin);
    expect(transcriptOf(begin, { type: "turn_start" }, { type: "turn_end" })).toEqual({ ...before, seq: 3 });
  });
});

describe("a turn that is interrupted", () => {
  test.each(["stopped", "replaced"] as const)("has ended for who sees it from then on: %s", (reason) => {
    const going = transcriptOf(begin, said("a", "So far"));
    expect(endOf(going.turn)).toBeUndefined();
    const { turn, messages } = transcriptOf(begin, said("a", "So far"), interrupted(reason));
    expect(turn).toEqual({ id: expect.any(String), startedAt: T0, interrupted: { type: reason } });
    expect(endOf(turn)).toEqual({ type: reason });
    expect(messages).toEqual(going.messages);
  });

  test("stays what it was seen to be, whatever its end says", () => {
    const { turn } = transcriptOf(begin, interrupted("replaced"), end({ type: "stopped" }));
    expect(turn).toMatchObject({ outcome: { type: "stopped" }, endedAt: T0 + 2 * SECOND });
    expect(endOf(turn)).toEqual({ type: "replaced" });
  });

  test.each([
    ["its interruption", interrupted("stopped")],
    ["its end", end({ type: "failed", message: "It died." })],
  ])("leaves nothing under way that its agent may never end, after %s", (_, event) => {
    const {
      messages,
      tools,
      notice: passing,
    } = transcriptOf(
      begin,
      said("a", "Whole"),
      opens("b"),
      says("b", "Half"),
      toolStarts("1", "bash", "ls"),
      toolEnds("1"),
      toolStarts("2", "bash", "sleep"),
      compacting,
      event,
    );
    expect(messages.map(({ stopReason }) => stopReason)).toEqual(["stop", "aborted"]);
    expect(tools.map(({ endedAt, cutOff }) => [endedAt, cutOff])).toEqual([
      [T0 + 5 * SECOND, undefined],
      [T0 + 8 * SECOND, true],
    ]);
    expect(passing).toBeUndefined();
  });

  test("that nobody saw begin is none", () => {
    expect(transcriptOf(interrupted("stopped"))).toEqual({ ...emptyTranscript, seq: 1 });
  });
});

describe("a message", () => {
  test.each<[string, readonly AgentEvent[], readonly Content[]]>([
    ["is what its deltas say", [says("a", "Hel"), says("a", "lo")], [{ type: "text", text: "Hello" }]],
    [
      "keeps each content at its index, in whatever order deltas come",
      [thinks("a", "h"), says("a", "x", 1), thinks("a", "m"), says("a", "y", 1)],
      [
        { type: "thinking", text: "hm" },
        { type: "text", text: "xy" },
      ],
    ],
    [
      "has no hole where an index was left out",
      [says("a", "x", 2)],
      [
        { type: "text", text: "" },
        { type: "text", text: "" },
        { type: "text", text: "x" },
      ],
    ],
    [
      "fills what was left out with what comes later",
      [says("a", "x", 1), thinks("a", "hm")],
      [
        { type: "thinking", text: "hm" },
        { type: "text", text: "x" },
      ],
    ],
    [
      "gathers a tool call's arguments",
      [
        delta("a", { kind: "toolCall", toolCall: { id: "1", name: "bash" } }),
        delta("a", { kind: "toolCall", text: '{"c":' }),
        delta("a", { kind: "toolCall", text: "1}" }),
      ],
      [{ type: "toolCall", id: "1", name: "bash", args: '{"c":1}' }],
    ],
    [
      "takes a tool call that nobody named",
      [delta("a", { kind: "toolCall", text: "{}" })],
      [{ type: "toolCall", id: "", name: "", args: "{}" }],
    ],
  ])("%s", (_, events, content) => {
    expect(contentOf(transcriptOf(begin, opens("a"), ...events), "a")).toEqual(content);
  });

  test("is at its end what its end says, whatever the deltas said", () => {
    const { messages } = transcriptOf(begin, opens("a"), says("a", "Hal"), said("a", "Hello"));
    expect(messages).toEqual([assistant("a", [{ type: "text", text: "Hello" }], { stopReason: "stop" })]);
  });

  test("stays in its place when it ends after the next one began", () => {
    const { messages } = transcriptOf(begin, opens("a"), opens("b"), said("a", "x"));
    expect(messages.map(({ key }) => key)).toEqual(["a", "b"]);
  });

  test("that was never begun takes no delta, and is added by its end", () => {
    expect(transcriptOf(begin, says("a", "x")).messages).toEqual([]);
    expect(transcriptOf(begin, said("a", "x")).messages).toHaveLength(1);
  });

  test("leaves no trace when it is discarded", () => {
    const { seq: _before, ...before } = transcriptOf(begin, said("a", "kept"));
    const { seq: _after, ...after } = transcriptOf(
      begin,
      said("a", "kept"),
      opens("b"),
      says("b", "lost"),
      discard("b"),
      says("b", "late"),
    );
    expect(after).toEqual(before);
  });

  test("may come again after it was discarded", () => {
    const { messages } = transcriptOf(
      begin,
      opens("a"),
      says("a", "x"),
      discard("a"),
      opens("a"),
      says("a", "y"),
    );
    expect(messages.map(({ content }) => content)).toEqual([[{ type: "text", text: "y" }]]);
  });
});

describe("a tool", () => {
  test("runs from its start to its end", () => {
    expect(transcriptOf(begin, toolStarts("1", "bash", "ls")).tools).toEqual([
      { id: "1", name: "bash", summary: "ls", startedAt: T0 + SECOND, output: "", isError: false },
    ]);
    const ended: AgentEvent = {
      type: "tool_execution_end",
      toolCallId: "1",
      toolName: "bash",
      output: "no such file",
      isError: true,
    };
    expect(transcriptOf(begin, toolStarts("1", "bash", "ls"), ended).tools).toMatchObject([
      { startedAt: T0 + SECOND, endedAt: T0 + 2 * SECOND, output: "no such file", isError: true },
    ]);
  });

  test("shows its latest output, beside others", () => {
    const { tools } = transcriptOf(
      begin,
      toolStarts("1", "bash", "x"),
      toolStarts("2", "bash", "y"),
      output("1", "a"),
      output("2", "b"),
      output("1", "ab"),
    );
    expect(tools.map((tool) => tool.output)).toEqual(["ab", "b"]);
  });

  test("that nobody saw start leaves no trace", () => {
    expect(transcriptOf(begin, output("1", "a"), toolEnds("1")).tools).toEqual([]);
  });
});

describe("a notice", () => {
  test.each<[string, AgentEvent | TurnEvent]>([
    ["a message that begins", opens("b")],
    ["a message that goes on", says("a", "x")],
    ["a message that ends", said("a", "x")],
    ["a tool that starts", toolStarts("1", "bash", "x")],
    ["the turn's end", end({ type: "done" })],
    ["the next turn", begin],
  ])("that passes is over with %s", (_, event) => {
    for (const passing of [compacting, retrying]) {
      expect(transcriptOf(begin, opens("a"), passing).notice).toEqual(
        passing.type === "notice" ? passing.notice : undefined,
      );
      expect(transcriptOf(begin, opens("a"), passing, event)).not.toHaveProperty("notice");
    }
  });

  test.each<[string, AgentEvent]>([
    ["a message that is discarded", discard("a")],
    ["a tool's output", output("1", "x")],
    ["a tool's end", toolEnds("1")],
    ["a remark", omitted],
  ])("that passes outlives %s", (_, event) => {
    expect(
      transcriptOf(begin, opens("a"), toolStarts("1", "bash", "x"), retrying, event).notice,
    ).toMatchObject({
      type: "retrying",
    });
  });

  test("gives way to the next one", () => {
    expect(transcriptOf(begin, compacting, retrying).notice).toMatchObject({ type: "retrying" });
  });

  test("that stays true is a remark until the next turn, in order", () => {
    const told = notice({ type: "extension_message", text: "clean" });
    const cancelled = notice({ type: "question_cancelled", title: "Sure?" });
    const { remarks, notice: passing } = transcriptOf(
      begin,
      omitted,
      told,
      cancelled,
      opens("a"),
      end({ type: "done" }),
    );
    expect(remarks.map(({ type }) => type)).toEqual([
      "image_omitted",
      "extension_message",
      "question_cancelled",
    ]);
    expect(passing).toBeUndefined();
  });
});

const key = fc.constantFrom("a", "b", "c");
const tool = fc.constantFrom("1", "2");
const text = fc.string({ maxLength: 5 });
const anyEvent: fc.Arbitrary<AgentEvent | TurnEvent> = fc.oneof(
  fc.constantFrom<AgentEvent | TurnEvent>(
    begin,
    interrupted("stopped"),
    end({ type: "done" }),
    { type: "turn_start" },
    { type: "turn_end" },
  ),
  key.map(opens),
  fc.record({ key, text }).map((each) => said(each.key, each.text)),
  key.map(discard),
  fc
    .record({
      key,
      contentIndex: fc.nat(3),
      kind: fc.constantFrom("text", "thinking", "toolCall"),
      text,
    } as const)
    .map((each) => delta(each.key, each)),
  tool.map((id) => toolStarts(id, "bash", "x")),
  fc.record({ tool, text }).map((each) => output(each.tool, each.text)),
  tool.map((id) => toolEnds(id)),
  fc.constantFrom(compacting, retrying, omitted),
);
const anySession = fc.array(anyEvent, { maxLength: 30 }).map(numbered);

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

describe("whatever happens", () => {
  test("an event changes neither the state that it is applied to nor itself", () => {
    fc.assert(
      fc.property(anySession, (events) => {
        const folded = deepFreeze(events).reduce(
          (state, event) => deepFreeze(applyEvent(state, event)),
          deepFreeze(emptyTranscript),
        );
        expect(folded).toEqual(fold(events));
      }),
    );
  });

  test("an event at or below the state's number changes nothing", () => {
    fc.assert(
      fc.property(anySession, anyEvent, fc.nat(), (events, event, back) => {
        const state = fold(events);
        const late: SessionEvent = { ...event, seq: state.seq - (back % (state.seq + 1)), at: T0 };
        expect(applyEvent(state, late)).toBe(state);
      }),
    );
  });

  test("a batch that is folded twice, or overlaps what was folded, changes nothing", () => {
    fc.assert(
      fc.property(anySession, fc.nat(), fc.nat(), (events, from, to) => {
        const once = fold(events);
        expect(fold(events, once)).toBe(once);
        const [a = 0, b = 0] = [from, to].map((at) => at % (events.length + 1)).sort((x, y) => x - y);
        const overlapping = [...events.slice(0, b), ...events.slice(a)];
        expect(fold(overlapping)).toEqual(once);
      }),
    );
  });

  test("the state carries the number of its last event, and content has no holes", () => {
    fc.assert(
      fc.property(anySession, (events) => {
        const { seq, messages } = fold(events);
        expect(seq).toBe(events.length);
        for (const { content } of messages) expect([...content]).not.toContain(undefined);
      }),
    );
  });

  test("a discarded message leaves nothing behind", () => {
    fc.assert(
      fc.property(anySession, (events) => {
        const state = fold([...events, ...numbered([discard("a")]).map((each) => ({ ...each, seq: 99 }))]);
        const without = fold(events).messages.filter((message) => message.key !== "a");
        expect(state.messages).toEqual(without);
      }),
    );
  });
});
