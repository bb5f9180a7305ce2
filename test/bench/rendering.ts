import { performance } from "node:perf_hooks";
import { realClock } from "../../src/clock.ts";
import { createRenderings } from "../../src/telegram/background/answer-rendering.ts";
import { WorkerRenderThread } from "../../src/telegram/background/render-thread.ts";
import { createRendering } from "../../src/telegram/rendering.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createRandom } from "../soak/random.ts";
import type { BenchRow } from "./row.ts";

/** An answer twice as long, in twice as many pieces, may cost this much more. Linear is 2. */
const largestRatio = 2.2;

const deltaLength = 4;
const rounds = 2;

/** Milliseconds for which rendering may hold up everything else. */
const LONGEST_PAUSE = 50;

/** Measures what it costs to render an answer at every piece of it that arrives, and how long nothing else is done meanwhile. */
export async function benchRendering(): Promise<BenchRow[]> {
  return [...benchPieces(), await benchPause()];
}

/**
 * Renders up to 100 kB of markup that is slow to parse, as evie does: here where that is quick, else in the thread, which
 * gives up after a while. Nothing may hold the loop for long.
 */
async function benchPause(): Promise<BenchRow> {
  const thread = new WorkerRenderThread({ clock: realClock, log: createMemoryLog(), deadline: 1_000 });
  const make = createRenderings(thread);
  let longest = { pause: 0, beginning: "" };
  const time = (beginning: string, work: () => unknown): void => {
    const before = performance.now();
    work();
    const pause = performance.now() - before;
    if (pause > longest.pause) longest = { pause, beginning };
  };
  for (const whole of markups()) {
    const beginning = whole.slice(0, 20);
    for (const length of [1_000, 2_000, 4_000, 100_000]) {
      const ready = Promise.withResolvers<void>();
      const rendering = make(ready.resolve);
      const steps = [whole.slice(0, length)];
      let pages: unknown;
      time(beginning, () => (pages = rendering.update(steps, { streaming: false })));
      if (pages === undefined) {
        await ready.promise;
        time(beginning, () => rendering.update(steps, { streaming: false }));
      }
      rendering.close();
    }
  }
  thread.close();
  return {
    name: "longest pause while 100 kB of any markup are rendered",
    value: `${longest.pause.toFixed(0)} ms (${JSON.stringify(longest.beginning)})`,
    limit: `at most ${LONGEST_PAUSE} ms`,
    ok: longest.pause <= LONGEST_PAUSE,
  };
}

/** What parsers are slow for when it is repeated. */
const FRAGMENTS: readonly string[] = [
  "a\n=\n ",
  "*a ",
  "*a_ ",
  "*a*b ",
  "[a](b ",
  "[",
  "![",
  "`a``b ",
  "_a_b ",
  "|a|b\n|-|-\n",
  "> ",
  "> a\n",
  "- a\n",
  " - a\n",
  "<a ",
  "&amp;",
  "http://a.b ",
  "~~a ",
  "[a]: b\n",
  "[a]",
  "[^1]",
  "||a ",
  "```\na\n```\n",
  "````a\n",
  "**「点」**",
  "word word\n\n",
  "word word\n",
  "1. a\n",
  "<<<<",
  "\\*",
  "[a]((((",
  "*[`a](__",
];

/** Each fragment alone, and random sequences of all of them. */
function markups(): readonly string[] {
  const random = createRandom(1);
  const mixed = Array.from({ length: 20 }, () =>
    Array.from({ length: 20_000 }, () => FRAGMENTS[Math.floor(random() * FRAGMENTS.length)]).join(""),
  );
  return [...FRAGMENTS.map((fragment) => fragment.repeat(Math.ceil(100_000 / fragment.length))), ...mixed];
}

function benchPieces(): readonly BenchRow[] {
  const answer = longAnswer(100_000);
  streamThrough(answer.slice(0, 20_000));
  const runs = Array.from({ length: rounds }, () => streamThrough(answer));
  const { half, whole } = runs.reduce((a, b) => (b.whole / b.half < a.whole / a.half ? b : a));
  const ratio = whole / half;
  return [
    {
      name: "render 50,000 characters in 12,500 pieces",
      value: `${half.toFixed(0)} ms`,
      limit: "-",
      ok: true,
    },
    {
      name: "render 100,000 characters in 25,000 pieces",
      value: `${whole.toFixed(0)} ms (${ratio.toFixed(2)} times)`,
      limit: `${largestRatio} times`,
      ok: ratio <= largestRatio,
    },
  ];
}

/** Milliseconds of processor time for each length, so that a busy machine does not spoil the ratio. */
function streamThrough(markdown: string): { readonly half: number; readonly whole: number } {
  const rendering = createRendering();
  const before = process.cpuUsage();
  let half = 0;
  for (let end = deltaLength; end <= markdown.length; end += deltaLength) {
    rendering.update([markdown.slice(0, end)], { streaming: true });
    if (end === markdown.length / 2) half = milliseconds(before);
  }
  return { half, whole: milliseconds(before) };
}

function milliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

function longAnswer(length: number): string {
  const section = (number: number): string => `## Part ${number}

A paragraph with **bold words**, some \`inline code\`, a [link](https://example.com/part/${number}), an emoji 👩‍💻 and
a second line of *plain* prose, so that it is about as long as a paragraph tends to be in an answer.

- first point with \`code\`
- second point, which is **longer** and has
  a second line
  1. nested
  2. and again

\`\`\`ts
export function part${number}(input: string): number {
  const words = input.split(" ");

  return words.length + ${number};
}
\`\`\`

| Name | Value |
|------|------:|
| a    | ${number} |
| b    | ${number * 2} |

> A quote that says something about part ${number}.

`;
  let answer = "";
  for (let number = 1; answer.length < length; number++) answer += section(number);
  return answer.slice(0, length);
}
