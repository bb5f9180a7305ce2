import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { buildDeck } from "../../src/deck/build.ts";
import type { PageFiles } from "../../src/page-kit/bundle.ts";
import { receive } from "../../src/deck/receive.ts";
import { emptyState } from "../../src/deck/state.ts";
import { createStore } from "../../src/page-kit/store.ts";
import { launchBrowser } from "../browser/chat-page.ts";
import { paintsOf, watchPaints } from "../deck/paints.ts";
import { answers, attachFrames, scene } from "../deck/scenes.ts";
import { numbered, opens, says, T0 } from "../domain/events.ts";
import { giveKey, startFakeDeckServer } from "../fakes/fake-deck-server.ts";
import type { BenchRow } from "./row.ts";

const EVENTS = 2_000;
const LARGEST_LOAD = 100_000;

const events = numbered([
  opens("a"),
  ...Array.from({ length: EVENTS - 1 }, (_, index) =>
    says("a", index % 20 === 0 ? `\n\nParagraph **${index}** ` : `word${index} `),
  ),
]);

/** Measures what attaching to a long running turn costs a browser, and how much the deck weighs. */
export async function benchDeck(): Promise<readonly BenchRow[]> {
  const files = await buildDeck();
  return [weigh(files), fold(), await draw(files)];
}

function weigh({ html, js, css, icon }: PageFiles): BenchRow {
  const size = [html, js, css, icon].reduce((sum, file) => sum + gzipSync(file).length, 0);
  return {
    name: "deck: first load, compressed",
    value: `${(size / 1_000).toFixed(1)} kB`,
    limit: `${LARGEST_LOAD / 1_000} kB`,
    ok: size <= LARGEST_LOAD,
  };
}

function fold(): BenchRow {
  const store = createStore(
    attachFrames(scene("s")).reduce((state, frame) => receive(state, frame, T0), emptyState),
  );
  let told = 0;
  store.subscribe(() => (told += 1));
  const before = performance.now();
  store.update((state) => receive(state, { type: "session_events", sessionId: "s", events }, T0));
  const took = performance.now() - before;
  return {
    name: `deck: fold ${EVENTS} events`,
    value: `${took.toFixed(1)} ms, ${told} notification(s)`,
    limit: "1 notification",
    ok: told === 1,
  };
}

async function draw(files: PageFiles): Promise<BenchRow> {
  await using server = await startFakeDeckServer(files, { answer: answers(scene("s", { events })) });
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  await giveKey(page);
  await watchPaints(page);
  await page.goto(`${server.url}/s/s`);
  await page.getByText(`word${EVENTS - 2}`).waitFor();
  const paints = await paintsOf(page);
  const sizes = new Set(paints.map(({ text }) => text).filter((text) => text > 0));
  return {
    name: `deck: draw ${EVENTS} events`,
    value: `${sizes.size} render(s), ${Math.round(paints.find(({ text }) => text > 0)?.at ?? 0)} ms after the first byte`,
    limit: "1 render",
    ok: sizes.size === 1,
  };
}
