import { expect, test } from "vitest";
import { parseStat } from "../../src/agent/process-tree.ts";

const rest = Array.from({ length: 15 }, (_, i) => i).join(" ");

test.each([
  [
    "a plain name",
    `12 (sleep) S 5 7 6 ${rest} 991 1 2`,
    { pid: 12, parent: 5, group: 7, session: 6, startedAt: 991 },
  ],
  [
    "a name with brackets",
    `3 (a) R 1 (b)) R 2 3 4 ${rest} 8 0`,
    { pid: 3, parent: 2, group: 3, session: 4, startedAt: 8 },
  ],
  ["a zombie", `12 (sleep) Z 5 7 6 ${rest} 991 1 2`, undefined],
  ["a line that is cut", "12 (sleep) S 5 7", undefined],
  ["nothing", "", undefined],
])("a process is read from /proc: %s", (_what, stat, expected) => {
  expect(parseStat(stat)).toEqual(expected);
});
