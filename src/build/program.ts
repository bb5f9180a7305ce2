import { join } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import type { MadeOf } from "../page-kit/bundle.ts";

const SHARED = {
  bundle: true,
  platform: "node",
  format: "esm",
  minifyWhitespace: true,
  minifySyntax: true,
  // A stack trace in a log stays readable without its source map.

  sourcemap: true,
  legalComments: "none",
  // Source maps name files below the project, also where node_modules is a link to elsewhere.
  preserveSymlinks: true,
  logLevel: "warning",
} as const satisfies BuildOptions;

/** What a package of CommonJS asks for with `require`, and what esbuild leaves to Node. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Bundles evie's program into `folder`, with source maps: `launcher.js`, which every Node with modules can read; and
 * `main.js` with the files that it loads when they are needed. Returns the files that both were made of.
 */
export async function buildProgram(source: string, folder: string): Promise<readonly MadeOf[]> {
  const launcher = await build({
    ...SHARED,
    metafile: true,
    entryPoints: [join(source, "launcher.ts")],
    outdir: folder,
    // Nothing that is younger than the Node that is to be told it is too old.
    target: "node12.17",
    supported: { "dynamic-import": true },
    plugins: [launcherAlone],
  });
  const main = await build({
    ...SHARED,
    metafile: true,
    entryPoints: {
      main: join(source, "main.ts"),
      "compile-cache": join(source, "compile-cache.ts"),
      // Started as a thread, which takes a file.
      "render-worker": join(source, "telegram/background/render-worker.ts"),
    },
    outdir: folder,
    target: "node24",
    splitting: true,
    chunkNames: "[name]-[hash]",
    banner: { js: REQUIRE },
    // Only a checkout builds its pages; a package brings them.
    external: ["esbuild"],
    plugins: [withoutNodeFetch, builtinsAsTheyAre],
  });
  return [launcher.metafile.inputs, main.metafile.inputs];
}

const launcherAlone: Plugin = {
  name: "the launcher loads the rest when it has looked at Node's version",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(main|compile-cache)\.ts$/ }, ({ path }) => ({
      path: path.replace(/ts$/, "js"),
      external: true,
    }));
  },
};

/** grammY loads node-fetch at its start, though evie hands it a function of its own: 300 kB that nothing calls. */
const withoutNodeFetch: Plugin = {
  name: "grammY gets no node-fetch",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node-fetch$/ }, () => ({ path: "node-fetch", namespace: "absent" }));
    onLoad({ filter: /.*/, namespace: "absent" }, () => ({
      contents: `export default () => { throw new Error("evie reaches Telegram by its own transport."); };`,
    }));
  },
};

/**
 * For an import of one of its own modules Node reads every export once, and with those of `process` and `buffer` it
 * loads parts of itself that evie has no use for. `process.getBuiltinModule` gives the module as it is.
 */
const builtinsAsTheyAre: Plugin = {
  name: "no exports are read that nobody asked for",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(process|buffer|util)$/ }, ({ path }) => ({ path, namespace: "builtin" }));
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};
