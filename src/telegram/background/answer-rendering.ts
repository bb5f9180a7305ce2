import { joinTexts } from "../../domain/prompt.ts";
import type { FormattedText } from "../entities.ts";
import type { MarkdownOptions } from "../markdown.ts";
import { cleanMarkdown, cleanText } from "../markdown/clean.ts";
import { answerLimits } from "../overflow.ts";
import { paginate } from "../paginate.ts";
import { createRendering } from "../rendering.ts";
import { costOf, LARGEST_COST } from "./cost.ts";
import type { RenderThread } from "./render-thread.ts";

/** The pages of one answer, made here where that is quick, and in the thread where it is not. */
export interface AnswerRendering {
  /**
   * Returns the pages of these steps. Undefined when they are still being made: `ready` is called when they are there,
   * and is to be followed by the same question. An answer that cannot be rendered in time comes as it was written.
   */
  update(steps: readonly string[], options: MarkdownOptions): readonly FormattedText[] | undefined;
  /** Lets go of what is kept of it. */
  close(): void;
}

/** Makes the rendering of one answer after the other. `ready` is called when pages are there that were asked for before. */
export type MakeRendering = (ready: () => void) => AnswerRendering;

/** Makes renderings that share one thread. */
export function createRenderings(thread: RenderThread): MakeRendering {
  let answers = 0;
  return (ready) => {
    answers += 1;
    return createAnswerRendering({ thread, answer: answers, ready });
  };
}

interface AnswerRenderingOptions {
  readonly thread: RenderThread;
  /** The answer's number in the thread. */
  readonly answer: number;
  readonly ready: () => void;
}

interface Asked {
  readonly steps: readonly string[];
  readonly streaming: boolean;
}

function createAnswerRendering({ thread, answer, ready }: AnswerRenderingOptions): AnswerRendering {
  const here = createRendering();
  /** What the thread was asked for last, until it has answered. */
  let asked: Asked | undefined;
  let made: (Asked & { readonly pages: readonly FormattedText[] }) | undefined;
  let isPlain = false;

  function ask(wanted: Asked): void {
    asked = wanted;
    void thread.render(answer, wanted.steps, wanted).then((pages) => {
      if (asked !== wanted) return;
      asked = undefined;
      if (pages === undefined) isPlain = true;
      else made = { ...wanted, pages };
      ready();
    });
  }

  return {
    update(steps, { streaming }) {
      if (isPlain) return plainPages(steps);
      const rest = here.restOf(steps, { streaming });
      if (rest.reduce((sum, step) => sum + costOf(step), 0) <= LARGEST_COST) {
        // Its end will be rendered as a whole.
        if (streaming && totalCost(steps) > LARGEST_COST) thread.warm();
        return here.update(steps, { streaming });
      }
      const wanted: Asked = { steps, streaming };
      if (made !== undefined && isSame(made, wanted)) return made.pages;
      if (asked === undefined || !isSame(asked, wanted)) ask(wanted);
      return undefined;
    },
    close: () => thread.forget(answer),
  };
}

function plainPages(steps: readonly string[]): readonly FormattedText[] {
  return paginate({ text: cleanText(cleanMarkdown(joinTexts(steps))), entities: [] }, answerLimits);
}

function totalCost(steps: readonly string[]): number {
  let cost = 0;
  for (const step of steps) {
    cost += costOf(step);
    if (cost > LARGEST_COST) break;
  }
  return cost;
}

function isSame(one: Asked, other: Asked): boolean {
  return (
    one.streaming === other.streaming &&
    one.steps.length === other.steps.length &&
    one.steps.every((step, at) => step === other.steps[at])
  );
}
