import { expect, test } from "vitest";
import { rowsOf, sameRow } from "../../../src/playground/page/rows.ts";
import type { ChatMessage } from "../../../src/playground/wire.ts";

const NOON = new Date(2026, 5, 1, 12).getTime();
const MINUTE = 60_000;

const message = (id: number, fields: Partial<ChatMessage> = {}): ChatMessage => ({
  id,
  mine: true,
  text: "hi",
  entities: [],
  buttons: [],
  at: NOON,
  edited: false,
  silent: false,
  received: true,
  ...fields,
});

test("an album is one row, and the next album another", () => {
  const rows = rowsOf([
    message(1, { album: "a" }),
    message(2, { album: "a" }),
    message(3, { album: "b" }),
    message(4),
    message(5),
  ]);
  expect(rows.map(({ messages }) => messages.map(({ id }) => id))).toEqual([[1, 2], [3], [4], [5]]);
});

test("what one says in a row belongs together, until a pause, an answer or another day", () => {
  const rows = rowsOf([
    message(1),
    message(2, { at: NOON + MINUTE }),
    message(3, { at: NOON + 9 * MINUTE }),
    message(4, { at: NOON + 9 * MINUTE, mine: false }),
    message(5, { at: NOON + 24 * 60 * MINUTE, mine: false }),
  ]);
  expect(rows.map(({ first, last, day }) => [first, last, day !== undefined])).toEqual([
    [true, false, true],
    [false, true, false],
    [true, true, false],
    [true, true, false],
    [true, true, true],
  ]);
});

test("a row is the same only while its messages are", () => {
  const [one, two] = [message(1), message(2)];
  const [before] = rowsOf([one]);
  const [after] = rowsOf([one, two]);
  const [changed] = rowsOf([{ ...one, text: "ho" }]);
  if (before === undefined || after === undefined || changed === undefined)
    throw new Error("a row is missing");
  expect(sameRow(before, { ...before })).toBe(true);
  expect(sameRow(before, after)).toBe(false);
  expect(sameRow(before, changed)).toBe(false);
});
