import { expect, test } from "vitest";
import { bundle } from "../../src/page-kit/bundle.ts";

test.each(["deck", "playground/page"])("the page of %s is bundled into what is served", async (folder) => {
  const { html, js, css, icon } = await bundle(new URL(`../../src/${folder}/`, import.meta.url));
  expect(html).toContain('<div id="app">');
  expect(js).toContain('getElementById("app")');
  expect(css).toContain("--accent:");
  expect(icon).toMatch(/^<svg /);
});
