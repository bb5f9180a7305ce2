import { describe, expect, test } from "vitest";
import { createDialogs } from "../../../src/agent/pi/dialogs.ts";
import { readLine, type PiRecord } from "../../../src/agent/pi/protocol.ts";
import type { Question } from "../../../src/domain/question.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

function setUp() {
  const clock = createFakeClock();
  const written: unknown[] = [];
  const asked: Question[] = [];
  const dialogs = createDialogs({
    clock,
    writeLine: (line) => void written.push(JSON.parse(line)),
    ask: (question) => void asked.push(question),
  });
  return { clock, dialogs, written, asked };
}

function dialog(fields: object): PiRecord & { readonly type: "dialog" } {
  const record = readLine(JSON.stringify({ type: "extension_ui_request", ...fields }));
  if (typeof record === "string" || record.type !== "dialog") throw new Error("this is no dialog");
  return record;
}

const select = { id: "1", method: "select", title: "Which colour?", options: ["Red", "Green"] };

test("an answer is written without NUL and halves of characters", () => {
  const { dialogs, written } = setUp();
  dialogs.begin();
  dialogs.take(dialog({ id: "3", method: "input", title: "Name?" }));
  dialogs.answer("3", "a\0b \ud83d");
  expect(written).toEqual([{ type: "extension_ui_response", id: "3", value: "ab \ufffd" }]);
});

describe("the dialogs of an agent", () => {
  test.each([
    [select, { id: "1", kind: "select", title: "Which colour?", options: ["Red", "Green"] }],
    [
      { id: "2", method: "confirm", title: "Sure?", message: "It goes." },
      { id: "2", kind: "confirm", title: "Sure?", message: "It goes." },
    ],
    [
      { id: "3", method: "input", title: "Name?", placeholder: "Zoe" },
      { id: "3", kind: "input", title: "Name?", placeholder: "Zoe" },
    ],
    [
      { id: "4", method: "editor", title: "Edit", prefill: "a\nb" },
      { id: "4", kind: "editor", title: "Edit", prefill: "a\nb" },
    ],
  ])("are passed on as questions: %j", (given, question) => {
    const { dialogs, asked } = setUp();
    dialogs.begin();
    dialogs.take(dialog(given));
    expect(asked).toEqual([question]);
  });

  test("say when their time is over", () => {
    const { clock, dialogs, asked } = setUp();
    dialogs.begin();
    dialogs.take(dialog({ ...select, timeout: 800 }));
    expect(asked[0]?.expiresAt).toBe(clock.date() + 800);
  });

  test.each([
    ["select", "Green", { value: "Green" }],
    ["select", null, { cancelled: true }],
    ["confirm", true, { confirmed: true }],
    ["confirm", false, { confirmed: false }],
    ["confirm", null, { cancelled: true }],
    ["input", "", { value: "" }],
    ["editor", "new\ntext", { value: "new\ntext" }],
  ])("%s: the answer %j is written once, as the agent reads it", (method, value, fields) => {
    const { dialogs, written } = setUp();
    dialogs.begin();
    dialogs.take(dialog({ ...select, method }));
    dialogs.answer("1", value);
    dialogs.answer("1", value);
    expect(written).toEqual([{ type: "extension_ui_response", id: "1", ...fields }]);
  });

  test("are cancelled when nobody can be asked: before a run, and after it was aborted", () => {
    const { dialogs, written, asked } = setUp();
    dialogs.take(dialog({ ...select, id: "early" }));
    dialogs.begin();
    dialogs.take(dialog({ ...select, id: "open" }));
    dialogs.cancel();
    dialogs.take(dialog({ ...select, id: "late" }));
    dialogs.answer("open", "Red");
    expect(asked.map(({ id }) => id)).toEqual(["open"]);
    expect(written).toEqual(
      ["early", "open", "late"].map((id) => ({ type: "extension_ui_response", id, cancelled: true })),
    );
  });
});
