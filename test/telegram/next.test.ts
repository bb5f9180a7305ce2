import { describe, expect, test } from "vitest";
import { type Candidate, nextOf } from "../../src/telegram/next.ts";

const NOW = 1_000;

const candidate = (kind: Candidate["kind"], at: number, wanted = at): Candidate => ({
  place: { chatId: 7 },
  kind,
  wanted,
  at,
});

describe("what a chat hears next", () => {
  test.each<[string, readonly Candidate[], number]>([
    ["a reply before a message", [candidate("message", 0), candidate("reply", 900)], 1],
    ["a message before an edit", [candidate("edit", 0), candidate("message", 900)], 1],
    ["an edit before a sign of life", [candidate("typing", 0), candidate("edit", 900)], 1],
    ["of equals the one that waits longest", [candidate("edit", 900, 300), candidate("edit", 900, 200)], 1],
    [
      "what may be said now before a reply that must wait",
      [candidate("reply", 1_001), candidate("typing", NOW)],
      1,
    ],
    ["else whatever may be said first", [candidate("reply", 3_000), candidate("typing", 2_000)], 1],
  ])("is %s", (_what, candidates, place) => {
    expect(nextOf(candidates, NOW)).toBe(candidates[place]);
  });

  test("is nothing where nobody has anything to say", () => {
    expect(nextOf([], NOW)).toBeUndefined();
  });
});
