import { readFile } from "node:fs/promises";
import { bundle, type MadeOf, type PageFiles } from "../page-kit/bundle.ts";

/** The page's files, as they are served. */
export interface Page extends PageFiles {
  /** Plain text, for those who want to know more. */
  readonly readme: string;
}

/** Bundles the page. */
export async function buildPage(report?: (files: MadeOf) => void): Promise<Page> {
  return {
    ...(await bundle(new URL("page/", import.meta.url), report)),
    readme: await readFile(new URL("../../README.md", import.meta.url), "utf8"),
  };
}
