/*
 * Draws the deck in both lights, on a desk and on a phone: `npm run screenshots` fills the folder `screenshots`.
 * `deck.png` is the README's.
 */

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { buildDeck } from "../../src/deck/build.ts";
import { launchBrowser } from "../browser/chat-page.ts";
import { giveKey, startFakeDeckServer } from "../fakes/fake-deck-server.ts";
import { gallery } from "./gallery.ts";

const FOLDER = fileURLToPath(new URL("../../screenshots/", import.meta.url));
const DESK = { width: 1280, height: 860 };
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

await mkdir(FOLDER, { recursive: true });
const { sessions, answer } = gallery(Date.now());
await using server = await startFakeDeckServer(await buildDeck(), { sessions, answer });
await using browser = await launchBrowser();

async function draw(
  name: string,
  look: BrowserContextOptions,
  path: string,
  act?: (page: Page) => Promise<void>,
) {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  await giveKey(page);
  await page.goto(server.url + path);
  await page
    .locator(path === "/" ? ".sessions a" : ".row")
    .first()
    .waitFor();
  await act?.(page);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
  await context.close();
}

await draw("deck", { viewport: { width: 1180, height: 760 }, colorScheme: "light" }, "/s/asks");
for (const colorScheme of ["light", "dark"] as const) {
  await draw(`deck-desk-${colorScheme}`, { viewport: DESK, colorScheme }, "/s/asks");
  await draw(`deck-desk-tools-${colorScheme}`, { viewport: DESK, colorScheme }, "/s/tools", async (page) => {
    await page.locator(".tool .fold").nth(1).click();
  });
  await draw(`deck-phone-${colorScheme}`, { ...PHONE, colorScheme }, "/s/asks");
}
await draw("deck-desk-text", { viewport: DESK }, "/s/text", async (page) => {
  await page.evaluate("document.querySelector('.log').scrollTo(0, 0)");
});
await draw("deck-phone-writing", { ...PHONE }, "/s/tools", async (page) => {
  await page
    .locator(".composer textarea")
    .fill("Leave the old test as it is, and write a second one beside it");
  await page.evaluate("document.querySelector('.log').scrollTo(0, 0)");
});
await draw("deck-phone-list", { ...PHONE }, "/");
await draw("deck-phone-text", { ...PHONE }, "/s/text");
await draw("deck-desk-offline", { viewport: DESK }, "/s/text", async (page) => {
  server.script.isUp = false;
  server.cut();
  await page.locator(".composer textarea").fill("Are you there?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("evie is out of reach").waitFor();
  await page.waitForTimeout(900);
  server.script.isUp = true;
});
