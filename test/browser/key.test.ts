import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { png } from "../builders.ts";
import { FAKE_AGENT, freePort, type RunningEvie, startEvie, type Visitor } from "../running-evie.ts";
import { launchBrowser, openChat } from "./chat-page.ts";
import { startPlaygroundProcess } from "./running-playground.ts";

/*
 * What lets a browser in, in a real one: a key that its page keeps for the origin of evie. No cookie holds it, since a
 * browser sends those to every port of a host.
 */

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
}, 60_000);
afterAll(() => browser.close());

const AGENT = `'${process.execPath}' '${FAKE_AGENT}'`;
const LINK = /http:\/\/\S+#key=\S+/;

/** Another server of this machine, which writes down what browsers send it. */
async function startNeighbour(page = "") {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    heard.push(headers);
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>n</title>${page}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Opens a window of a person of their own. */
async function openWindow() {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  return {
    context,
    open: async (address: string): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(address);
      return page;
    },
  };
}

const isIn = (page: Page) => page.getByRole("navigation", { name: "Sessions" }).waitFor();

async function deckLinkOf(visitor: Visitor): Promise<string> {
  await visitor.say("/deck");
  const { text } = await visitor.hears((message) => LINK.test(message.text), "the link");
  return LINK.exec(text)?.[0] ?? "";
}

/** Evie once more, at the home, the port and the bot of one that has ended, for other people. */
async function startAgain({ home, api }: RunningEvie, port: number, allowed: string) {
  return await startEvie({
    awaitReady: false,
    env: {
      EVIE_HOME: home,
      EVIE_HTTP_PORT: `${port}`,
      EVIE_AGENT_COMMAND: AGENT,
      EVIE_ALLOWED_USERS: allowed,
      TELEGRAM_API_ROOT: api.root,
      TELEGRAM_BOT_TOKEN: api.token,
    },
  });
}

test("a link of the chat lets a browser in for good, and no other server of the machine hears of its key", async () => {
  await using evie = await startEvie({ env: { EVIE_HTTP_PORT: "", EVIE_AGENT_COMMAND: AGENT } });
  const anna = evie.visitor();
  const link = await deckLinkOf(anna);
  const key = new URL(link).hash.slice("#key=".length);
  const { origin } = new URL(link);
  const window = await openWindow();

  const stranger = await window.open(origin);
  await stranger.getByRole("heading", { name: "This browser has no key to evie" }).waitFor();

  const page = await window.open(link);
  await isIn(page);
  expect(page.url()).toBe(`${origin}/`);
  // Another tab that stood before a closed door goes in as well.
  await isIn(stranger);

  await page.getByRole("button", { name: "New session" }).click();
  await page
    .locator(".composer input[type=file], input[type=file]")
    .first()
    .setInputFiles({
      name: "a.png",
      mimeType: "image/png",
      buffer: Buffer.from(png(1)),
    });
  await page.locator(".composer textarea").fill("Look.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".row.theirs").filter({ hasText: "Echo: Look." }).waitFor();
  const picture = page.locator(".row.mine .picture img");
  await picture.waitFor();
  expect(await picture.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth)).toBe(8);
  const session = page.url();

  await page.reload();
  await page.locator(".row.theirs").filter({ hasText: "Echo: Look." }).waitFor();
  // A link from the chat, and a bookmark.
  await (await window.open(session)).locator(".row.theirs").filter({ hasText: "Echo: Look." }).waitFor();
  await isIn(await window.open(`${origin}/`));

  const neighbour = await startNeighbour();
  const elsewhere = await window.open(neighbour.url);
  const stolen = await elsewhere.evaluate(async (to) => {
    const ask = async (path: string, init: RequestInit) =>
      await fetch(`${to}${path}`, { credentials: "include", ...init }).then(
        async (response) => `${response.type} ${response.status} ${await response.text()}`,
        () => "refused",
      );
    return await Promise.all([
      ask("/api/sessions", {}),
      ask("/api/sessions", { mode: "no-cors" }),
      ask("/api/sessions", { method: "POST", mode: "no-cors", body: "{}" }),
    ]);
  }, origin);
  expect(stolen).toEqual(["refused", expect.stringMatching(/^(opaque 0 $|refused)/), expect.any(String)]);
  expect(await window.context.cookies()).toEqual([]);
  expect(neighbour.heard.length).toBeGreaterThan(0);
  expect(JSON.stringify(neighbour.heard)).not.toContain(key);
  for (const headers of neighbour.heard) expect(headers.cookie).toBeUndefined();
  expect(evie.output().replace(evie.stdout(), "")).not.toContain(key);
});

test("whoever is taken off the list is told so in the open page, and the key does not come back with them", async () => {
  const port = await freePort();
  await using evie = await startEvie({ env: { EVIE_HTTP_PORT: `${port}`, EVIE_AGENT_COMMAND: AGENT } });
  const [anna, bert] = [evie.visitor(), evie.visitor()];
  const [hers, his] = [await deckLinkOf(anna), await deckLinkOf(bert)];
  expect(hers).not.toBe(his);
  const [herWindow, hisWindow, thirdWindow] = [await openWindow(), await openWindow(), await openWindow()];
  const [herPage, hisPage] = [await herWindow.open(hers), await hisWindow.open(his)];
  const third = await thirdWindow.open(hers);
  for (const page of [herPage, hisPage, third]) await isIn(page);
  await herPage.getByRole("button", { name: "New session" }).click();
  await herPage.getByRole("heading", { name: "New session" }).waitFor();

  await evie.stop();
  const both = `${anna.chat.id},${bert.chat.id}`;
  {
    await using again = await startAgain(evie, port, `${bert.chat.id}`);
    await herPage.getByRole("heading", { name: "The key of this browser has ended" }).waitFor();
    expect(await herPage.getByRole("heading", { name: "New session" }).count()).toBe(0);
    await hisPage.reload();
    await isIn(hisPage);
    // Whoever has the machine's own link opens it in the very same tab, where the browser loads nothing for it.
    await third.getByRole("heading", { name: "The key of this browser has ended" }).waitFor();
    await again.wrote(() => LINK.test(again.stdout()), "the deck's link");
    await third.goto(LINK.exec(again.stdout())?.[0] ?? "");
    await isIn(third);
  }
  await using back = await startAgain(evie, port, both);
  await back.wrote((output) => output.includes('"ready"'), "that it is ready");
  const late = await herWindow.open(hers);
  await late.getByRole("heading", { name: "The key of this browser has ended" }).waitFor();
  await anna.say("/deck");
  const { text } = await anna.hears(
    (message) => LINK.test(message.text) && !message.text.includes(hers),
    "a new link",
  );
  await late.goto(LINK.exec(text)?.[0] ?? "");
  await isIn(late);
  await isIn(herPage);
});

test("a link with a key that is none locks nobody out", async () => {
  await using evie = await startEvie({ env: { EVIE_HTTP_PORT: "", EVIE_AGENT_COMMAND: AGENT } });
  await evie.wrote(() => LINK.test(evie.stdout()), "the deck's link");
  const link = new URL(LINK.exec(evie.stdout())?.[0] ?? "");
  const window = await openWindow();
  await isIn(await window.open(link.href));
  const page = await window.open(`${link.origin}/#key=evie-deck-bad`);
  await isIn(page);
  expect(page.url()).toBe(`${link.origin}/`);
  await page.reload();
  await isIn(page);
});

test("the playground's page keeps its key for its origin as well", async () => {
  await using playground = await startPlaygroundProcess();
  const neighbour = await startNeighbour();
  const chat = await openChat(browser, playground.link);
  onTestFinished(() => chat.page.context().close());
  expect(chat.page.url()).toBe(`http://127.0.0.1:${playground.port}/`);
  await chat.choose([
    { name: "a.png", type: "image/png", bytes: png(1) },
    { name: "b.csv", type: "text/csv", bytes: Buffer.from("a,b") },
  ]);
  await chat.say("help");
  const picture = chat.own.locator(".pictures img");
  await picture.waitFor();
  expect(await picture.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth)).toBe(8);
  const saved = chat.page.waitForEvent("download");
  await chat.own.getByRole("button", { name: "b.csv" }).click();
  expect((await saved).suggestedFilename()).toBe("b.csv");
  await chat.page.reload();
  await chat.own.locator(".pictures img").waitFor();
  const second = await chat.page.context().newPage();
  await second.goto(`http://127.0.0.1:${playground.port}/`);
  await second.locator(".composer textarea").waitFor();

  await (await chat.page.context().newPage()).goto(neighbour.url);
  expect(neighbour.heard.every(({ cookie }) => cookie === undefined)).toBe(true);
  expect(await chat.page.context().cookies()).toEqual([]);

  const without = await browser.newContext();
  onTestFinished(() => without.close());
  const stranger = await without.newPage();
  await stranger.goto(`http://127.0.0.1:${playground.port}/`);
  await stranger.getByRole("heading", { name: "This page is locked" }).waitFor();
});
