import fc from "fast-check";
import { expect, test } from "vitest";
import { hideKeys } from "../../src/agent/hide-keys.ts";

test.each([
  ["Incorrect API key provided: sk-proj-abcdefghijklmnopqrst.", "Incorrect API key provided: <key>."],
  ["x-api-key: sk-ant-api03-abcdefghijklmnopqrst", "x-api-key: <key>"],
  ["key AIzaSyA-abcdefghijklmnopqrstuvwxyz0123 is restricted", "key <key> is restricted"],
  ["fatal: bad credentials ghp_abcdefghijklmnopqrstuvwxyz0123", "fatal: bad credentials <key>"],
  ["github_pat_11AAAAAAA0abcdefghij_klmnop", "<key>"],
  ["the user AKIAIOSFODNN7EXAMPLE may not", "the user <key> may not"],
  ["Authorization: Bearer abc.def-ghi/jkl", "Authorization: Bearer <key>"],
  ["authorization=Basic dXNlcjpwYXNzd29yZA==", "authorization=Basic <key>"],
  ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def", "jwt <key>"],
  [
    "connect to postgres://me:s3cr3t@db.example/x failed",
    "connect to postgres://me:<key>@db.example/x failed",
  ],
  ['{"api_key": "0123456789abcdef"}', '{"api_key": "<key>"}'],
  ["OPENAI_API_KEY=0123456789abcdef is wrong", "OPENAI_API_KEY=<key> is wrong"],
  ["POST /bot123456789:AAabcdefghijklmnopqrstuvwxyz01234567/getMe", "POST /bot<key>/getMe"],
])("a key is taken out, and what is said about it stays: %s", (text, shown) => {
  expect(hideKeys(text, {})).toBe(shown);
});

test.each([
  "Error: Cannot find module 'lodash'",
  "TypeError: Cannot read properties of undefined (reading 'token')",
  "connect ECONNREFUSED 127.0.0.1:8080",
  "fatal: not a git repository: /home/me/sk-project",
  "http://localhost:3000/a@b",
  "No API key for provider: anthropic",
  "commit 3f2a9c1d4e5b6a7988776655443322110ffeeddc",
])("what is no key stays: %s", (text) => {
  expect(hideKeys(text, { HOME: "/home/me", CI_TOKEN_OK: "true" })).toBe(text);
});

test("the value of each variable that is named like a key is taken out, wherever it stands and also URL-encoded", () => {
  const value = fc.stringMatching(/^[A-Za-z0-9!$*+/=]{8,40}$/);
  fc.assert(
    fc.property(value, fc.string(), fc.string(), (key, before, behind) => {
      const env = { SOME_SECRET: key };
      expect(hideKeys(`${before}${key}${behind}`, env)).not.toContain(key);
      expect(hideKeys(`?k=${encodeURIComponent(key)}&`, env)).toBe("?k=<key>&");
    }),
  );
});
