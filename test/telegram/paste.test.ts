import { describe, expect, test } from "vitest";
import { continuesPaste, type PieceBefore, pieceOf } from "../../src/telegram/paste.ts";
import { messageUpdate } from "./updates.ts";

const STOP = { name: "stop" };
const STOP_THIS = { name: "stop", argument: "do this" };
const CLEAR_IT = { name: "clear", argument: "the cache" };
const USR = { name: "usr", argument: "is full" };
const OTHER = { name: "stop", argument: "x", forAnother: true } as const;

const FULL: PieceBefore = { writtenAt: 50_000, arrivedAt: 0, isFull: true, waits: true, runs: false };
const WAITS = FULL;
const RUNS = { ...FULL, waits: false, runs: true };
const OVER = { ...FULL, waits: false };

describe("behind a full piece", () => {
  test.each([
    ["a command alone is a piece in the window", STOP, WAITS, 0, true],
    ["a command alone is a piece a second later by Telegram's dates", STOP, WAITS, 1, true],
    ["a command alone that waited with the piece is a command", STOP, WAITS, 2, false],
    ["a command alone is a command behind the flush, at once", STOP, RUNS, 0, false],
    ["a command alone is a command when the turn is over", STOP, OVER, 0, false],
    ["a command with words is a piece in the window", CLEAR_IT, WAITS, 0, true],
    [
      "a command with words is a piece behind the flush, faster than a person writes",
      CLEAR_IT,
      RUNS,
      2,
      true,
    ],
    ["and when the turn is over by then", CLEAR_IT, OVER, 2, true],
    ["a command with words is a command when a person can have written it", STOP_THIS, RUNS, 3, false],
    ["a word that is no command is a piece in the window", USR, WAITS, 0, true],
    ["a word that is no command is a piece while the turn runs", USR, RUNS, 10, true],
    ["a word that is no command is a piece while its burst waits", USR, WAITS, 10, true],
    ["a word that is no command is none when the turn is over", USR, OVER, 3, false],
    ["a word that is no command is none after ten seconds", USR, RUNS, 11, false],
    ["a command of another bot is a word that is none of evie's", OTHER, RUNS, 10, true],
  ])("%s", (_, command, before, seconds, continues) => {
    const piece = { writtenAt: 50_000 + seconds * 1_000, arrivedAt: 0, isFull: false };
    expect(continuesPaste(command, before, piece)).toBe(continues);
    // Without Telegram's dates the times of arrival count.
    const arrived = { writtenAt: undefined, arrivedAt: seconds * 1_000, isFull: false };
    expect(continuesPaste(command, before, arrived)).toBe(continues);
  });
});

test.each([STOP, CLEAR_IT, USR])(
  "behind nothing, or behind less than a full piece, %o is a command",
  (command) => {
    const piece = { writtenAt: 50_000, arrivedAt: 0, isFull: false };
    expect(continuesPaste(command, undefined, piece)).toBe(false);
    expect(continuesPaste(command, { ...WAITS, isFull: false }, piece)).toBe(false);
  },
);

test.each([
  [3_999, false],
  [4_000, true],
  [4_096, true],
])("a text of %d units is a full piece: %s", (length, isFull) => {
  const update = messageUpdate({ text: "x".repeat(length), date: 5 });
  expect(pieceOf(update, 7)).toEqual({ writtenAt: 5_000, arrivedAt: 7, isFull });
});

test("a caption is none, however long", () => {
  expect(pieceOf(messageUpdate({ caption: "x".repeat(4_096) }), 0).isFull).toBe(false);
});
