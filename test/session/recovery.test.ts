import { expect, test } from "vitest";
import { makeTurnId } from "../../src/domain/ids.ts";
import { NEVER_REACHED } from "../../src/session/running-turn.ts";
import { judge, type OpenTurn } from "../../src/session/recovery.ts";

const turn = (fields: Partial<OpenTurn>): OpenTurn => ({
  id: makeTurnId(),
  face: "telegram",
  sources: [1],
  state: "flushed",
  ...fields,
});

const WHOLE = [{ text: "hello", images: [] }];
const CLOSED = (type: "stopped" | "replaced") => ({ type: "close", outcome: { type } });

test.each<[string, Partial<OpenTurn>, boolean, object]>([
  ["was flushed runs", {}, false, { type: "run" }],
  ["was handed over and not taken runs", { state: "handed" }, false, { type: "run" }],
  ["was handed over and taken is reported", { state: "handed" }, true, { type: "report" }],
  ["was accepted is reported", { state: "accepted" }, false, { type: "report" }],
  ["a person had stopped is closed, flushed or not", { ending: "stopped" }, false, CLOSED("stopped")],
  [
    "a person had stopped when it ran is closed",
    { state: "accepted", ending: "stopped" },
    true,
    CLOSED("stopped"),
  ],
  [
    "was accepted and replaced is closed",
    { state: "accepted", ending: "replaced" },
    true,
    CLOSED("replaced"),
  ],
  ["was taken and replaced is closed", { state: "handed", ending: "replaced" }, true, CLOSED("replaced")],
  ["was replaced and not taken runs", { state: "handed", ending: "replaced" }, false, { type: "run" }],
  ["was replaced before anybody had it runs", { ending: "replaced" }, false, { type: "run" }],
  [
    "cannot be asked again is closed with what to do",
    { sources: [] },
    false,
    { type: "close", outcome: { type: "failed", message: expect.stringContaining("Send it again") } },
  ],
  ["has its prompt itself runs", { sources: [], prompt: WHOLE }, false, { type: "run" }],
  [
    "has its prompt itself, was handed over and not taken runs",
    { sources: [], prompt: WHOLE, state: "handed" },
    false,
    { type: "run" },
  ],
  [
    "has its prompt itself, was handed over and taken is reported",
    { sources: [], prompt: WHOLE, state: "handed" },
    true,
    { type: "report" },
  ],
  [
    "has its prompt itself and was stopped is closed",
    { sources: [], prompt: WHOLE, ending: "stopped" },
    false,
    CLOSED("stopped"),
  ],
  [
    "is a request and was replaced before anybody had it is closed, and says that it was not asked",
    { sources: [], prompt: WHOLE, state: "handed", ending: "replaced" },
    false,
    { type: "close", outcome: { type: "replaced", message: NEVER_REACHED } },
  ],
  [
    "an earlier evie joined with a chat's words, and was replaced before anybody had it, runs",
    { prompt: [...WHOLE, { sources: [1] }], ending: "replaced" },
    false,
    { type: "run" },
  ],
  [
    "cannot be asked again and was taken is reported",
    { sources: [], state: "accepted" },
    true,
    { type: "report" },
  ],
])("a turn that %s", async (_, fields, took, verdict) => {
  expect(await judge(turn(fields), () => Promise.resolve(took))).toEqual(verdict);
});

test("the history is not looked at where it is known already", async () => {
  let looks = 0;
  const look = (): Promise<boolean> => {
    looks += 1;
    return Promise.resolve(true);
  };
  await judge(turn({ state: "accepted" }), look);
  await judge(turn({}), look);
  await judge(turn({ state: "handed", ending: "stopped" }), look);
  expect(looks).toBe(0);
});
