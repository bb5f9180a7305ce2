import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { realClock } from "../../../src/clock.ts";
import { WorkerRenderThread } from "../../../src/telegram/background/render-thread.ts";
import { answerLimits } from "../../../src/telegram/overflow.ts";
import { paginate } from "../../../src/telegram/paginate.ts";
import { renderSteps } from "../../../src/telegram/rendering.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryLog } from "../../fakes/memory-log.ts";

const FINAL = { streaming: false } as const;
/** The parser takes most of a minute for it. */
const ENDLESS = "*a_ ".repeat(25_000);

let thread: WorkerRenderThread;
afterEach(() => thread.close());

describe("the thread that renders", () => {
  test("gives the same pages as rendering at once, also of an answer that grows", async () => {
    thread = new WorkerRenderThread({ clock: createFakeClock(), log: createMemoryLog() });
    const steps = ["# One\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "**two** `code`\n\n".repeat(400)];
    for (const end of [1_000, 3_000, 6_000]) {
      const part = [steps[0] ?? "", (steps[1] ?? "").slice(0, end)];
      const pages = await thread.render(1, part, { streaming: true });
      expect(pages).toEqual(paginate(renderSteps(part, { streaming: true }), answerLimits));
    }
    expect(await thread.render(1, steps, FINAL)).toEqual(paginate(renderSteps(steps, FINAL), answerLimits));
  });

  test("gives up what takes too long, renders what waits behind it, and holds nobody up meanwhile", async () => {
    const log = createMemoryLog();
    thread = new WorkerRenderThread({ clock: realClock, log, deadline: 1_500 });
    const endless = thread.render(1, [ENDLESS], FINAL);
    const next = thread.render(2, ["**next**"], FINAL);
    let turns = 0;
    const state = { over: false };
    void endless.then(() => (state.over = true));
    while (!state.over) {
      turns += 1;
      await setImmediate();
    }
    expect(await endless).toBeUndefined();
    expect(turns).toBeGreaterThan(100);
    expect(await next).toEqual(paginate(renderSteps(["**next**"], FINAL), answerLimits));
    expect(log.lines.map(({ message }) => message)).toContain(
      "an answer could not be rendered, and is shown as it was written",
    );
  });

  test("is ended when nothing was asked for in half a minute, and started again", async () => {
    const clock = createFakeClock();
    thread = new WorkerRenderThread({ clock, log: createMemoryLog() });
    await thread.render(1, ["one"], FINAL);
    await clock.advance(31_000);
    expect(await thread.render(1, ["one", "two"], FINAL)).toEqual(
      paginate(renderSteps(["one", "two"], FINAL), answerLimits),
    );
  });

  test("answers everybody who waits when it is closed", async () => {
    thread = new WorkerRenderThread({ clock: createFakeClock(), log: createMemoryLog() });
    const waiting = [thread.render(1, [ENDLESS], FINAL), thread.render(2, ["two"], FINAL)];
    thread.close();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await thread.render(3, ["three"], FINAL)).toBeUndefined();
  });
});
