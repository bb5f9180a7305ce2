import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** A page, as it is served: its document, and what that loads. */
export interface PageFiles {
  readonly html: string;
  readonly js: string;
  readonly css: string;
  /** SVG. */
  readonly icon: string;
}

/** What a page was made of, as esbuild says it; paths are relative to the working directory. */
export type MadeOf = Readonly<Record<string, unknown>>;

/**
 * Bundles the page of a folder: `main.tsx` with all that it imports, and `index.html`. It needs esbuild, so a package
 * brings the result instead. Calls `report` with the files that the page was made of.
 */
export async function bundle(folder: URL, report?: (files: MadeOf) => void): Promise<PageFiles> {
  const { build } = await import("esbuild");
  const at = (name: string): string => fileURLToPath(new URL(name, folder));
  const { outputFiles, metafile } = await build({
    entryPoints: [at("main.tsx")],
    outdir: at("."),
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
  });
  report?.(metafile.inputs);
  const text = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return {
    html: await readFile(at("index.html"), "utf8"),
    js: text(".js"),
    css: text(".css"),
    icon: await readFile(new URL("icon.svg", import.meta.url), "utf8"),
  };
}
