import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { loadPage } from "../../src/playground/load-page.ts";

test("a page that was built for a package is taken as it is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "evie-page-"));
  try {
    const page = { js: "1", css: "2", html: "3", readme: "4", icon: "5" };
    const built = join(folder, "page.json");
    await writeFile(built, JSON.stringify(page));
    expect(await loadPage(pathToFileURL(built))).toEqual(page);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("in the source, the page is built when it is needed", async () => {
  const page = await loadPage();
  expect(page.html).toContain("page.js");
  expect(page.js.length).toBeGreaterThan(10_000);
  expect(page.css.length).toBeGreaterThan(1_000);
  expect(page.icon).toContain("<svg");
});
