import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { FAKE_AGENT } from "../running-evie.ts";
import { type ChatPage, launchBrowser, openChat } from "./chat-page.ts";
import { landscape } from "./landscape.ts";
import { type RunningPlayground, spawnEvie, startPlaygroundProcess } from "./running-playground.ts";

/*
 * The way of somebody who has just cloned evie: `evie playground` as a process, the real pi, the stand-in model, and
 * a real browser that opens the printed link. One playground for all; each test begins with /clear.
 */

let browser: Browser;
let playground: RunningPlayground & AsyncDisposable;

beforeAll(async () => {
  [browser, playground] = await Promise.all([launchBrowser(), startPlaygroundProcess()]);
}, 40_000);

afterAll(async () => {
  await browser.close();
  await playground[Symbol.asyncDispose]();
});

/** The page, with a session that remembers nothing. */
async function freshChat(): Promise<ChatPage> {
  const chat = await openChat(browser, playground.link, { viewport: { width: 1280, height: 900 } });
  onTestFinished(() => chat.page.context().close());
  const said = await chat.answers.count();
  await chat.say("/clear");
  await chat.answers.nth(said).filter({ hasText: "New session" }).waitFor();
  return chat;
}

const turns = (chat: ChatPage) => chat.page.locator(".step.turn");

describe("in the browser", () => {
  test("a paste of 9,000 characters is three messages, one prompt and one answer", async () => {
    const chat = await freshChat();
    const [own, answers, turnsBefore] = [
      await chat.own.count(),
      await chat.answers.count(),
      await turns(chat).count(),
    ];
    const line = "2026-11-30 03:12:07 migrate step 4 of 9, orders into orders_v2";
    await chat.box.fill(`${line}\n`.repeat(150).slice(0, 9_000));
    await chat.page.getByText("Telegram will cut this into 3 messages").waitFor();
    await chat.box.press("Enter");

    await chat.answers
      .last()
      .filter({ hasText: /[89],\d{3} characters in/ })
      .waitFor();
    await turns(chat).last().filter({ hasText: "done" }).waitFor();
    expect(await chat.own.count()).toBe(own + 3);
    expect(await chat.answers.count()).toBe(answers + 1);
    expect(await turns(chat).count()).toBe(turnsBefore + 1);
    expect(await chat.page.locator(".step.burst").last().innerText()).toMatch(
      /^\d\d:\d\d:\d\d\s+3 messages within/,
    );
  });

  test("an album of three is one bubble, and one answer that knows three pictures", async () => {
    const chat = await freshChat();
    const answers = await chat.answers.count();
    await chat.choose(
      [0, 1, 2].map((number) => ({ name: `${number}.png`, type: "image/png", bytes: landscape(number, 64) })),
    );
    await chat.page.locator(".tray img").nth(2).waitFor();
    await chat.say("Which one?");
    await chat.answers.last().filter({ hasText: "3 pictures" }).waitFor();
    expect(await chat.answers.count()).toBe(answers + 1);
    expect(await chat.own.last().locator(".pictures img").count()).toBe(3);
    expect(await chat.own.last().innerText()).toContain("Which one?");
  });

  test("a message while it answers interrupts it, and what was said stays", async () => {
    const chat = await freshChat();
    await chat.say("long");
    await chat.answers.last().filter({ hasText: "The lighthouse" }).waitFor();
    await chat.say("Stop, something else.");
    await chat.answers.last().filter({ hasText: "Stop, something else." }).waitFor();
    expect(await chat.answers.nth(-2).innerText()).toMatch(/The lighthouse[^]*interrupted/);
    await turns(chat).filter({ hasText: "replaced" }).last().waitFor();
  });

  test("the menu of commands opens with a slash, and a command is sent from it", async () => {
    const chat = await freshChat();
    await chat.box.fill("/");
    const menu = chat.page.getByRole("listbox", { name: "Commands" });
    expect(await menu.getByRole("option").allInnerTexts()).toContainEqual(expect.stringContaining("/help"));
    await chat.box.fill("/he");
    await chat.box.press("Enter");
    await chat.answers.last().filter({ hasText: "replaces what it is doing" }).waitFor();
    expect(await menu.count()).toBe(0);
    expect(await chat.box.inputValue()).toBe("");
  });

  test("one's own message is edited with the arrow key, answered, and deleted from its menu", async () => {
    const chat = await freshChat();
    await chat.say("/help");
    await chat.answers.last().filter({ hasText: "/stop" }).waitFor();
    await chat.box.press("ArrowUp");
    expect(await chat.box.inputValue()).toBe("/help");
    await chat.box.press("Escape");
    expect(await chat.box.inputValue()).toBe("");

    await chat.box.press("ArrowUp");
    await chat.box.fill("changed");
    await chat.box.press("Enter");
    await chat.own.last().filter({ hasText: "edited" }).waitFor();

    const mine = chat.own.last();
    await mine.hover();
    await mine.getByRole("button", { name: "More about this message" }).click();
    await chat.page.getByRole("menuitem", { name: "Reply" }).click();
    await chat.page.getByText("Reply to yourself").waitFor();
    await chat.box.press("Escape");
    const before = await chat.own.count();
    await mine.click({ button: "right" });
    await chat.page.getByRole("menuitem", { name: "Delete" }).click();
    await chat.own.nth(before - 1).waitFor({ state: "detached" });
    expect(await chat.own.count()).toBe(before - 1);
  });

  test("a page that is closed in mid-turn shows the whole answer when it is opened again", async () => {
    const chat = await freshChat();
    await chat.say("markdown");
    await turns(chat).last().filter({ hasText: "running" }).waitFor();
    await chat.page.close();
    const again = await openChat(browser, playground.link);
    onTestFinished(() => again.page.context().close());
    const answer = again.answers.last();
    await answer.filter({ hasText: "Here it is." }).waitFor();
    expect(await answer.locator(".code-block figcaption").first().innerText()).toContain("ts");
    expect(await answer.locator("strong", { hasText: "bold" }).count()).toBeGreaterThan(0);
    const spoiler = answer.getByRole("button", { name: "Hidden text, press to read" });
    await spoiler.click();
    expect(await answer.locator(".spoiler.open").innerText()).toBe("a spoiler");
  });

  test("the deck opens from the page, shows the same turn, and answers what the agent asks", async () => {
    await using asking = await startPlaygroundProcess([], {
      EVIE_AGENT_COMMAND: `'${process.execPath}' '${FAKE_AGENT}'`,
    });
    const chat = await openChat(browser, asking.link);
    onTestFinished(() => chat.page.context().close());
    const opened = chat.page.waitForEvent("popup");
    await chat.page.getByRole("link", { name: "Deck" }).click();
    const deck = await opened;
    await deck.getByText("Choose a session").waitFor();
    expect(deck.url()).not.toContain("key=");
    await chat.say('FAKE{"dialog":"Which colour?","text":"Blue then."}');
    await chat.answers.filter({ hasText: "Which colour?" }).waitFor();
    await deck.locator(".sessions a").click();
    await deck.locator(".question .choices button").click();
    await deck.locator(".row.theirs").filter({ hasText: "Blue then." }).waitFor();
    // A session that no chat speaks with; a link would lead to a bot that is not there.
    await deck.getByRole("button", { name: "New session" }).click();
    await deck.getByRole("heading", { name: "New session" }).waitFor();
    expect(await deck.getByRole("link", { name: "Continue in Telegram" }).count()).toBe(0);
    await chat.answers.filter({ hasText: "Blue then." }).waitFor();
  });

  test("works on a phone, where what happens underneath is a sheet", async () => {
    const chat = await openChat(browser, playground.link, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    onTestFinished(() => chat.page.context().close());
    const width = await chat.page
      .locator("body")
      .evaluate((body: { scrollWidth: number }) => body.scrollWidth);
    expect(width).toBe(360);
    await chat.box.fill("one");
    await chat.box.press("Enter");
    expect(await chat.box.inputValue()).toBe("one\n");
    const sheet = chat.page.getByRole("complementary", { name: "What happens underneath" });
    expect(await sheet.isVisible()).toBe(false);
    await chat.page.getByRole("button", { name: "Underneath" }).click();
    await sheet.waitFor();
    await chat.page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
  });
});

describe("the command", () => {
  test("a second playground on the same home says whose it is, and touches nothing", async () => {
    const file = join(playground.home, "evie/playground/agent/models.json");
    const before = await readFile(file, "utf8");
    const second = spawnEvie(playground.home, ["playground"]);
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(/^evie: Another evie \(process \d+\) runs on \S+ already\. [^\n]+\n$/);
    expect(await readFile(file, "utf8")).toBe(before);
  });

  test("a port that is taken is one clear sentence", async () => {
    const second = spawnEvie(join(playground.home, "other"), [
      "playground",
      "--port",
      String(playground.port),
    ]);
    expect(await second.exited).toBe(1);
    expect(second.output()).toBe(
      `evie: Port ${playground.port} is taken. Name another one with --port, or leave it out.\n`,
    );
  });
});
