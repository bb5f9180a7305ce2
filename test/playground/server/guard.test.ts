import { expect, test } from "vitest";
import { isSame } from "../../../src/playground/server/guard.ts";

test("two secrets are the same only when all of them is", () => {
  expect(isSame("abc", "abc")).toBe(true);
  expect(isSame("", "")).toBe(true);
  expect(isSame("ab", "abc")).toBe(false);
  expect(isSame("", "abc")).toBe(false);
  expect(isSame("abd", "abc")).toBe(false);
});
