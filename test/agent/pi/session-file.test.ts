import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { setAsideIfBroken } from "../../../src/agent/pi/session-file.ts";
import { tookPrompt } from "../../../src/agent/pi/took-prompt.ts";

async function setUp(content?: string) {
  const folder = await mkdtemp(join(tmpdir(), "evie-session-file-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "s.jsonl");
  if (content !== undefined) await writeFile(file, content);
  return { folder, file };
}

const HEADER = '{"type":"session","version":3,"id":"1","cwd":"/"}\n';
const said = (role: string): string =>
  `${JSON.stringify({ type: "message", id: role, message: { role } })}\n`;

test.each<[string, string | undefined]>([
  ["that is not there yet", undefined],
  ["that is empty", ""],
  ["with a header", HEADER + said("user")],
  ["with a header behind a line that is no entry", `rubbish\n${HEADER}`],
  ["whose last line was cut", `${HEADER}${said("user")}{"type":"mess`],
])("a session file %s is left as it is", async (_, content) => {
  const { folder, file } = await setUp(content);
  expect(setAsideIfBroken(file)).toBeUndefined();
  expect(await readdir(folder)).toEqual(content === undefined ? [] : ["s.jsonl"]);
});

test.each<[string, string]>([
  ["without a header", said("user") + HEADER],
  ["with a header that has no id", '{"type":"session"}\n'],
  ["that is rubbish", "\0\0\0"],
])("a session file %s is set aside, and none that was set aside before is lost", async (_, content) => {
  const { folder, file } = await setUp(content);
  await writeFile(`${file}.damaged`, "from before");
  expect(setAsideIfBroken(file)).toBe(`${file}.damaged-2`);
  expect(await readdir(folder)).toEqual(["s.jsonl.damaged", "s.jsonl.damaged-2"]);
  expect(await readFile(`${file}.damaged-2`, "utf8")).toBe(content);
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
