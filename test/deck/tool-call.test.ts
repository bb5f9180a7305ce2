import { expect, test } from "vitest";
import { readToolCall } from "../../src/deck/tool-call.ts";

test.each([
  ["bash", { command: "ls -l" }, { summary: "ls -l", edits: [] }],
  ["bash", { command: "ls\npwd" }, { summary: "ls pwd", edits: [], command: "ls\npwd" }],
  ["read", { path: "a.ts" }, { summary: "a.ts", path: "a.ts", edits: [] }],
  [
    "edit",
    { path: "a.ts", edits: [{ oldText: "b", newText: "c" }, { oldText: 1 }] },
    { summary: "a.ts", path: "a.ts", edits: [{ before: "b", after: "c" }] },
  ],
  [
    "edit",
    { path: "a.ts", oldText: "b", newText: "c" },
    { summary: "a.ts", path: "a.ts", edits: [{ before: "b", after: "c" }] },
  ],
  [
    "write",
    { path: "a.ts", content: "new" },
    { summary: "a.ts", path: "a.ts", edits: [{ before: "", after: "new" }] },
  ],
  ["weather", {}, { summary: "", edits: [] }],
  ["weather", { at: "sea" }, { summary: '{"at":"sea"}', edits: [], rest: '{\n  "at": "sea"\n}' }],
])("%s of %j", (name, args, expected) => {
  expect(readToolCall(name, JSON.stringify(args))).toEqual(expected);
});

test("arguments that are still being written are shown as far as they go", () => {
  expect(readToolCall("bash", '{"command": "ls\\n')).toEqual({ summary: '{"command": "ls\\n', edits: [] });
  expect(readToolCall("bash", "null")).toEqual({ summary: "null", edits: [] });
});
