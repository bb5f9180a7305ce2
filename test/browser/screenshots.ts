/* Draws the chat page in every light and on every desk: `npm run screenshots` fills the folder `screenshots`. */

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { ChatPage } from "./chat-page.ts";
import { launchBrowser, openChat } from "./chat-page.ts";
import { landscape } from "./landscape.ts";
import { drawReadmePicture } from "./readme-picture.ts";
import { startPlaygroundProcess } from "./running-playground.ts";

const FOLDER = fileURLToPath(new URL("../../screenshots/", import.meta.url));
const DESKTOP = { width: 1280, height: 820 };
const PHONE = { width: 360, height: 740 };

await mkdir(FOLDER, { recursive: true });
await using playground = await startPlaygroundProcess(["--stand-in"]);
const browser = await launchBrowser();
try {
  await drawReadmePicture(browser, `${FOLDER}chat.png`);
  await drawAll();
} finally {
  await browser.close();
}

async function drawAll(): Promise<void> {
  const chat = await openChat(browser, playground.link, { viewport: DESKTOP });
  await shot(chat, "01-empty-desktop");
  await glance({ viewport: PHONE, hasTouch: true, isMobile: true }, "02-empty-phone");

  await converse(chat);
  await shot(chat, "03-answer-desktop");
  for (const scheme of ["light", "dark"] as const) {
    await glance({ viewport: DESKTOP, colorScheme: scheme }, `04-desktop-${scheme}`);
    await glance(
      { viewport: PHONE, colorScheme: scheme, hasTouch: true, isMobile: true },
      `05-phone-${scheme}`,
    );
  }
  const sheet = await view({ viewport: PHONE, hasTouch: true, isMobile: true });
  await sheet.page.getByRole("button", { name: "Underneath" }).click();
  await shot(sheet, "06-sheet-phone");

  await chat.say("markdown");
  await said(chat, "Here it is.");
  await shot(chat, "07-markdown-end");
  await chat.page.locator(".code-block").first().scrollIntoViewIfNeeded();
  await shot(chat, "08-markdown-code");
  const dark = await view({ viewport: DESKTOP, colorScheme: "dark" });
  await dark.page.locator(".code-block").first().scrollIntoViewIfNeeded();
  await shot(dark, "09-markdown-dark");

  await chat.page.locator(".row.theirs").last().hover();
  await chat.page.locator(".row.theirs .message-menu button").last().click();
  await shot(chat, "10-menu");
  await chat.page.getByRole("menuitem", { name: "Reply" }).click();
  await chat.box.fill("And this one?");
  await shot(chat, "11-reply");
  await chat.page.keyboard.press("Escape");
  await chat.box.fill("/");
  await shot(chat, "12-commands");
  await chat.box.fill("");
  await chat.choose([
    picture(0),
    picture(1),
    { name: "rain.csv", type: "text/csv", bytes: Buffer.from("a,b\n1,2\n") },
  ]);
  await chat.page.waitForTimeout(300);
  await shot(chat, "13-tray");
  await chat.say("Two pictures and a table.");
  await chat.page.getByText("Get a real bot").click();
  await shot(chat, "14-real-bot");
  await chat.page.getByText("Get a real bot").click();
  await chat.page.waitForTimeout(2_500);
  await chat.page.getByRole("button", { name: "Flood limit" }).click();
  await chat.say("long");
  await chat.page
    .getByText(/evie rests for/)
    .last()
    .waitFor();
  await shot(chat, "15-flood");
  await chat.say("/stop");
  await chat.page.getByRole("button", { name: "Outage" }).click();
  await chat.say("Written during the outage");
  await chat.page.waitForTimeout(500);
  await shot(chat, "16-outage");
}

async function converse(chat: ChatPage): Promise<void> {
  await chat.choose([picture(0), picture(1), picture(2)]);
  await chat.page.locator(".tray img").nth(2).waitFor();
  await chat.say("Three views of the lighthouse. Which is the best?");
  await said(chat, "3 pictures");
  await chat.say("run cat greet.js && node greet.js");
  await said(chat, "Hello, Grace!");
  const log = Array.from(
    { length: 160 },
    (_, line) =>
      `${String(line + 1).padStart(3, "0")}  03:12:${String(line % 60).padStart(2, "0")} migrate  step 4 of 9, orders into orders_v2`,
  );
  await chat.say(`Why did the migration stop?\n\n${log.join("\n")}`);
  await said(chat, "characters in");
}

async function said(chat: ChatPage, words: string): Promise<void> {
  await chat.answers.filter({ hasText: words }).last().waitFor({ timeout: 30_000 });
  await chat.page.waitForTimeout(1_600);
}

async function view(look: Parameters<typeof openChat>[2]): Promise<ChatPage> {
  const chat = await openChat(browser, playground.link, look);
  await chat.page.waitForTimeout(400);
  return chat;
}

async function shot(chat: ChatPage, name: string): Promise<void> {
  await chat.page.screenshot({ path: `${FOLDER}${name}.png` });
}

/** A look at the same chat from another screen. */
async function glance(look: Parameters<typeof openChat>[2], name: string): Promise<void> {
  const chat = await view(look);
  await shot(chat, name);
  await chat.page.context().close();
}

function picture(number: number) {
  return { name: `view-${number + 1}.png`, type: "image/png", bytes: landscape(number) };
}
