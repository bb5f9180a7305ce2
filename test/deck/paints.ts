import type { Page } from "playwright-core";

/** What the page held after one change of its document. Between two of them a browser may paint. */
export interface Paint {
  /** The session that is shown. */
  readonly session: string;
  /** Milliseconds since the page began to load. */
  readonly at: number;
  /** Characters of the transcript. */
  readonly text: number;
  readonly question: boolean;
  /** Whether a turn was shown as running. */
  readonly running: boolean;
  readonly bubbles: number;
}

/** Notes every change of the transcript from the page's first moment on, in `window.paints`. */
export async function watchPaints(page: Page): Promise<void> {
  await page.addInitScript({
    content: `
      window.paints = [];
      new MutationObserver(() => {
        const log = document.querySelector("[role=log]");
        window.paints.push({
          at: performance.now(),
          session: log?.closest("[data-session]").dataset.session ?? "",
          text: [...(log?.querySelectorAll(".text, .words") ?? [])].reduce((sum, each) => sum + each.textContent.length, 0),
          question: document.querySelector(".question") !== null,
          running: document.querySelector(".phase.running") !== null,
          bubbles: log?.querySelectorAll("[data-key]").length ?? 0,
        });
      }).observe(document, { subtree: true, childList: true, characterData: true });
    `,
  });
}

/** What the page has noted so far. */
export function paintsOf(page: Page): Promise<readonly Paint[]> {
  return page.evaluate<readonly Paint[]>("window.paints");
}
