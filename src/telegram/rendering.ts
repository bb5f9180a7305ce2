import { equalFormatted, isBlank, type FormattedText } from "./entities.ts";
import { renderMarkdown, type MarkdownOptions } from "./markdown.ts";
import { unlessTooDeep } from "./markdown/depth.ts";
import { frozenText, nothingFrozen, renderRest, withoutStart, type Frozen } from "./markdown/frozen.ts";
import { answerLimits } from "./overflow.ts";
import { cutPage, paginate, type PageLimits } from "./paginate.ts";

/** The pages of one answer while it grows. */
export interface Rendering {
  /**
   * The pages that show this markdown: `paginate(renderMarkdown(markdown, options), limits)`. When the markdown only
   * grew since the last call, what can no longer change is not rendered again, so a call costs what its open end
   * costs. The one difference: while streaming, a reference to a definition that comes more than a block later
   * stays text. Pages that are as they were are the same objects as before.
   */
  update(markdown: string, options: MarkdownOptions): readonly FormattedText[];
}

export function createRendering(limits: PageLimits = answerLimits): Rendering {
  let seen = "";
  let seenStreaming = false;
  let shown: readonly FormattedText[] = [];
  let frozen: Frozen = nothingFrozen;
  /** The pages of the frozen text that are full. */
  let sealed: readonly FormattedText[] = [];

  function renderStreaming(markdown: string): readonly FormattedText[] {
    if (markdown.slice(0, seen.length) !== seen) {
      frozen = nothingFrozen;
      sealed = [];
    }
    const rest = markdown.slice(frozen.markdown.length);
    const rendered = unlessTooDeep(() => renderRest(frozen, rest));
    if (rendered === undefined) return paginate(renderMarkdown(markdown, { streaming: true }), limits);
    const pages = [...sealed, ...paginate(rendered.text, limits, sealed.length)];
    if (rendered.frozen !== frozen) {
      frozen = rendered.frozen;
      seal();
    }
    return pages;
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
    update(markdown, { streaming }) {
      if (markdown === seen && streaming === seenStreaming) return shown;
      const pages = streaming
        ? renderStreaming(markdown)
        : paginate(renderMarkdown(markdown, { streaming }), limits);
      seen = markdown;
      seenStreaming = streaming;
      shown = pages.map((page, at) => same(shown[at], page));
      return shown;
    },
  };
}

function same(before: FormattedText | undefined, page: FormattedText): FormattedText {
  return before !== undefined && (before === page || equalFormatted(before, page)) ? before : page;
}
