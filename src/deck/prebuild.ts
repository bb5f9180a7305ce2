/*
 * node src/deck/prebuild.ts <file>: builds the deck into the file in which a package brings it. A part of
 * `npm run build`, not of the package.
 */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { buildDeck } from "./build.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Name the file that the built deck goes to.");
await writeFile(file, JSON.stringify(await buildDeck()));
