import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAKE_AGENT, startEvie } from "./running-evie.ts";

/*
 * What somebody gets who installs evie: built, packed and installed from a copy of the source, so that neither an
 * older build nor another run of the tests is in the way.
 */

const execFileAsync = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What a build needs, apart from node_modules. */
const SOURCE = ["package.json", "tsconfig.json", "README.md", "LICENSE", "docs", "src"];

let folder: string;
let installed: string;
let evie: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evie-package-"));
  const source = join(folder, "source");
  await mkdir(source);
  for (const name of SOURCE) await cp(join(ROOT, name), join(source, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(source, "node_modules"));
  await npm(source, "pack", "--pack-destination", folder);

  const [tarball = "none"] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  const prefix = join(folder, "prefix");
  const quietly = ["--prefer-offline", "--no-audit", "--no-fund"];
  await npm(folder, "install", "-g", "--prefix", prefix, ...quietly, join(folder, tarball));
  installed = join(prefix, "lib", "node_modules", "evie");
  evie = join(prefix, "bin", "evie");
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function npm(cwd: string, ...args: readonly string[]): Promise<void> {
  // What npm tells its scripts is about the project that the tests are in, not about the one in `cwd`.
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/.test(name));
  const options = { cwd, env: Object.fromEntries(kept) };
  await execFileAsync("npm", args, options).catch((error: Error & { stdout: string }) => {
    throw new Error(`${error.message}\n${error.stdout}`, { cause: error });
  });
}

/** The environment of a person whose `node` is the one that runs this. */
const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` };

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** Starts the installed evie's playground. */
async function openPlayground() {
  const home = await mkdtemp(join(folder, "home-"));
  const child = spawn(evie, ["playground", "--stand-in"], {
    env: { ...env, HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let link: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    link = /http:\/\/\S+/.exec(line)?.[0];
    if (link !== undefined) break;
  }
  child.stdout.resume();
  if (link === undefined) throw new Error("The playground ended without a link.");
  return {
    link,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

/** Each Node older than 24 on the PATH of this machine, by its file. */
function oldNodes(): readonly string[] {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((entry) => !entry.includes("node_modules"))
    .map((entry) => join(entry, "node"))
    .filter((file) => {
      try {
        return Number(/^v(\d+)/.exec(execFileSync(file, ["--version"], { encoding: "utf8" }))?.[1]) < 24;
      } catch {
        return false;
      }
    });
}

async function packedFiles(): Promise<readonly string[]> {
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
    .filter((name) => !name.startsWith("node_modules/"));
}

describe("the installed command", () => {
  test("says its version and its help", async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
    expect(await run(evie, "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    const help = await run(evie, "--help");
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^evie: talk to the coding agent[^]*TELEGRAM_BOT_TOKEN/);
  });

  test("passes on what the program exits with", async () => {
    expect(await run(evie, "--nonsense")).toMatchObject({ code: 64, stdout: "" });
  });

  test("answers a prompt on Telegram", async () => {
    await using running = await startEvie({
      main: evie,
      env: { EVIE_AGENT_COMMAND: `'${process.execPath}' '${FAKE_AGENT}'` },
    });
    const anna = running.visitor();
    await anna.say("hello from a package");
    const answer = await anna.hears(({ text }) => text.startsWith("Echo"), "the answer");
    await anna.hears(({ text }) => text === "Echo: hello from a package", "the whole answer");
    expect(anna.said()).toEqual(["Echo: hello from a package"]);
    expect(answer.silent).toBe(true);
    expect(await running.stop()).toBe(0);
  });

  test("renders a long answer in a thread, whose file it brings along", async () => {
    await using running = await startEvie({
      main: evie,
      env: { EVIE_AGENT_COMMAND: `'${process.execPath}' '${FAKE_AGENT}'` },
    });
    const anna = running.visitor();
    const text = "A paragraph with **bold words** and `code` in it.\n\n".repeat(150);
    await anna.say(`FAKE${JSON.stringify({ text })}`);
    await anna.hears((message) => message.entities.length > 20, "the rendered answer");
    expect(running.output()).not.toContain("could not be rendered");
    expect(await running.stop()).toBe(0);
  });

  test("serves the deck, which it brings along", async () => {
    const agent = `'${process.execPath}' '${FAKE_AGENT}'`;
    await using running = await startEvie({
      main: evie,
      env: { EVIE_HTTP_PORT: "", EVIE_AGENT_COMMAND: agent },
    });
    await running.wrote(() => running.stdout().includes("/#key="), "the deck's link");
    const [link = ""] = /http:\/\/\S+/.exec(running.stdout()) ?? [];
    for (const path of ["/", "/deck.js", "/deck.css", "/icon.svg"]) {
      const response = await fetch(new URL(path, link));
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      expect((await response.text()).length).toBeGreaterThan(100);
    }
  });

  test("opens a playground, whose page it brings along", async () => {
    await using playground = await openPlayground();
    const { link } = playground;
    for (const path of ["/", "/page.js", "/page.css", "/icon.svg"]) {
      const response = await fetch(new URL(path, link));
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      expect((await response.text()).length).toBeGreaterThan(100);
    }
  });

  test("is up soon after Node itself, also on a busy machine", async () => {
    const quickest = async (...args: readonly string[]): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const before = performance.now();
        expect(await run(process.execPath, ...args)).toMatchObject({ code: 0 });
        times.push(performance.now() - before);
      }
      return Math.min(...times);
    };
    const bare = await quickest("--eval", "0");
    expect(await quickest(join(installed, "dist", "launcher.js"), "--version")).toBeLessThan(8 * bare);
  });
});

describe("with a Node that is too old", () => {
  const complaint = (version: string): unknown =>
    expect.stringMatching(new RegExp(`^evie: this is Node ${version.replaceAll(".", "\\.")}, .*\\n$`));

  test.each(["v12.17.0", "v23.11.1"])("as %s, the command says so and ends with 1", async (version) => {
    const disguise = `Object.defineProperty(process, "version", { value: "${version}" })`;
    expect(await run(process.execPath, "--import", `data:text/javascript,${disguise}`, evie)).toEqual({
      code: 1,
      stdout: "",
      stderr: complaint(version),
    });
  });

  test("as every old one on this machine, the command says so and ends with 1", async () => {
    const told = await Promise.all(
      oldNodes().map(async (node) => ({
        version: execFileSync(node, ["--version"], { encoding: "utf8" }).trim(),
        ended: await run(node, evie),
      })),
    );
    expect(told).toEqual(
      told.map(({ version }) => ({ version, ended: { code: 1, stdout: "", stderr: complaint(version) } })),
    );
  });

  test("the launcher can be read by the first Nodes with modules", async () => {
    const code = await readFile(join(installed, "dist", "launcher.js"), "utf8");
    const options = { minifyWhitespace: true, supported: { "dynamic-import": true } };
    const lowered = transformSync(code, { ...options, target: "es2019" }).code;
    expect(lowered).toBe(transformSync(code, { ...options, target: "esnext" }).code);
    expect(code).not.toMatch(/\bfrom\s*"|\bimport\s*"/);
    const loads = [...code.matchAll(/import\("(.*?)"\)/g)].map(([, from]) => from);
    expect(loads).toEqual(["./compile-cache.js", "./main.js"]);
  });
});

describe("the package", () => {
  test("holds the program, what goes with it, and nothing else", async () => {
    const files = await packedFiles();
    expect(files).toEqual(
      expect.arrayContaining(["package.json", "README.md", "LICENSE", "dist/launcher.js", "dist/main.js"]),
    );
    const strange = files.filter(
      (name) =>
        !/^(package\.json|README\.md|LICENSE|dist\/[^/]*\.js(\.map)?|dist\/(page|deck)\.json|dist\/licences\.txt|docs\/how-to\/(.*\.(md|service)|container\/(Dockerfile|compose\.yaml)))$/.test(
          name,
        ),
    );
    expect(strange).toEqual([]);
    expect(files.filter((name) => /\.tsx?$|(^|\/)(test|fixtures)\//.test(name))).toEqual([]);
  });

  test("names no path of the machine that built it", async () => {
    const texts = await Promise.all(
      (await packedFiles()).map((name) => readFile(join(installed, name), "utf8")),
    );
    const all = texts.join("\n");
    expect([ROOT, folder, `${homedir()}/`].filter((path) => all.includes(path))).toEqual([]);
  });

  test("needs no other package, because it is bundled", async () => {
    const { dependencies = {} } = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    expect(dependencies).toEqual({});
    const imported = new Set<string>();
    for (const name of (await packedFiles()).filter((file) => file.endsWith(".js"))) {
      const code = await readFile(join(installed, name), "utf8");
      for (const [, from = ""] of code.matchAll(/(?:\bfrom|^import|;import)\s*"([@\w][@\w/.-]*)"/g)) {
        if (!isBuiltin(from)) imported.add(from);
      }
    }
    expect([...imported]).toEqual([]);
  });

  test("has a source map beside each file, whose sources are of the project", async () => {
    const files = await packedFiles();
    const code = files.filter((file) => file.endsWith(".js"));
    expect(code.length).toBeGreaterThan(3);
    expect(code.filter((file) => !files.includes(`${file}.map`))).toEqual([]);
    const map = JSON.parse(await readFile(join(installed, "dist/main.js.map"), "utf8")) as {
      sources: readonly string[];
    };
    expect(map.sources).toContain("../src/main.ts");
  });

  test("carries the licences of the packages that it contains", async () => {
    const licences = await readFile(join(installed, "dist/licences.txt"), "utf8");
    for (const name of ["grammy", "pino", "execa", "hono", "ws", "micromark", "preact", "marked"])
      expect(licences).toMatch(new RegExp(`^== ${name} \\d[^]*?Copyright`, "m"));
  });

  test("keeps compiled code in a folder of the person's own, and none for a check", async () => {
    const home = join(folder, "somebody");
    await mkdir(home);
    const own = { ...env, HOME: home };
    await execFileAsync(evie, ["check"], { env: own }).catch(() => "it finds that there is no bot");
    expect(await readdir(home)).not.toContain(".cache");
    await execFileAsync(evie, ["--version"], { env: own });
    expect(await readdir(join(home, ".cache/evie"))).toHaveLength(1);
    expect((await stat(join(home, ".cache/evie"))).mode & 0o777).toBe(0o700);
    const nowhere = await execFileAsync(evie, ["--version"], { env: { ...own, HOME: "/dev/null" } });
    expect(nowhere).toMatchObject({ stderr: "" });
  });
});
