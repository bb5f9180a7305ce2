import { expect, test } from "vitest";
import { editThrottle } from "../../src/telegram/timing.ts";

test.each<[string, number, number, number]>([
  ["a private chat", 7, 0, 1_000],
  ["a private chat, at the end of a turn's first minute", 7, 59_999, 1_000],
  ["a private chat, after a turn's first minute", 7, 60_000, 2_000],
  ["a group", -4, 0, 3_000],
  ["a group, after a turn's first minute", -4, 60_000, 6_000],
])("the time between two edits in %s", (_, chatId, elapsed, ms) => {
  expect(editThrottle({ chatId }, elapsed)).toBe(ms);
});
