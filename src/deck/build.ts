import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The deck's files, as they are served: `html` at `/` and `/s/:id`, the others at `/deck.js`, `/deck.css`, `/icon.svg`. */
export interface DeckFiles {
  readonly html: string;
  readonly js: string;
  readonly css: string;
  /** SVG. */
  readonly icon: string;
}

/** Bundles the deck. It needs esbuild, so a package brings the result instead. */
export async function buildDeck(): Promise<DeckFiles> {
  const { build } = await import("esbuild");
  const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
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
    html: await readFile(at("index.html"), "utf8"),
    js: text(".js"),
    css: text(".css"),
    icon: await readFile(at("icon.svg"), "utf8"),
  };
}
