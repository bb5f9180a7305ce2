import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { buildPage, type Page } from "./build-page.ts";

/** Where a package has the built page: beside this file. In the source there is none. */
const BUILT = new URL("page.json", import.meta.url);

/** The page: as the package brings it, else built now. */
export async function loadPage(built: URL = BUILT): Promise<Page> {
  return existsSync(built) ? (JSON.parse(await readFile(built, "utf8")) as Page) : await buildPage();
}

/** Builds the page for a package. */
export async function prebuildPage(built: URL | string): Promise<void> {
  await writeFile(built, JSON.stringify(await buildPage()));
}
