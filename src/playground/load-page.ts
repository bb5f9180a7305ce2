import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { buildPage, type Page } from "./build-page.ts";

/** Where a package has the built page: beside the file that this is bundled into. In the source there is none. */
const BUILT = new URL("page.json", import.meta.url);

/** The page: as the package brings it in `built`, else built now. */
export async function loadPage(built = BUILT): Promise<Page> {
  return existsSync(built) ? (JSON.parse(await readFile(built, "utf8")) as Page) : await buildPage();
}
