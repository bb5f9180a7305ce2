import { bundle, type MadeOf, type PageFiles } from "../page-kit/bundle.ts";

/** Bundles the deck. `html` is served at `/` and `/s/:id`, the others at `/deck.js`, `/deck.css`, `/icon.svg`. */
export async function buildDeck(report?: (files: MadeOf) => void): Promise<PageFiles> {
  return await bundle(new URL("./", import.meta.url), report);
}
