import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The page's files, as they are served. */
export interface Page {
  readonly js: string;
  readonly css: string;
  readonly html: string;
  /** Plain text, for those who want to know more. */
  readonly readme: string;
  /** SVG. */
  readonly icon: string;
}

/** Bundles the page. It needs esbuild, so a package brings the result instead. */
export async function buildPage(): Promise<Page> {
  const { build } = await import("esbuild");
  const at = (name: string): string => fileURLToPath(new URL(`page/${name}`, import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [at("main.tsx")],
    outdir: at("."),
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
  });
  const text = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return {
    js: text(".js"),
    css: text(".css"),
    html: await readFile(at("index.html"), "utf8"),
    readme: await readFile(new URL("../../README.md", import.meta.url), "utf8"),
    icon: await readFile(at("icon.svg"), "utf8"),
  };
}
