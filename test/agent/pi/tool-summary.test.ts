import { expect, test } from "vitest";
import { toolSummary } from "../../../src/agent/pi/tool-summary.ts";

test.each([
  ["bash", { command: "npm test" }, "npm test"],
  ["bash", { command: "\n  cd x\nnpm test\n" }, "cd x …"],
  ["bash", { command: `echo ${"x".repeat(200)}` }, `echo ${"x".repeat(74)}…`],
  ["bash", { script: 1 }, '{"script":1}'],
  ["read", { path: "src/a.ts", offset: 3 }, "src/a.ts"],
  ["edit", { path: "src/a.ts", edits: [] }, "src/a.ts"],
  ["write", { path: "src/\u001b[31ma.ts", content: "x" }, "src/a.ts"],
  ["search", { query: "a\nb", deep: { er: [1] } }, '{"query":"a\\nb","deep":{"er":[1]}}'],
  ["search", {}, ""],
  ["search", undefined, ""],
  ["search", "words", '"words"'],
])("%s with %j is summed up in one line", (name, args, summary) => {
  expect(toolSummary(name, args)).toBe(summary);
});
