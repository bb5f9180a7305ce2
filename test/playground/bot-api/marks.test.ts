import { describe, expect, test } from "vitest";
import { findMarks } from "../../../src/playground/bot-api/marks.ts";

const marked = (text: string): string[] =>
  findMarks(text).map(({ type, offset, length }) => `${type} ${text.slice(offset, offset + length)}`);

describe("what the server marks in a person's text", () => {
  test.each([
    ["/start", ["bot_command /start"]],
    ["/start hello", ["bot_command /start"]],
    ["/start@evie_bot now", ["bot_command /start@evie_bot"]],
    ["please /stop!", ["bot_command /stop"]],
    ["😀 /stop", ["bot_command /stop"]],
    ["/a-b", ["bot_command /a"]],
    ["/one /two", ["bot_command /one", "bot_command /two"]],
    ["/home/me/x.ts", []],
    ["see /home/me", []],
    ["and/or", []],
    ["//comment", []],
    ["</div>", []],
    ["/größe", []],
    ["/start@", []],
    ["/start@ab", []],
    [`/${"a".repeat(65)}`, []],
    ["/", []],
  ])("commands in %j are %j", (text, expected) => {
    expect(marked(text)).toEqual(expected);
  });

  test.each([
    ["see https://example.com/a?b=c.", ["url https://example.com/a?b=c"]],
    ["example.com", ["url example.com"]],
    ["README.md", ["url README.md"]],
    ["x.ts", []],
    ["hi @evie_bot", ["mention @evie_bot"]],
    ["ada@example.com", ["email ada@example.com"]],
    ["#topic and #12", ["hashtag #topic"]],
    ["http://localhost:3000/x", ["url http://localhost:3000/x"]],
    ["https://example.com/start/me", ["url https://example.com/start/me"]],
  ])("links and names in %j are %j", (text, expected) => {
    expect(marked(text)).toEqual(expected);
  });
});
