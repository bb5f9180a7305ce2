import { expect, test } from "vitest";
import type { DiskOutage } from "../../src/domain/disk.ts";
import { createDiskNotice } from "../../src/telegram/disk-notice.ts";

function setUp() {
  const state: { outage: DiskOutage | undefined } = { outage: { trouble: "full", sentence: "It is full." } };
  const told: string[] = [];
  const notice = createDiskNotice({
    disk: { notice: () => state.outage },
    tell: ({ chatId }, { sentence }) => void told.push(`${chatId}: ${sentence}`),
  });
  return { state, told, notice };
}

test("each chat is told of an outage once, and of the next one again", () => {
  const { state, told, notice } = setUp();
  const error = new Error("full");
  expect([notice(error, ["5", "6"]), notice(error, ["5"]), notice(error, ["7"])]).toEqual([true, true, true]);
  expect(told).toEqual(["5: It is full.", "6: It is full.", "7: It is full."]);
  state.outage = { trouble: "quota", sentence: "It is full again." };
  notice(error, ["5"]);
  expect(told.at(-1)).toBe("5: It is full again.");
});

test("nobody is told of another error, or in what is no chat", () => {
  const { state, told, notice } = setUp();
  expect(notice(new Error("full"), ["no chat"])).toBe(true);
  state.outage = undefined;
  expect(notice(new Error("another"), ["5"])).toBe(false);
  expect(told).toEqual([]);
});
