import { describe, expect, test } from "vitest";
import { cookieOf, isLoopbackHost, isOwnOrigin, isSame } from "../../../src/playground/server/guard.ts";

describe("the Host header", () => {
  test.each(["127.0.0.1:3844", "localhost:3844", "LocalHost:3844", "[::1]:3844"])(
    "%s is this machine",
    (host) => {
      expect(isLoopbackHost(host, 3844)).toBe(true);
    },
  );

  test.each([
    undefined,
    "",
    "127.0.0.1",
    "127.0.0.1:3845",
    "127.0.0.1:03844:3844",
    "evil.example:3844",
    "127.0.0.1.evil.example:3844",
    "localhost.evil.example:3844",
    "evil.example#127.0.0.1:3844",
    "user@127.0.0.1:3844",
    "127.0.0.1:3844@evil.example",
    "127.0.0.1:3844/",
    "127.0.0.1 :3844",
    "127.0.0.2:3844",
    "0.0.0.0:3844",
    "2130706433:3844",
    "::1:3844",
    "[::1]",
    "[::1].evil.example:3844",
    "[::ffff:127.0.0.1]:3844",
  ])("%s is not", (host) => {
    expect(isLoopbackHost(host, 3844)).toBe(false);
  });

  test("without a port means port 80", () => {
    expect(isLoopbackHost("localhost", 80)).toBe(true);
  });
});

describe("the Origin header", () => {
  test("of the page itself is the page's own, by any of its names", () => {
    expect(isOwnOrigin("http://127.0.0.1:3844", 3844)).toBe(true);
    expect(isOwnOrigin("http://localhost:3844", 3844)).toBe(true);
  });

  test.each([
    undefined,
    "null",
    "",
    "http://127.0.0.1:8080",
    "https://127.0.0.1:3844",
    "http://evil.example:3844",
    "http://127.0.0.1:3844.evil.example",
    "http://evil.example/http://127.0.0.1:3844",
    "127.0.0.1:3844",
  ])("%s is another's", (origin) => {
    expect(isOwnOrigin(origin, 3844)).toBe(false);
  });
});

test("two secrets are the same only when all of them is", () => {
  expect(isSame("abc", "abc")).toBe(true);
  expect(isSame("", "")).toBe(true);
  expect(isSame("ab", "abc")).toBe(false);
  expect(isSame("", "abc")).toBe(false);
  expect(isSame("abd", "abc")).toBe(false);
});

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
