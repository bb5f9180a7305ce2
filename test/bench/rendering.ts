import { createRendering } from "../../src/telegram/rendering.ts";
import type { BenchRow } from "./row.ts";

/** An answer twice as long, in twice as many pieces, may cost this much more. Linear is 2. */
const largestRatio = 2.2;

const deltaLength = 4;
const rounds = 2;

/** Measures what it costs to render an answer at every piece of it that arrives. */
export function benchRendering(): Promise<BenchRow[]> {
  const answer = longAnswer(100_000);
  streamThrough(answer.slice(0, 20_000));
  const runs = Array.from({ length: rounds }, () => streamThrough(answer));
  const { half, whole } = runs.reduce((a, b) => (b.whole / b.half < a.whole / a.half ? b : a));
  const ratio = whole / half;
  return Promise.resolve([
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
  ]);
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
