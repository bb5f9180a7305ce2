import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const SOURCE = fileURLToPath(new URL("../src", import.meta.url));

/** Which other parts a part may import. Only what joins the parts may know them. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  agent: ["domain"],
  session: ["domain"],
  store: ["domain"],
  telegram: ["domain"],
  "page-kit": ["domain"],
  playground: ["domain", "page-kit"],
  deck: ["domain", "page-kit"],
  http: ["domain"],
  config: [],
  home: ["domain"],
  cli: [],
  clock: ["domain"],
  "process-one": ["domain"],
  sweep: ["domain"],
  "disk-watch": ["domain"],
  log: ["domain"],
  build: ["page-kit"],
  "compile-cache": [],
  memory: ["domain"],
};

/** What joins the parts, and so may import any: the composition root and what it is cut into. */
const JOINERS = new Set([
  "main",
  "connections",
  "prebuild",
  "invitations",
  "claim-board",
  "leftovers",
  "resumption",
  "serve",
  "launcher",
  "play",
  "unclaim",
  "check",
  "web",
]);

/** Which npm packages belong to which part. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  telegram: [
    "grammy",
    "@grammyjs/runner",
    "mdast",
    "mdast-util-from-markdown",
    "mdast-util-gfm",
    "micromark-core-commonmark",
    "micromark-extension-gfm",
    "micromark-util-types",
    "file-type",
  ],
  agent: ["execa"],
  config: ["zod", "shlex"],
  log: ["pino", "pino-pretty"],
  connections: ["socks-proxy-agent"],
  "page-kit": ["preact", "esbuild"],
  build: ["esbuild"],
  playground: ["preact", "eventsource"],
  http: ["hono", "@hono/node-server", "ws", "zod"],
  deck: ["preact", "marked", "dompurify"],
};

/** Node's own modules that only one part may hold: a second door to the database would have a second idea of it. */
const NODE_MODULES: Readonly<Record<string, readonly string[]>> = {
  "node:sqlite": ["store", "home"],
  "node:child_process": [],
};

interface Import {
  readonly file: string;
  readonly part: string;
  readonly of: string;
}

const imports: readonly Import[] = globSync("**/*.{ts,tsx}", { cwd: SOURCE }).flatMap((file) =>
  specifiers(readFileSync(join(SOURCE, file), "utf8")).map((of) => ({ file, part: partOf(file), of })),
);

function specifiers(code: string): readonly string[] {
  const found = code.matchAll(
    /^(?:import|export)\s(?:[\w*{}\s,$]+\sfrom\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm,
  );
  return [...found].map(([, fixed, dynamic]) => fixed ?? dynamic ?? "");
}

/** The folder under src, or the file's own name where it lies beside them. `config/fields.ts` belongs to `config`. */
function partOf(file: string): string {
  return (file.split("/")[0] ?? "").replace(/\.tsx?$/, "");
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

const inner = imports.filter(({ of }) => of.startsWith("."));
const outer = imports.filter(({ of }) => !of.startsWith(".") && !of.startsWith("node:"));

describe("the parts of evie", () => {
  test("are all in the tables below", () => {
    const parts = new Set(imports.map(({ part }) => part));
    expect([...parts].filter((part) => !(part in MAY_IMPORT) && !JOINERS.has(part))).toEqual([]);
    expect(imports.length).toBeGreaterThan(100);
  });

  test("form a star: each imports only itself and the domain, and the two pages what they share", () => {
    const stray = inner.filter(({ file, part, of }) => {
      const target = partOf(relative(SOURCE, join(SOURCE, dirname(file), of)));
      return !JOINERS.has(part) && target !== part && !(MAY_IMPORT[part] ?? []).includes(target);
    });
    expect(stray).toEqual([]);
  });

  test("own their npm packages", () => {
    const stray = outer.filter(({ part, of }) => !(PACKAGES[part] ?? []).includes(packageOf(of)));
    expect(stray).toEqual([]);
  });

  test("reach the database, and other programs, by one door each", () => {
    const stray = imports.filter(({ part, of }) => NODE_MODULES[of]?.includes(part) === false);
    expect(stray).toEqual([]);
  });

  test("take the time and chance that they are given: only the clock and what joins the parts have their own", () => {
    const own =
      /\bDate\.now\(|\bnew Date\(\)|\bsetTimeout\(|\bsetInterval\(|\bMath\.random\(|\bperformance\.now\(/;
    const exempt =
      /^(clock|main|play)\.ts$|^deck\/main\.tsx$|^page-kit\/browser-clock\.ts$|^playground\/(page|stand-in-model)/;
    const guilty = globSync("**/*.{ts,tsx}", { cwd: SOURCE }).filter(
      (file) => !exempt.test(file) && own.test(readFileSync(join(SOURCE, file), "utf8")),
    );
    expect(guilty).toEqual([]);
  });

  test("keep no state in modules", () => {
    const guilty = globSync("**/*.{ts,tsx}", { cwd: SOURCE }).filter((file) =>
      /^(export )?let /m.test(readFileSync(join(SOURCE, file), "utf8")),
    );
    expect(guilty).toEqual([]);
  });
});

test("nothing of evie imports the agent's package: it runs as a program of its own", () => {
  expect(imports.filter(({ of }) => of.includes("pi-coding-agent"))).toEqual([]);
});
