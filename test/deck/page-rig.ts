import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { buildDeck } from "../../src/deck/build.ts";
import type { PageFiles } from "../../src/page-kit/bundle.ts";
import { launchBrowser } from "../browser/chat-page.ts";
import {
  type DeckScript,
  type FakeDeckServer,
  giveKey,
  startFakeDeckServer,
} from "../fakes/fake-deck-server.ts";
import { watchPaints } from "./paints.ts";
import { answers, info, longText, parked, scene, user } from "./scenes.ts";

/** What the session `waits` wrote before it asked. */
export const TEXT = longText(40_000);

const quiet = scene("quiet", {
  snapshot: { messages: Array.from({ length: 60 }, (_, index) => user(`m-${index}`, `Line ${index}`)) },
});
const waits = parked("waits", TEXT);

/** The deck in a window of its own, with a server of its own. */
export interface OpenDeck extends AsyncDisposable {
  readonly server: FakeDeckServer;
  readonly page: Page;
  /** What went wrong in the page. */
  readonly errors: readonly string[];
  /** Where one writes. */
  readonly box: ReturnType<Page["locator"]>;
}

/**
 * Opens decks for the tests of the file that calls it. Unless the script says otherwise there are two sessions: `quiet`
 * has 60 short messages, `waits` has written a long text and waits for an answer.
 */
export function decks(): (path: string, script?: Partial<DeckScript>) => Promise<OpenDeck> {
  let files: PageFiles;
  let browser: Browser;
  beforeAll(async () => {
    files = await buildDeck();
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser.close());

  return async (path, script = {}) => {
    const server = await startFakeDeckServer(files, {
      sessions: [info("quiet"), info("waits", { state: "waiting" })],
      answer: answers(quiet, waits),
      ...script,
    });
    const context = await browser.newContext();
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await giveKey(page);
    await watchPaints(page);
    await page.goto(server.url + path);
    return {
      server,
      page,
      errors,
      box: page.locator(".composer textarea"),
      async [Symbol.asyncDispose]() {
        await context.close();
        await server[Symbol.asyncDispose]();
      },
    };
  };
}

/** Looks until it is so: the machine that tests may be a slow one. */
export const soon = <Value>(look: () => Value) => expect.poll(look, { timeout: 10_000 });

/** Waits until a question is shown. */
export const asked = (page: Page): Promise<void> => page.locator(".question").waitFor();
