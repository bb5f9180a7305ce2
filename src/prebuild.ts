/*
 * node src/prebuild.ts <folder>: builds the pages into the files in which a package brings them. A part of
 * `npm run build`, not of the package.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { buildDeck } from "./deck/build.ts";
import { buildPage } from "./playground/build-page.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the built program.");
await writeFile(join(folder, "playground/page.json"), JSON.stringify(await buildPage()));
await writeFile(join(folder, "deck.json"), JSON.stringify(await buildDeck()));
