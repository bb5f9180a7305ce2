import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { SessionInfo } from "../../src/domain/wire.ts";
import { type StandInModel, startStandInModel } from "../../src/playground/stand-in-model.ts";
import { writeAgentFolder } from "../../src/playground/stand-in-model/agent-folder.ts";
import { paintsOf, watchPaints } from "../deck/paints.ts";
import { type EvieOptions, FAKE_AGENT, type RunningEvie, startEvie, type Visitor } from "../running-evie.ts";
import { launchBrowser } from "./chat-page.ts";

/*
 * One session on two faces: evie as a process, a chat on the embedded Bot API, and the deck in a real browser. Each
 * test is somebody else in a chat of their own.
 */

interface Faces {
  readonly evie: RunningEvie & AsyncDisposable;
  readonly link: URL;
  /** Where the browser is let in: its key stays for the tests. */
  readonly context: Awaited<ReturnType<Browser["newContext"]>>;
}

let browser: Browser;
let model: StandInModel;
/** With the real agent, and with one that does what it is told. */
let real: Faces;
let fake: Faces;

async function startFaces(options: EvieOptions): Promise<Faces> {
  const evie = await startEvie({ ...options, env: { EVIE_HTTP_PORT: "", ...options.env } });
  await evie.wrote(() => evie.stdout().includes("/#key="), "the deck's link");
  const link = new URL(/http:\/\/\S+#key=\S+/.exec(evie.stdout())?.[0] ?? "");
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  await page.goto(link.href);
  await page.getByRole("navigation", { name: "Sessions" }).waitFor();
  await page.close();
  return { evie, link, context };
}

beforeAll(async () => {
  [browser, model] = await Promise.all([launchBrowser(), startStandInModel()]);
  const { baseUrl } = model;
  [real, fake] = await Promise.all([
    startFaces({
      prepare: async (folder) => {
        const agentFolder = join(folder, "agent");
        await mkdir(agentFolder);
        await writeAgentFolder(agentFolder, baseUrl);
        return { PI_CODING_AGENT_DIR: agentFolder, PI_OFFLINE: "1", PI_TELEMETRY: "0" };
      },
    }),
    startFaces({ env: { EVIE_AGENT_COMMAND: `'${process.execPath}' '${FAKE_AGENT}'` } }),
  ]);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await Promise.all([real.evie[Symbol.asyncDispose](), fake.evie[Symbol.asyncDispose]()]);
  await model.close();
});

interface Deck {
  readonly page: Page;
  /** What the agent said, message by message. */
  readonly said: ReturnType<Page["locator"]>;
  readonly question: ReturnType<Page["locator"]>;
  prompt(text: string): Promise<void>;
}

/** The deck, on the session of that chat, which must have spoken. */
async function openDeck({ context, link }: Faces, visitor: Visitor): Promise<Deck> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  await watchPaints(page);
  const headers = { authorization: `Bearer ${link.hash.replace("#key=", "")}` };
  const listed = await context.request.get(`${link.origin}/api/sessions`, { headers });
  const { sessions } = (await listed.json()) as { sessions: readonly SessionInfo[] };
  const session = sessions.find(({ chat }) => chat?.id === visitor.chat.id);
  await page.goto(`${link.origin}/s/${session?.id ?? "none"}`);
  await page.locator("[role=log]").waitFor();
  return {
    page,
    said: page.locator(".row.theirs"),
    question: page.locator(".question"),
    async prompt(text) {
      await page.locator(".composer textarea").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    },
  };
}

const is = (text: string) => (message: { text: string }) => message.text === text;
const holds = (text: string) => (message: { text: string }) => message.text.includes(text);

/** Somebody whose session has begun. */
async function acquainted({ evie }: Faces): Promise<Visitor> {
  const visitor = evie.visitor();
  await visitor.say(`good morning ${evie === real.evie ? 'MOCK{"text":"Good morning."}' : ""}`);
  await visitor.hears(({ text }) => /^(Good|Echo: good) morning/.test(text), "the first answer");
  return visitor;
}

describe("with the real agent", () => {
  test("a turn that was begun in the chat is seen live in the deck", async () => {
    const anna = await acquainted(real);
    const deck = await openDeck(real, anna);
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
    await anna.say(`count MOCK${JSON.stringify({ text: words, delayMs: 50 })}`);
    await anna.hears(is(words), "the answer");
    await deck.said.filter({ hasText: "word39" }).waitFor();
    // Looked at afterwards: a look in the middle could come too late.
    const live = (await paintsOf(deck.page)).filter(({ running }) => running).map(({ text }) => text);
    expect(new Set(live).size).toBeGreaterThan(3);
    expect(await deck.page.locator(".row.mine").count()).toBe(2);
    expect(await deck.said.count()).toBe(2);
  });

  test("a turn that was begun in the deck is seen in the chat: what was asked, quoted, and its answer, once", async () => {
    const anna = await acquainted(real);
    const deck = await openDeck(real, anna);
    const before = anna.said().length;
    await deck.prompt('What of the\nlighthouse? MOCK{"text":"It **shines**."}');
    const answer = await anna.hears(is("It shines."), "the answer");
    await deck.said.filter({ hasText: "It shines." }).waitFor();
    expect(anna.said().slice(before)).toEqual([
      'In the deck: What of the lighthouse? MOCK{"text":"It **shines**."}',
      "It shines.",
    ]);
    expect(answer.silent).toBe(true);
    expect(await deck.said.filter({ hasText: "It shines." }).count()).toBe(1);
  });

  test("a turn that runs is painted whole at once, and from then on only grows", async () => {
    const anna = await acquainted(real);
    const words = Array.from({ length: 120 }, (_, at) => `word${at}`).join(" ");
    await anna.say(`long MOCK${JSON.stringify({ text: words, delayMs: 40 })}`);
    const begun = await anna.hears(holds("word20"), "a part of the answer");
    const { page } = await openDeck(real, anna);
    await page.getByText("word119").waitFor();
    const paints = (await paintsOf(page)).filter(({ text }) => text > 0);
    // Two prompts and two answers.
    expect(new Set(paints.map(({ bubbles }) => bubbles))).toEqual(new Set([4]));
    const lengths = paints.map(({ text }) => text);
    expect(lengths[0]).toBeGreaterThan(begun.text.length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
  });

  test("/clear in the chat tells the deck, which leads to the new session", async () => {
    const anna = await acquainted(real);
    const deck = await openDeck(real, anna);
    const old = deck.page.url();
    await anna.say("/clear");
    await deck.page.getByText("Its chat speaks with another session now.").waitFor();
    await deck.page.getByRole("button", { name: "Show it" }).click();
    await expect.poll(() => deck.page.url()).not.toBe(old);
    await anna.say('hello again MOCK{"text":"A fresh start."}');
    await deck.said.filter({ hasText: "A fresh start." }).waitFor();
    expect(await deck.said.count()).toBe(1);
  });
});

describe("with an agent that does what it is told", () => {
  test("a question is answered in the deck, closes everywhere, and the agent goes on", async () => {
    const anna = await acquainted(fake);
    const [one, two] = [await openDeck(fake, anna), await openDeck(fake, anna)];
    await anna.say('FAKE{"dialog":"Which colour?","text":"Blue then."}');
    await anna.hears(holds("Which colour?"), "the question");
    for (const deck of [one, two]) await deck.question.filter({ hasText: "Which colour?" }).waitFor();
    await one.question.locator(".choices button").first().click();
    for (const deck of [one, two]) {
      await deck.question.waitFor({ state: "detached" });
      await deck.said.filter({ hasText: "Blue then." }).waitFor();
    }
    await anna.hears(is("Blue then."), "the answer, without the question");
    expect(anna.said().filter((text) => text.includes("Which colour?"))).toEqual([]);
  });

  test("a burst in the chat waits behind a turn of the deck, and takes its place with a press of Now", async () => {
    const anna = await acquainted(fake);
    const deck = await openDeck(fake, anna);
    await deck.prompt('slow FAKE{"deltas":6,"hang":true}');
    await anna.hears(holds("w0001"), "the deck's turn");
    await anna.say("quick, please");
    const waits = await anna.hears(holds("waits until it is done"), "that it waits");
    await deck.page.locator(".waiting-list").waitFor();
    expect(waits.buttons.flat().map(({ text }) => text)).toEqual(["Now"]);
    anna.press(waits.id, "Now");
    await anna.hears(is("Echo: quick, please"), "its answer");
    await deck.said.filter({ hasText: "Echo: quick, please" }).waitFor();
    expect(anna.said().filter((text) => text.startsWith("In the deck: slow"))).toHaveLength(1);
    await deck.page.locator(".waiting-list").waitFor({ state: "detached" });
  });
});
