import { describe, expect, test } from "vitest";
import type { AnswerValue, Question } from "../../src/domain/question.ts";
import { createQuestions } from "../../src/session/questions.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

function setUp() {
  const clock = createFakeClock();
  const told: string[] = [];
  const answers: (readonly [string, AnswerValue])[] = [];
  const questions = createQuestions({
    clock,
    opened: ({ id }) => told.push(`${id} opened`),
    closed: ({ id }, reason) => told.push(`${id} ${reason}`),
  });
  const ask = (id: string, fields: Partial<Question> = {}): void =>
    questions.ask({ id, kind: "select", title: "?", options: ["Red"], ...fields }, (value) =>
      answers.push([id, value]),
    );
  return { clock, questions, ask, told, answers };
}

describe("the questions of a session", () => {
  test("are open several at once, the oldest first", () => {
    const { questions, ask } = setUp();
    for (const id of ["a", "b", "c"]) ask(id);
    questions.answer("b", "Red");
    expect(questions.open.map(({ id }) => id)).toEqual(["a", "c"]);
  });

  test("take the first answer; a later one is told that it came too late", () => {
    const { questions, ask, answers, told } = setUp();
    ask("a");
    expect(questions.answer("a", "Red")).toBe("taken");
    expect(questions.answer("a", "Green")).toBe("already answered");
    expect(answers).toEqual([["a", "Red"]]);
    expect(told).toEqual(["a opened", "a answered"]);
  });

  test.each([
    ["select", true, "wrong kind"],
    ["confirm", "yes", "wrong kind"],
    ["confirm", false, "taken"],
    ["input", "", "taken"],
    ["editor", "text", "taken"],
    ["select", "something else", "taken"],
    ["confirm", null, "taken"],
  ] as const)("of kind %s make of %j: %s", (kind, value, outcome) => {
    const { questions, ask } = setUp();
    ask("a", { kind });
    expect(questions.answer("a", value)).toBe(outcome);
    expect(questions.open).toHaveLength(outcome === "taken" ? 0 : 1);
  });

  test("are put aside by a person as cancelled", () => {
    const { questions, ask, answers, told } = setUp();
    ask("a");
    questions.answer("a", null);
    expect(answers).toEqual([["a", null]]);
    expect(told.at(-1)).toBe("a cancelled");
    expect(questions.answer("a", "Red")).toBe("closed");
  });

  test("expire when the agent does not wait any more, which it does not say", async () => {
    const { clock, questions, ask, answers, told } = setUp();
    ask("a", { expiresAt: clock.date() + 800 });
    ask("b");
    await clock.advance(799);
    expect(questions.open).toHaveLength(2);
    await clock.advance(1);
    expect(told).toEqual(["a opened", "b opened", "a expired"]);
    expect(answers).toEqual([["a", null]]);
    expect(questions.answer("a", "Red")).toBe("closed");
    expect(clock.sleepers).toBe(0);
  });

  test("leave no timer when they were answered in time", async () => {
    const { clock, questions, ask, told } = setUp();
    ask("a", { expiresAt: clock.date() + 800 });
    questions.answer("a", "Red");
    await clock.settle();
    expect(clock.sleepers).toBe(0);
    // Asked again, it has its own time.
    ask("a");
    await clock.advance(1_000);
    expect(told).toEqual(["a opened", "a answered", "a opened"]);
  });

  test("are cancelled all together, each answered once", () => {
    const { questions, ask, answers } = setUp();
    for (const id of ["a", "b"]) ask(id);
    questions.cancelAll();
    questions.cancelAll();
    expect(answers).toEqual([
      ["a", null],
      ["b", null],
    ]);
    expect(questions.open).toEqual([]);
  });

  test("that were never asked are unknown, and an id may be used again", () => {
    const { questions, ask } = setUp();
    expect(questions.answer("a", "Red")).toBe("unknown");
    ask("a");
    questions.answer("a", "Red");
    ask("a");
    expect(questions.answer("a", "Red")).toBe("taken");
  });
});
