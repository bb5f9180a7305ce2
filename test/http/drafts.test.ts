import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDrafts, type MakeDraft } from "../../src/http/drafts.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";

const PNG = Buffer.from("\u0089PNG\r\n\u001a\nrest", "latin1").toString("base64");
const REQUEST = {
  text: "look",
  images: [
    { mimeType: "image/png", data: PNG },
    { mimeType: "image/png", data: PNG },
  ],
} as const;

async function drafts(): Promise<{ readonly make: MakeDraft; readonly stored: () => readonly string[] }> {
  const parent = await mkdtemp(join(tmpdir(), "evie-drafts-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, "uploads");
  return {
    make: createDrafts({ folder, log: createMemoryLog() }),
    stored: () => (existsSync(folder) ? readdirSync(folder) : []),
  };
}

test("pictures are gone as soon as their prompt is released, not a moment later", async () => {
  const { make, stored } = await drafts();
  const draft = make(REQUEST);
  expect((await draft.ready).images).toHaveLength(2);
  expect(stored()).toHaveLength(2);
  draft.release();
  expect(stored()).toEqual([]);
  draft.release();
});

test("of a prompt that is released while its pictures are being stored nothing stays", async () => {
  const { make, stored } = await drafts();
  const draft = make(REQUEST);
  draft.release();
  await draft.ready;
  expect(stored()).toEqual([]);
});
