/*
 * node src/prebuild.ts <folder>: builds what a package brings: the program as a bundle, the pages, and the licences of
 * what both contain. It is `npm run build`, and not a part of the package.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { licencesOf } from "./build/licences.ts";
import { buildProgram } from "./build/program.ts";
import { buildDeck } from "./deck/build.ts";
import type { MadeOf } from "./page-kit/bundle.ts";
import { buildPage } from "./playground/build-page.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the built program.");

const root = fileURLToPath(new URL("..", import.meta.url));
// esbuild names files by where they lie below this folder.
process.chdir(root);
await mkdir(folder, { recursive: true });
const bundles: MadeOf[] = [];
const report = (files: MadeOf): void => void bundles.push(files);
for (const files of await buildProgram(join(root, "src"), folder)) report(files);
await writeFile(join(folder, "page.json"), JSON.stringify(await buildPage(report)));
await writeFile(join(folder, "deck.json"), JSON.stringify(await buildDeck(report)));
await writeFile(join(folder, "licences.txt"), await licencesOf(root, bundles));
