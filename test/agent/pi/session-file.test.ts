import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, open, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { prepareSessionFile } from "../../../src/agent/pi/session-file.ts";
import { historyFailureOf, tooLargeHistory } from "../../../src/agent/pi/start-failure.ts";
import { tookPrompt } from "../../../src/agent/pi/took-prompt.ts";

async function setUp(content?: string | Buffer) {
  const folder = await mkdtemp(join(tmpdir(), "evie-session-file-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "s.jsonl");
  if (content !== undefined) await writeFile(file, content);
  return { folder, file };
}

const HEADER = '{"type":"session","version":3,"id":"1","cwd":"/"}\n';
const said = (role: string): string =>
  `${JSON.stringify({ type: "message", id: role, message: { role } })}\n`;
const long = (length: number): string => "x".repeat(length);

describe("before an agent is started on it, a session file", () => {
  test.each<[string, string]>([
    ["that is empty", ""],
    ["with a header", HEADER + said("user")],
    ["with a header alone, without a line's end", HEADER.trim()],
    ["with a header behind a line that is no entry", `rubbish\n${HEADER}`],
    ["with a header behind 3 MB of a line that is no entry", `${long(3e6)}\n${HEADER}`],
    ["with a header behind 70,000 bytes of such lines", `${"rubbish\n".repeat(9_000)}${HEADER}`],
    ["whose last line was cut", `${HEADER}${said("user")}{"type":"mess`],
    ["whose first entry is longer than a header, and may be one", `{"type":"session","x":"${long(2e6)}"}\n`],
  ])("%s is left as it is", async (_, content) => {
    const { folder, file } = await setUp(content);
    expect(prepareSessionFile(file)).toEqual({ type: "usable", size: content.length });
    expect(await readdir(folder)).toEqual(["s.jsonl"]);
  });

  test("that is not there yet, or that a link leads to, is left as it is", async () => {
    const { folder, file } = await setUp();
    expect(prepareSessionFile(file)).toEqual({ type: "usable", size: 0 });
    await writeFile(join(folder, "elsewhere"), HEADER);
    await symlink(join(folder, "elsewhere"), file);
    expect(prepareSessionFile(file)).toEqual({ type: "usable", size: HEADER.length });
  });

  test("of 5 GB is read at its beginning only", async () => {
    const { file } = await setUp(HEADER);
    await truncate(file, 5e9);
    const began = performance.now();
    expect(prepareSessionFile(file)).toEqual({ type: "usable", size: 5e9 });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test.each<[string, string]>([
    ["without a header", said("user") + HEADER],
    ["with a header that has no id", '{"type":"session"}\n'],
    ["that is rubbish", "\0\0\0"],
    ["that is one line of 5 MB and no entry", long(5e6)],
  ])("%s is set aside, and none that was set aside before is lost", async (_, content) => {
    const { folder, file } = await setUp(content);
    await writeFile(`${file}.damaged`, "from before");
    expect(prepareSessionFile(file)).toEqual({ type: "set_aside", movedTo: `${file}.damaged-2` });
    expect(await readdir(folder)).toEqual(["s.jsonl.damaged", "s.jsonl.damaged-2"]);
    expect(await readFile(`${file}.damaged-2`, "utf8")).toBe(content);
  });

  test("that holds 100 MB and no line's end is set aside as well", async () => {
    const { file } = await setUp("rubbish");
    await truncate(file, 100e6);
    expect(prepareSessionFile(file)).toEqual({ type: "set_aside", movedTo: `${file}.damaged` });
  });

  test("that is a folder, or a pipe, is called unusable, and nobody waits for it", async () => {
    const { folder, file } = await setUp();
    await mkdir(file);
    expect(prepareSessionFile(file)).toEqual({ type: "unusable", reason: "it is a folder" });
    const pipe = join(folder, "pipe");
    execFileSync("/usr/bin/mkfifo", [pipe]);
    expect(prepareSessionFile(pipe)).toEqual({ type: "unusable", reason: "it is not a file" });
    await expect(tookPrompt(pipe, 0)).rejects.toThrow("is not a file");
    await expect(tookPrompt(file, 0)).rejects.toThrow("is not a file");
  });

  test("that the system does not open is called unusable, with the system's reason", async () => {
    const { file } = await setUp();
    await symlink(file, file);
    expect(prepareSessionFile(file)).toEqual({ type: "unusable", reason: expect.stringContaining("ELOOP") });
  });
});

describe("an agent that could not start is blamed on its session file", () => {
  test("when it says that this is no session: then it is set aside", async () => {
    const { file, folder } = await setUp(`{"type":"session",${long(2e6)}`);
    const exit = { code: 1, lastWords: `Error: Session file is not a valid pi session: ${file}` };
    expect(historyFailureOf(exit, file)).toEqual({ type: "history_damaged", movedTo: `${file}.damaged` });
    expect(await readdir(folder)).toEqual(["s.jsonl.damaged"]);
    expect(historyFailureOf(exit, file)).toMatchObject({ type: "history_unusable", file });
  });

  test("when its memory was too small for a large one, which stays where it is", async () => {
    const { file, folder } = await setUp(HEADER);
    const exit = { signal: "SIGABRT", lastWords: "FATAL ERROR: JavaScript heap out of memory" };
    expect(historyFailureOf(exit, file)).toBeUndefined();
    await truncate(file, 600e6);
    expect(historyFailureOf(exit, file)).toEqual({
      type: "history_unusable",
      file,
      reason: "it is too large for the agent, 600 MB",
    });
    expect(historyFailureOf({ code: 1, lastWords: "no such model" }, file)).toBeUndefined();
    expect(await readdir(folder)).toEqual(["s.jsonl"]);
  });

  test("when it took too long with a large one", async () => {
    const { file } = await setUp(HEADER);
    expect(tooLargeHistory(file)).toBeUndefined();
    await truncate(file, 600e6);
    expect(tooLargeHistory(file)).toMatchObject({ type: "history_unusable", file });
  });
});

test("a prompt is in the agent's history when a person's message stands behind where the file ended", async () => {
  const before = HEADER + said("user") + said("assistant");
  const { file } = await setUp(before + said("user"));
  expect(await tookPrompt(file, before.length)).toBe(true);
  expect(await tookPrompt(file, (before + said("user")).length)).toBe(false);
});

test.each<[string, string]>([
  ["nothing", ""],
  ["the end of an answer", said("assistant")],
  ["half an entry", said("user").slice(0, -5)],
])("it is not when %s stands there", async (_, after) => {
  const { file } = await setUp(HEADER + after);
  expect(await tookPrompt(file, HEADER.length)).toBe(false);
});

test("of a session that has no file nothing was taken, and one that was written anew is looked at whole", async () => {
  const { file, folder } = await setUp(HEADER + said("user"));
  expect(await tookPrompt(join(folder, "none.jsonl"), 0)).toBe(false);
  expect(await tookPrompt(file, 100_000)).toBe(true);
});

test("what stands behind an offset of 600 MB is read, and nothing in front of it", async () => {
  const { file } = await setUp(HEADER);
  await truncate(file, 600e6);
  const handle = await open(file, "a");
  await handle.write(`\n${said("assistant")}${said("user")}`);
  await handle.close();
  const began = performance.now();
  expect(await tookPrompt(file, 600e6)).toBe(true);
  expect(await tookPrompt(file, 600e6 + 1 + said("assistant").length + said("user").length)).toBe(false);
  expect(performance.now() - began).toBeLessThan(1_000);
});
