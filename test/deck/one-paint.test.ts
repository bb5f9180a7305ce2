import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { buildDeck } from "../../src/deck/build.ts";
import type { WireEvent } from "../../src/domain/wire.ts";
import { numbered, opens, says, T0 } from "../domain/events.ts";
import { asked, decks, soon, TEXT } from "./page-rig.ts";
import { type Paint, paintsOf } from "./paints.ts";
import { answers, QUESTION, scene } from "./scenes.ts";

const LIMIT_BYTES = 100_000;
/** What a reader sees of the long text, roughly: the marks of its markdown are gone. */
const SHOWN = TEXT.replaceAll(/\*\*|`|\n/g, "").length;

const open = decks();

async function paintsIn(page: Page, sessionId: string): Promise<readonly Paint[]> {
  const all = await paintsOf(page);
  return all.filter(({ session, text }) => session === sessionId && text > 0);
}

function whole(bubbles = 2): Partial<Paint> {
  return { text: expect.closeTo(SHOWN, -3) as number, question: true, bubbles };
}

test("what the first load brings is at most 100 kB", async () => {
  const { html, js, css, icon } = await buildDeck();
  const size = [html, js, css, icon].reduce((sum, file) => sum + gzipSync(file).length, 0);
  expect(size).toBeLessThanOrEqual(LIMIT_BYTES);
  expect(js.length).toBeGreaterThan(10_000);
});

describe("a session that has written 40,000 characters and waits for an answer", () => {
  test("is painted whole at once when it is switched to, its question included", async () => {
    await using deck = await open("/s/quiet", { gapMs: 40 });
    await deck.page.getByText("Line 59").waitFor();
    await deck.page.getByRole("link", { name: "Session waits" }).click();
    await asked(deck.page);
    const [first] = await paintsIn(deck.page, "waits");
    expect(first).toMatchObject(whole());
    expect(await deck.page.getByText("The very end.").count()).toBe(1);
    expect(deck.errors).toEqual([]);
  });

  test("is painted whole at once by a reload", async () => {
    await using deck = await open("/s/waits", { gapMs: 40 });
    await asked(deck.page);
    await deck.page.reload();
    await asked(deck.page);
    expect((await paintsIn(deck.page, "waits"))[0]).toMatchObject(whole());
  });

  test("stays whole when the socket is lost and comes back", async () => {
    await using deck = await open("/s/waits", { gapMs: 40 });
    await asked(deck.page);
    deck.server.cut();
    await soon(() => deck.server.received.length).toBe(2);
    await deck.server.send({ type: "heartbeat", at: T0 });
    const paints = await paintsIn(deck.page, "waits");
    expect(Math.min(...paints.map(({ text }) => text))).toBe(paints[0]?.text);
    expect(new Set(paints.map(({ bubbles }) => bubbles))).toEqual(new Set([2]));
  });

  test("grows by what is said afterwards, token by token, in the same two bubbles", async () => {
    await using deck = await open("/s/waits");
    await asked(deck.page);
    const words = ["And ", "then ", "it ", "went ", "on."];
    const events = [opens("a-2"), ...words.map((word) => says("a-2", word))];
    await deck.server.send({
      type: "question_closed",
      sessionId: "waits",
      questionId: QUESTION.id,
      reason: "answered",
    });
    for (const event of events.map((each, index): WireEvent => ({ ...each, seq: 7 + index, at: T0 }))) {
      await deck.server.send({ type: "session_event", sessionId: "waits", event });
      const said = event.type === "message_update" && "delta" in event ? event.delta.text.trim() : undefined;
      if (said !== undefined) await deck.page.locator(".row", { hasText: said }).last().waitFor();
    }
    await deck.page.getByText("And then it went on.").waitFor();
    const grown = (await paintsIn(deck.page, "waits")).filter(({ bubbles }) => bubbles === 3);
    expect(new Set(grown.map(({ text }) => text)).size).toBeGreaterThanOrEqual(words.length - 1);
    expect(await deck.page.locator(".question").count()).toBe(0);
  });
});

test("2,000 events in one batch are drawn once", async () => {
  const events = numbered([
    opens("a"),
    ...Array.from({ length: 1_999 }, (_, index) => says("a", `word ${index} `)),
  ]);
  await using deck = await open("/s/many", { answer: answers(scene("many", { events })) });
  await deck.page.getByText("word 1998").waitFor();
  const drawn = (await paintsIn(deck.page, "many")).map(({ text }) => text);
  expect(new Set(drawn).size).toBe(1);
});

test("a switch back sends nothing, and finds draft and place as they were", async () => {
  await using deck = await open("/s/quiet");
  const { page, box, server } = deck;
  await page.getByText("Line 59").waitFor();
  await box.fill("Half a thought");
  await page.evaluate("document.querySelector('.log').scrollTo(0, 300)");
  await soon(() => page.locator(".to-end").count()).toBe(1);
  await page.getByRole("link", { name: "Session waits" }).click();
  await asked(page);
  expect(await box.inputValue()).toBe("");
  const sent = server.received.length;
  await page.goBack();
  await page.getByText("Line 59").waitFor();
  expect(await box.inputValue()).toBe("Half a thought");
  expect(await page.evaluate("document.querySelector('.log').scrollTop")).toBe(300);
  expect(server.received).toHaveLength(sent);
  await page.reload();
  expect(await box.inputValue()).toBe("Half a thought");
});
