import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLine } from "../../../src/agent/pi/protocol.ts";

const update = (event: object, more: object = {}): string =>
  JSON.stringify({ type: "message_update", usage: {}, assistantMessageEvent: event, ...more });

describe("reading a line of pi", () => {
  test.each([
    ["text", update({ type: "text_delta", contentIndex: 2, delta: "a" }), "text"],
    ["thinking", update({ type: "thinking_delta", contentIndex: 2, delta: "a" }), "thinking"],
    ["a tool call", update({ type: "toolcall_delta", contentIndex: 2, delta: "a" }), "toolCall"],
  ])("takes a delta of %s", (_what, line, block) => {
    expect(readLine(line)).toEqual({ type: "block_delta", block, index: 2, text: "a" });
  });

  test("leaves out what nests too deeply for anything that walks it, and keeps the rest", () => {
    const deep = `${"[".repeat(20_000)}"\\ud800"${"]".repeat(20_000)}`;
    const call = (args: string): string =>
      `{"type":"toolCall","id":"1","name":"query","arguments":{"a":1,"deep":${args}}}`;
    const end = readLine(
      `{"type":"message_end","message":{"role":"assistant","content":[${call(deep)},{"type":"text","text":"hi"}]}}`,
    );
    expect(end).toMatchObject({
      message: {
        content: [
          { name: "query", arguments: { a: 1 } },
          { type: "text", text: "hi" },
        ],
      },
    });
    expect(() => JSON.stringify(end)).not.toThrow();
    const block = `{"type":"message_update","assistantMessageEvent":{"type":"toolcall_end","contentIndex":0,"toolCall":${call(deep)}}}`;
    expect(readLine(block)).toMatchObject({
      type: "block_end",
      text: expect.stringContaining('{"a":1,"deep":[['),
    });
    expect(readLine(`{"type":"tool_execution_end","result":${"[".repeat(1_000_000)}`)).toBe("bad");
  });

  test.each([
    [{ type: "text_end", content: "abc" }, "text", "abc"],
    [{ type: "thinking_end", content: "abc" }, "thinking", "abc"],
    [{ type: "toolcall_end", toolCall: { arguments: { a: 1 } } }, "toolCall", '{"a":1}'],
    [{ type: "toolcall_end" }, "toolCall", ""],
  ])("takes the whole of a block at its end: %j", (event, block, text) => {
    expect(readLine(update({ ...event, contentIndex: 0 }))).toEqual({
      type: "block_end",
      block,
      index: 0,
      text,
    });
  });

  test("repairs what is whole, and leaves a delta as it is, of which the next one may be the other half", () => {
    const broken = "a\0b \ud83d";
    expect(readLine(JSON.stringify({ type: "extension_error", error: broken }))).toEqual({
      type: "extension_message",
      text: "ab \ufffd",
    });
    expect(readLine(update({ type: "text_end", contentIndex: 0, content: broken }))).toMatchObject({
      text: "ab \ufffd",
    });
    expect(readLine(update({ type: "text_delta", contentIndex: 0, delta: broken }))).toMatchObject({
      text: broken,
    });
  });

  test.each([
    ["the message so far", update({ type: "text_delta", contentIndex: 0, delta: "a" }, { message: {} })],
    ["a partial one", update({ type: "text_delta", contentIndex: 0, delta: "a", partial: {} })],
  ])("knows an old agent by an update that carries %s", (_what, line) => {
    expect(readLine(line)).toEqual({ type: "cumulative_update" });
  });

  test.each([
    ["a record that it does not know", '{"type":"moon_phase"}'],
    ["a record without a type", "{}"],
    ["an update of an unknown kind", update({ type: "video_delta", contentIndex: 0 })],
    ["an update without an index", update({ type: "text_delta", delta: "a" })],
    [
      "an index that would make a million blocks",
      update({ type: "text_delta", contentIndex: 1e6, delta: "a" }),
    ],
    ["the system prompt", '{"type":"message_start","message":{"role":"system","content":""}}'],
    ["a summary", '{"type":"message_end","message":{"role":"compactionSummary","content":""}}'],
    ["a status line", '{"type":"extension_ui_request","id":"1","method":"setStatus"}'],
  ])("ignores %s", (_what, line) => {
    expect(readLine(line)).toBe("ignored");
  });

  test("knows the long records by how they begin, without reading them", () => {
    const cut = (head: string): string => `${head}${"x".repeat(100)}`;
    expect(readLine(cut('{"type":"turn_end","message":'))).toEqual({ type: "turn_end" });
    expect(readLine(cut('{"type":"message_end","message":{"role":"user","content":'))).toBe("ignored");
    expect(readLine(cut('{"type":"message_start","message":{"role":"system","content":'))).toBe("ignored");
  });

  test.each([
    ['{"type":"agent_end","messages":[],"willRetry":false}', true],
    [`{"type":"agent_end","messages":["${"x".repeat(99)}"],"willRetry":true}`, true],
    ['{"messages":[],"type":"agent_end","willRetry":false}', true],
    [
      '{"type":"agent_end","messages":["\\"willRetry\\":", "and then forty characters of something else"]}',
      false,
    ],
    ['{"type":"agent_end","messages":[]}', false],
  ])("sees whether an end says if a new attempt follows: %s", (line, saysWillRetry) => {
    expect(readLine(line)).toEqual({ type: "agent_end", saysWillRetry });
  });

  test("takes text as one string or in parts, without pictures", () => {
    const line = (content: unknown): string =>
      JSON.stringify({ type: "message_start", message: { role: "user", content, timestamp: 5 } });
    const message = { role: "user", content: [{ type: "text", text: "hi" }], timestamp: 5 };
    expect(readLine(line("hi"))).toEqual({ type: "message_start", message });
    const parts = [{ type: "text", text: "hi" }, { type: "image", data: "AAAA" }, null];
    expect(readLine(line(parts))).toEqual({ type: "message_start", message });
  });

  test.each(["", "null", "nonsense", "[]", '{"type":'])("calls %j bad", (line) => {
    expect(readLine(line)).toBe("bad");
  });

  test("never throws, whatever the fields hold", () => {
    const types = [
      "response",
      "message_start",
      "message_end",
      "message_update",
      "tool_execution_start",
      "tool_execution_update",
      "tool_execution_end",
      "auto_retry_start",
      "auto_retry_end",
      "extension_ui_request",
      "extension_error",
      "agent_settled",
    ];
    const fields = fc.constantFrom(
      "message",
      "assistantMessageEvent",
      "result",
      "partialResult",
      "id",
      "data",
      "method",
      "args",
      "attempt",
    );
    const record = fc.tuple(fc.constantFrom(...types), fc.dictionary(fields, fc.jsonValue()));
    fc.assert(
      fc.property(record, ([type, rest]) => {
        expect(readLine(JSON.stringify({ type, ...rest }))).not.toBe("bad");
      }),
    );
  });
});
