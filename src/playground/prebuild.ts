/*
 * node src/playground/prebuild.ts <file>: builds the page into the file in which a package brings it. A part of
 * `npm run build`, not of the package.
 */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { buildPage } from "./build-page.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Name the file that the built page goes to.");
await writeFile(file, JSON.stringify(await buildPage()));
