import type { Clock } from "../../src/domain/clock.ts";
import type { AnswerRendering } from "../../src/telegram/background/answer-rendering.ts";
import type { FormattedText } from "../../src/telegram/entities.ts";
import { createRendering } from "../../src/telegram/rendering.ts";

/** Renders at once, whatever it costs: for tests that are about something else. */
export function hereRendering(): AnswerRendering {
  const rendering = createRendering();
  return { update: (steps, options) => rendering.update(steps, options), close: () => undefined };
}

/** Renders as another thread does that takes `ms` for whatever is in an answer. */
export function slowRendering(clock: Clock, ms: number, ready: () => void): AnswerRendering {
  const rendering = createRendering();
  const made = new Map<string, readonly FormattedText[]>();
  const asked = new Set<string>();
  return {
    update(steps, options) {
      if (steps.length === 0) return rendering.update(steps, options);
      const key = JSON.stringify([steps, options]);
      const pages = made.get(key);
      if (pages !== undefined || asked.has(key)) return pages;
      asked.add(key);
      void clock.sleep(ms).then(() => {
        made.set(key, rendering.update(steps, options));
        ready();
      });
      return undefined;
    },
    close: () => undefined,
  };
}
