import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { HTTP_PORT } from "../src/config/fields.ts";
import { readConfig } from "../src/config.ts";
import { warnAsProcessOne } from "../src/process-one.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";
import { freePort, startEvie } from "./running-evie.ts";

const ROOT = new URL("../", import.meta.url);
const dockerfile = read("docs/how-to/container/Dockerfile").replaceAll(/\\\n\s*/g, "");
const compose = read("docs/how-to/container/compose.yaml");

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

/** What stands behind each line that begins with `instruction`. */
function all(instruction: string): readonly string[] {
  return [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, "gm"))].map(([, rest]) => rest ?? "");
}

/** The only line of that instruction in the image that runs. */
function only(instruction: string): string {
  const found = all(instruction);
  expect(found).toHaveLength(1);
  return found[0] ?? "";
}

const environment = Object.fromEntries(
  only("ENV")
    .split(" ")
    .map((pair) => pair.split("=")),
) as Record<string, string>;

describe("the image", () => {
  test("is built from files that a checkout has, on the Node that evie needs, with the pi that it is tested with", () => {
    const copied = all("COPY")
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(" ").slice(0, -1));
    expect(copied).toContain("src");
    expect(copied.filter((path) => !existsSync(fileURLToPath(new URL(path, ROOT))))).toEqual([]);
    const { devDependencies } = JSON.parse(read("package.json")) as {
      devDependencies: Readonly<Record<string, string>>;
    };
    expect(dockerfile).toContain(
      `@earendil-works/pi-coding-agent@${devDependencies["@earendil-works/pi-coding-agent"]}`,
    );
    for (const base of all("FROM")) expect(base).toMatch(new RegExp(`^node:${read(".nvmrc").trim()}-`));
  });

  test("sets what evie accepts, with a token beside it, and nothing that it does not know", () => {
    const telegram = { TELEGRAM_BOT_TOKEN: "1:a", EVIE_HTTP_TOKEN: "t".repeat(32) };
    const isFolder = (path: string): boolean => path === all("WORKDIR").at(-1);
    const around = { cwd: "/", homedir: "/home/node", isFolder };
    const { config, problems, warnings } = readConfig({ ...environment, ...telegram }, around);
    expect(problems).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ workspace: "/workspace", httpAddress: "0.0.0.0", httpPorts: [HTTP_PORT] });
    expect(config?.home).toBe("/home/node/.evie");
    expect(Object.keys(environment).filter((name) => !read("src/config.ts").includes(`"${name}"`))).toEqual(
      [],
    );
  });

  test("puts an init in front of evie, which runs as no root, and can be published on one address of the machine", () => {
    expect(only("ENTRYPOINT")).toBe('["tini", "--"]');
    expect(only("CMD")).toBe('["evie"]');
    expect(only("USER")).toBe("node");
    expect(only("EXPOSE")).toBe(String(HTTP_PORT));
    expect(compose).toContain(`- "127.0.0.1:${HTTP_PORT}:${HTTP_PORT}"`);
    expect(compose).toContain("- home:/home/node");
    expect(compose).toContain(`- ./workspace:${environment["EVIE_WORKSPACE"]}`);
  });

  test("knows by its health check whether evie answers", async () => {
    const [, check = ""] = /CMD (.*)$/.exec(only("HEALTHCHECK")) ?? [];
    const [file = "", ...args] = JSON.parse(check) as string[];
    const port = String(await freePort());
    const healthy = async (EVIE_HTTP_PORT: string): Promise<boolean> =>
      promisify(execFile)(file, args, { env: { PATH: process.env["PATH"], EVIE_HTTP_PORT } }).then(
        () => true,
        () => false,
      );
    expect(await healthy(port)).toBe(false);
    expect(await healthy("0")).toBe(true);
    await using evie = await startEvie({ env: { EVIE_HTTP_PORT: port } });
    await evie.wrote((output) => output.includes(`:${port}/`), "the deck's link");
    expect(await healthy(port)).toBe(true);
  });
});

test("evie warns, with what to do, where it is process 1, and nowhere else", () => {
  const log = createMemoryLog();
  warnAsProcessOne(4_711, log);
  expect(log.lines).toEqual([]);
  warnAsProcessOne(1, log);
  expect(log.messages("warn")).toEqual([expect.stringMatching(/^evie is process 1 .*docker run --init/)]);
});
