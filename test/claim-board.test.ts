import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClaimBoard } from "../src/claim-board.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evie-board-"));
  path = join(folder, "claim-link");
});

afterEach(() => rmSync(folder, { recursive: true }));

const link = "https://t.me/evie_bot?start=evie-claim-abc";

test("a claim link is printed on a terminal, and written nowhere", () => {
  const printed: string[] = [];
  const log = createMemoryLog();
  createClaimBoard({ folder, print: (text) => printed.push(text), log }).show(link);
  expect(printed).toEqual([expect.stringContaining(link)]);
  expect(existsSync(path)).toBe(false);
  expect(log.lines).toEqual([]);
});

test("a claim link goes into a file for its owner only where nobody sits at a terminal, and the log names the file", () => {
  // One that somebody else made for all to read.
  writeFileSync(path, "", { mode: 0o666 });
  const log = createMemoryLog();
  const board = createClaimBoard({ folder, print: undefined, log });
  board.show("an older link");
  board.show(link);
  expect(readFileSync(path, "utf8")).toBe(`${link}\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(log.lines.map(({ fields }) => fields)).toEqual([{ file: path }, { file: path }]);
  expect(JSON.stringify(log.lines)).not.toContain("evie-claim");
  board.withdraw();
  expect(existsSync(path)).toBe(false);
  board.withdraw();
});
