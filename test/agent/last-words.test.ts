import { expect, test } from "vitest";
import { lastWords } from "../../src/agent/last-words.ts";

const CRASH = `file:///a/b.js:3
throw new TypeError("it is null");
      ^

TypeError: it is null
    at file:///a/b.js:3:7
    at node:internal/modules:1:2 {
  code: 'ERR_X',
  errno: -2
}

Node.js v24.1.0
`;

test.each([
  ["nothing", "", undefined],
  ["white space", "\n \r\n\t\n", undefined],
  ["the last line", "first\nsecond\n\n", "second"],
  ["a line without its colours and control characters", "\u001b[31mred\u001b[0m\u0007 alert", "red alert"],
  ["the error's own line of a crash", CRASH, "TypeError: it is null"],
  ["no frames of a stack", "Error: no\n    at x (y:1:2)\n    at z\n", "Error: no"],
  ["no names of files to read", "No models. See:\n  /usr/lib/docs/models.md\n", "No models. See:"],
  ["what there is when all of it is noise", "}\nNode.js v24.1.0", "Node.js v24.1.0"],
  ["the last of lines that are written over each other", "10 %\r20 %\r", "20 %"],
])("the last words are %s", (_what, stderr, words) => {
  expect(lastWords(stderr, {})).toBe(words);
});

test("the last words are bounded", () => {
  expect(lastWords("x".repeat(10_000), {})).toHaveLength(500);
});

test("the keys in the environment, and what looks like one, are not repeated", () => {
  const env = { MY_API_KEY: "hunter2-hunter2" };
  const stderr = "Starting\nError: hunter2-hunter2 was refused, sk-ant-api03-abcdefghijklmnop too\n";
  expect(lastWords(stderr, env)).toBe("Error: <key> was refused, <key> too");
});
