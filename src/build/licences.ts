import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * Returns the licences of all packages that the bundles hold code of, as one text: licences ask that copies carry
 * them. A bundle is given by the files it was made of, which lie below `root`. Rejects when a package names no licence.
 */
export async function licencesOf(
  root: string,
  bundles: readonly Readonly<Record<string, unknown>>[],
): Promise<string> {
  const folders = new Set(bundles.flatMap((files) => Object.keys(files).flatMap(packageFolder)));
  const entries = await Promise.all([...folders].sort().map((folder) => entryOf(join(root, folder))));
  return `evie contains code of these packages.\n\n${[...new Set(entries)].join("\n")}`;
}

/** The folder of the package that a file is of: the innermost one. */
function packageFolder(file: string): readonly string[] {
  const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file);
  return found === null ? [] : [found[0]];
}

async function entryOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  ) as Package;
  if (license === undefined) throw new Error(`${name} names no licence, so it cannot be packed.`);
  const [file] = (await readdir(folder)).filter((each) => /^(licen[cs]e|copying)(\.|-|$)/i.test(each)).sort();
  const text = file === undefined ? "" : `\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
  return `== ${name} ${version} (${license})\n${text}`;
}
