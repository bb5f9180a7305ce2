import { concatFormatted, equalFormatted, isBlank, type FormattedText } from "./entities.ts";
import { renderMarkdown, type MarkdownOptions } from "./markdown.ts";
import { unlessTooDeep } from "./markdown/depth.ts";
import {
  frozenBehind,
  frozenText,
  nothingFrozen,
  renderRest,
  withoutStart,
  type Frozen,
} from "./markdown/frozen.ts";
import { answerLimits } from "./overflow.ts";
import { cutPage, paginate, type PageLimits } from "./paginate.ts";

/** The pages of one answer while it grows. */
export interface Rendering {
  /**
   * The pages that show these steps: `paginate(renderSteps(steps, options), limits)`. When only the last step grew
   * since the last call, what can no longer change is not rendered again, so a call costs what its open end costs.
   * The one difference: while streaming, a reference to a definition that comes more than a block later stays text.
   * Pages that are as they were are the same objects as before.
   */
  update(steps: readonly string[], options: MarkdownOptions): readonly FormattedText[];
  /** Returns the markdown that `update` would parse for these steps: what is not frozen, in pieces. */
  restOf(steps: readonly string[], options: MarkdownOptions): readonly string[];
}

/**
 * What an agent said in several steps, a markdown each, one below the other. Each is rendered by itself: what one
 * leaves open, or a list that it ends with, is nothing to the next. While `streaming`, only the last one still grows.
 */
export function renderSteps(steps: readonly string[], { streaming }: MarkdownOptions): FormattedText {
  const last = steps.length - 1;
  return joinSteps(steps.map((step, at) => renderMarkdown(step, { streaming: streaming && at === last })));
}

function joinSteps(texts: readonly FormattedText[]): FormattedText {
  const shown = texts.filter(({ text }) => text !== "");
  return concatFormatted(
    shown.flatMap((text, at) => (at === 0 ? [text] : [{ text: "\n\n", entities: [] }, text])),
  );
}

export function createRendering(limits: PageLimits = answerLimits): Rendering {
  let seen: readonly string[] = [];
  let seenStreaming = false;
  let shown: readonly FormattedText[] = [];
  /** The steps that are over, as they were rendered. */
  let over: readonly { readonly step: string; readonly text: FormattedText }[] = [];
  /** What no longer changes: the steps that are over, and the beginning of the last one. */
  let frozen: Frozen = nothingFrozen;
  /** The pages of the frozen text that are full. */
  let sealed: readonly FormattedText[] = [];

  function renderStreaming(steps: readonly string[]): readonly FormattedText[] {
    if (!goesOn(steps)) begin(steps.slice(0, -1));
    const rest = (steps.at(-1) ?? "").slice(frozen.markdown.length);
    const rendered = unlessTooDeep(() => renderRest(frozen, rest));
    if (rendered === undefined) return paginate(renderSteps(steps, { streaming: true }), limits);
    const pages = [...sealed, ...paginate(rendered.text, limits, sealed.length)];
    if (rendered.frozen !== frozen) {
      frozen = rendered.frozen;
      seal();
    }
    return pages;
  }

  /** Whether nothing but the end of the last step is new. */
  function goesOn(steps: readonly string[]): boolean {
    const last = steps.length - 1;
    const before = seen[last] ?? "";
    // Not `startsWith`, which compares one character after the other: an answer of 100 kB would take twice as long.
    const hasGrown = (steps[last] ?? "").slice(0, before.length) === before;
    return (
      hasGrown && steps.length === seen.length && steps.every((step, at) => at === last || step === seen[at])
    );
  }

  function begin(steps: readonly string[]): void {
    over = steps.map((step, at) => {
      const before = over[at];
      return before?.step === step ? before : { step, text: renderMarkdown(step, { streaming: false }) };
    });
    frozen = frozenBehind(joinSteps(over.map(({ text }) => text)));
    sealed = [];
    seal();
  }

  function isAsSeen(steps: readonly string[], streaming: boolean): boolean {
    const areSame = steps.length === seen.length && steps.every((step, at) => step === seen[at]);
    return areSame && streaming === seenStreaming;
  }

  function seal(): void {
    for (;;) {
      const { page, next } = cutPage(frozenText(frozen), 0, limits, sealed.length);
      if (next === undefined) return;
      if (!isBlank(page)) sealed = [...sealed, page];
      frozen = withoutStart(frozen, next);
    }
  }

  return {
    update(steps, { streaming }) {
      if (isAsSeen(steps, streaming)) return shown;
      const pages = streaming
        ? renderStreaming(steps)
        : paginate(renderSteps(steps, { streaming: false }), limits);
      seen = steps;
      seenStreaming = streaming;
      shown = pages.map((page, at) => same(shown[at], page));
      return shown;
    },
    restOf(steps, { streaming }) {
      if (isAsSeen(steps, streaming)) return [];
      if (!streaming) return steps;
      const last = steps.at(-1) ?? "";
      if (goesOn(steps)) return [last.slice(frozen.markdown.length)];
      return [...steps.slice(0, -1).filter((step, at) => over[at]?.step !== step), last];
    },
  };
}

function same(before: FormattedText | undefined, page: FormattedText): FormattedText {
  return before !== undefined && (before === page || equalFormatted(before, page)) ? before : page;
}
