import { expect, test } from "vitest";
import { cookieOf } from "../../src/domain/cookie.ts";

test.each([
  [undefined, ""],
  ["", ""],
  ["key=1", "1"],
  ["other=2; key=1", "1"],
  ["other=2;key=1; more=3", "1"],
  ["monkey=2", ""],
  ["key", ""],
  ["key=a=b", "a=b"],
])("the cookie in %s is found by its whole name", (header, value) => {
  expect(cookieOf(header, "key")).toBe(value);
});
