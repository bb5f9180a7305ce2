import { bundle, type PageFiles } from "../page-kit/bundle.ts";

/** Bundles the deck. `html` is served at `/` and `/s/:id`, the others at `/deck.js`, `/deck.css`, `/icon.svg`. */
export async function buildDeck(): Promise<PageFiles> {
  return await bundle(new URL("./", import.meta.url));
}
