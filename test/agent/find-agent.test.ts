import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findAgent } from "../../src/agent/find-agent.ts";

const PACKAGE = "node_modules/@earendil-works/pi-coding-agent/package.json";

let folder = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "evie-find-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text: string, mode = 0o755): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

describe("finding the agent", () => {
  test("takes the configured words as they are", async () => {
    const configured = ["node", "/my/agent.js", "--fast"];
    expect(findAgent({ configured, path: process.env["PATH"] })).toEqual({
      file: "node",
      args: ["/my/agent.js", "--fast"],
      from: "configured",
    });
  });

  test("finds the pi that evie brings, and runs it with evie's node", async () => {
    expect(findAgent({ path: "" })).toEqual({
      file: process.execPath,
      args: [expect.stringMatching(/node_modules\/@earendil-works\/pi-coding-agent\/.*\.js$/)],
      from: "bundled",
    });
  });

  test("walks up to the node_modules that has it", async () => {
    await put(PACKAGE, '{"bin":{"pi":"dist/cli.js"}}');
    await put("deep/node_modules/other/package.json", "{}");
    const found = findAgent({ from: join(folder, "deep/er/src"), configured: [] });
    expect(found?.args).toEqual([join(folder, dirname(PACKAGE), "dist/cli.js")]);
  });

  test.each(["{broken", "null", "{}", '{"bin":"x"}', '{"bin":{"pi":3}}'])(
    "goes on to the PATH over a package that names no program: %s",
    async (text) => {
      await put(PACKAGE, text);
      const file = await put("bin/pi", "#!/bin/sh\n");
      const path = `relative:/nowhere::${join(folder, "bin")}`;
      expect(findAgent({ from: folder, path })).toEqual({ file, args: [], from: "path" });
    },
  );

  test.each([
    ["cli.js", "1\n"],
    ["pi.real", "#!/usr/bin/env node\n1\n"],
    ["pi.real", "#!/usr/bin/node\r\n1\n"],
  ])("runs a script for node behind a link with evie's node (%s, %j)", async (name, text) => {
    const file = await put(`lib/${name}`, text);
    await mkdir(join(folder, "bin"));
    await symlink(file, join(folder, "bin/pi"));
    const found = findAgent({ from: folder, path: join(folder, "bin") });
    expect(found).toEqual({ file: process.execPath, args: [file], from: "path" });
  });

  test("passes over folders, broken links and files that cannot be run", async () => {
    await mkdir(join(folder, "a/pi"), { recursive: true });
    await put("b/pi", "#!/bin/sh\n", 0o644);
    await mkdir(join(folder, "c"));
    await symlink("/nowhere", join(folder, "c/pi"));
    const path = ["a", "b", "c"].map((name) => join(folder, name)).join(":");
    expect(findAgent({ from: folder, path })).toBeUndefined();
  });
});
