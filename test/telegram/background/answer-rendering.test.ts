import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRenderings } from "../../../src/telegram/background/answer-rendering.ts";
import { costOf, LARGEST_COST } from "../../../src/telegram/background/cost.ts";
import type { RenderThread } from "../../../src/telegram/background/render-thread.ts";
import type { FormattedText } from "../../../src/telegram/entities.ts";
import { answerLimits } from "../../../src/telegram/overflow.ts";
import { paginate } from "../../../src/telegram/paginate.ts";
import { createRendering, renderSteps } from "../../../src/telegram/rendering.ts";

const FINAL = { streaming: false } as const;
const STREAMING = { streaming: true } as const;

interface Job {
  readonly steps: readonly string[];
  readonly streaming: boolean;
  readonly done: (pages: readonly FormattedText[] | undefined) => void;
}

/** A thread that works by hand. */
function handThread() {
  const jobs: Job[] = [];
  const forgotten: number[] = [];
  let warmed = 0;
  const thread: RenderThread = {
    render: (_answer, steps, { streaming }) => new Promise((done) => jobs.push({ steps, streaming, done })),
    warm: () => void (warmed += 1),
    forget: (answer) => void forgotten.push(answer),
    close: () => undefined,
  };
  let calls = 0;
  const rendering = createRenderings(thread)(() => void (calls += 1));
  return { jobs, forgotten, rendering, warmed: () => warmed, ready: () => calls };
}

const wanted = (steps: readonly string[]): readonly FormattedText[] =>
  paginate(renderSteps(steps, FINAL), answerLimits);

const LONG = "A line with **bold words** and `code`.\n\n".repeat(200);

describe("the pages of an answer", () => {
  test("are made at once where that is quick", () => {
    const { rendering, jobs, ready } = handThread();
    expect(rendering.update(["**bold**"], FINAL)).toEqual(wanted(["**bold**"]));
    expect([jobs.length, ready()]).toEqual([0, 0]);
  });

  test("are made in the thread where they take long, which tells when they are there", async () => {
    const { rendering, jobs, ready } = handThread();
    expect(rendering.update([LONG], FINAL)).toBeUndefined();
    expect(rendering.update([LONG], FINAL)).toBeUndefined();
    expect(jobs.map(({ steps, streaming }) => ({ steps, streaming }))).toEqual([
      { steps: [LONG], streaming: false },
    ]);
    jobs[0]?.done(wanted([LONG]));
    await Promise.resolve();
    expect(ready()).toBe(1);
    expect(rendering.update([LONG], FINAL)).toEqual(wanted([LONG]));
  });

  test("are those of the end when the answer ended while its beginning was being rendered", async () => {
    const { rendering, jobs, ready } = handThread();
    expect(rendering.update([LONG], STREAMING)).toBeUndefined();
    const whole = `${LONG}The end.`;
    expect(rendering.update([whole], FINAL)).toBeUndefined();
    jobs[0]?.done([{ text: "only the beginning", entities: [] }]);
    await Promise.resolve();
    expect(ready()).toBe(0);
    expect(rendering.update([whole], FINAL)).toBeUndefined();
    jobs[1]?.done(wanted([whole]));
    await Promise.resolve();
    expect(rendering.update([whole], FINAL)).toEqual(wanted([whole]));
  });

  test("show an answer as it was written that the thread gives up, to every letter", async () => {
    const { rendering, jobs } = handThread();
    expect(rendering.update([LONG, "**more**"], FINAL)).toBeUndefined();
    jobs[0]?.done(undefined);
    await Promise.resolve();
    const pages = rendering.update([LONG, "**more**"], FINAL) ?? [];
    const shown = pages.map(({ text }) => text).join("");
    expect(shown.replaceAll(/\s/g, "")).toBe(`${LONG}**more**`.replaceAll(/\s/g, ""));
    expect(pages.flatMap(({ entities }) => entities)).toEqual([]);
  });

  test("of a growing answer are made here piece by piece, and the thread is started before its end", () => {
    const { rendering, jobs, warmed } = handThread();
    for (let end = 0; end <= LONG.length; end += 40) rendering.update([LONG.slice(0, end)], STREAMING);
    expect(jobs).toEqual([]);
    expect(warmed()).toBeGreaterThan(0);
  });

  test("are let go of when the answer is delivered", () => {
    const { rendering, forgotten } = handThread();
    rendering.close();
    expect(forgotten).toEqual([1]);
  });
});

describe("what is parsed at once", () => {
  const fragment = fc.constantFrom(
    ..."a|*|_|`|[|](|]|)|~~|> |- |1. |\n|\n\n|\\|<|&amp;|é|😀|「|。|```\n|[^1]|[a]: b\n|:|-|=|#".split("|"),
    "|",
  );
  const markup = fc
    .array(fc.tuple(fragment, fc.integer({ min: 1, max: 4_000 })), { minLength: 1, maxLength: 20 })
    .map((runs) =>
      runs
        .map(([text, times]) => text.repeat(times))
        .join("")
        .slice(0, 100_000),
    );

  test("is never more than its bound, whatever an answer holds and however it comes", () => {
    fc.assert(
      fc.property(fc.array(markup, { minLength: 1, maxLength: 3 }), fc.boolean(), (steps, streaming) => {
        const { rendering, jobs } = handThread();
        const pages = rendering.update(steps, { streaming });
        const cost = createRendering()
          .restOf(steps, { streaming })
          .reduce((sum, step) => sum + costOf(step, Number.POSITIVE_INFINITY), 0);
        expect(pages === undefined).toBe(cost > LARGEST_COST);
        expect(jobs).toHaveLength(cost > LARGEST_COST ? 1 : 0);
      }),
      { numRuns: 60 },
    );
  });

  test("costs more where signs may be marks", () => {
    expect(costOf("letters and 12 digits")).toBe(21);
    expect(costOf("*a*\n")).toBe(4 + 3 * 6);
    expect(costOf("。")).toBe(7);
  });
});
