import { describe, expect, test } from "vitest";
import { createFanOut } from "../../src/session/fan-out.ts";

function setUp() {
  const faults: unknown[] = [];
  return { faults, fanOut: createFanOut<string>((error) => faults.push(error)) };
}

describe("telling several", () => {
  test("tells what one of them causes after what it was told, to all in the same order", () => {
    const { fanOut } = setUp();
    const first: string[] = [];
    const second: string[] = [];
    fanOut.add((item) => {
      first.push(item);
      if (item === "question") fanOut.tell("answer");
    });
    fanOut.add((item) => second.push(item));
    fanOut.tell("question");
    expect([first, second]).toEqual([
      ["question", "answer"],
      ["question", "answer"],
    ]);
  });

  test("tells nobody what happened before they joined, even while it is being told", () => {
    const { fanOut } = setUp();
    const late: string[] = [];
    fanOut.add((item) => {
      if (item === "one") fanOut.add((next) => late.push(next));
    });
    fanOut.tell("one");
    fanOut.tell("two");
    expect(late).toEqual(["two"]);
  });

  test("leaves out whoever has left, even while it is being told", () => {
    const { fanOut } = setUp();
    const heard: string[] = [];
    fanOut.add(() => leave());
    const leave = fanOut.add((item) => heard.push(item));
    fanOut.tell("one");
    expect(heard).toEqual([]);
  });

  test("takes off whoever throws, and goes on with the others", () => {
    const { fanOut, faults } = setUp();
    const heard: string[] = [];
    fanOut.add((item) => {
      throw new Error(item);
    });
    fanOut.add((item) => heard.push(item));
    for (const item of ["one", "two"]) fanOut.tell(item);
    expect(heard).toEqual(["one", "two"]);
    expect(faults).toEqual([new Error("one")]);
  });
});
