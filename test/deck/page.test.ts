import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Message } from "../../src/domain/events.ts";
import type { WireEvent } from "../../src/domain/wire.ts";
import { assistant, T0 } from "../domain/events.ts";
import { asked, decks, soon } from "./page-rig.ts";
import { answered, answers, info, QUESTION, result, scene, user } from "./scenes.ts";

const open = decks();

test("what an agent writes cannot run, fetch or lead anywhere but to the web", async () => {
  const nasty = [
    "<script>window.bad = 1</script><img src=x onerror='window.bad = 2'>",
    "[click](javascript:window.bad=3) ![p](https://tracker.example/p.png) <iframe src='//x.y'></iframe>",
    "[ok](https://example.com)",
    '```"><svg onload=window.bad=4>\n<b>code</b>\n```',
  ].join("\n\n");
  await using deck = await open("/s/nasty", {
    answer: answers(scene("nasty", { snapshot: { messages: [answered("a", nasty)] } })),
  });
  const { page } = deck;
  await page.getByText("ok", { exact: true }).waitFor();
  expect(await page.evaluate("window.bad")).toBeUndefined();
  expect(await page.locator(".said").locator("script, img, iframe, svg[onload], b").count()).toBe(0);
  const links = await page.evaluate("[...document.querySelectorAll('.said a')].map((a) => a.href)");
  expect(links).toEqual(["https://tracker.example/p.png", "https://example.com/"]);
});

test("what an agent writes keeps its numbers, its lines and its indentation", async () => {
  const text = "3. a\n7. b\n12. c\n\n1) d\n\nRoses\n  and `so` on";
  await using deck = await open("/s/kept", {
    answer: answers(scene("kept", { snapshot: { messages: [answered("a", text)] } })),
  });
  const { page } = deck;
  await page.getByText("Roses").waitFor();
  const numbers = await page.evaluate(
    "[...document.querySelectorAll('.said ol:not(.parens) li')].map((item) => item.value)",
  );
  expect(numbers).toEqual([3, 7, 12]);
  const marker = await page.evaluate(
    "getComputedStyle(document.querySelector('.said ol.parens')).listStyleType",
  );
  expect(marker).toBe("parens");
  expect(await page.locator(".said p").last().innerText()).toBe("Roses\n  and so on");
});

describe("a question", () => {
  test("is answered by a number key, and the focus returns to where it was", async () => {
    await using deck = await open("/s/waits");
    const { page, server } = deck;
    await asked(page);
    await page.keyboard.press("2");
    await page.locator(".question").waitFor({ state: "detached" });
    expect(server.received.at(-1)).toEqual({
      type: "answer",
      sessionId: "waits",
      questionId: "q-1",
      value: "The long way",
    });
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
  });

  test("is not answered by a number that somebody is typing", async () => {
    await using deck = await open("/s/quiet");
    const { page, box, server } = deck;
    await box.fill("I have ");
    await server.send({ type: "question", sessionId: "quiet", question: QUESTION });
    await asked(page);
    await page.keyboard.type("2 ideas");
    expect(await box.inputValue()).toBe("I have 2 ideas");
    expect(server.received.some(({ type }) => type === "answer")).toBe(false);
    await page.getByRole("button", { name: "The short way" }).click();
    await page.locator(".question").waitFor({ state: "detached" });
  });

  test("goes when it is answered elsewhere", async () => {
    await using deck = await open("/s/waits");
    await asked(deck.page);
    await deck.server.send({
      type: "question_closed",
      sessionId: "waits",
      questionId: "q-1",
      reason: "answered",
    });
    await deck.page.locator(".question").waitFor({ state: "detached" });
    expect(deck.server.received.some(({ type }) => type === "answer")).toBe(false);
  });

  test("for words takes words", async () => {
    await using deck = await open("/s/quiet");
    const { page, server } = deck;
    await page.getByText("Line 59").waitFor();
    const question = { id: "q-2", kind: "input" as const, title: "Your name?" };
    await server.send({ type: "question", sessionId: "quiet", question });
    await asked(page);
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    await soon(() => server.received.at(-1)).toMatchObject({ questionId: "q-2", value: "Ada" });
  });
});

describe("a prompt", () => {
  test("is sent by Enter, with the pictures that were chosen; Shift+Enter breaks the line", async () => {
    await using deck = await open("/s/quiet");
    const { page, box, server } = deck;
    await box.pressSequentially("One");
    await box.press("Shift+Enter");
    await box.pressSequentially("two");
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("png") });
    await page.locator(".tray img").waitFor();
    await box.press("Enter");
    await soon(() => server.received.at(-1)?.type).toBe("prompt");
    expect(server.received.at(-1)).toMatchObject({
      text: "One\ntwo",
      images: [{ mimeType: "image/png", data: Buffer.from("png").toString("base64") }],
    });
    expect(await box.inputValue()).toBe("");
    expect(await page.locator("[data-request]").count()).toBe(1);
  });

  test("that is written while evie is away is sent when it is back", async () => {
    await using deck = await open("/s/quiet");
    const { page, box, server } = deck;
    await page.getByText("Line 59").waitFor();
    server.script.isUp = false;
    server.cut();
    await page.getByText("evie is out of reach").waitFor();
    await box.fill("Hello?");
    await box.press("Enter");
    await page.getByText("sent when evie is back").waitFor();
    server.script.isUp = true;
    await page.getByText("evie has it").waitFor();
    expect(server.received.filter(({ type }) => type === "prompt")).toHaveLength(1);
  });

  test("can be withdrawn while it waits, and the turn before it stopped", async () => {
    const queue = [{ requestId: "r-9", text: "Later, please" }];
    const busy = scene("busy", { snapshot: { state: "running", turn: { id: "t", startedAt: T0 }, queue } });
    await using deck = await open("/s/busy", { answer: answers(busy) });
    await deck.page.getByRole("button", { name: "Withdraw: Later, please" }).click();
    await deck.page.getByRole("button", { name: "Stop the turn" }).click();
    await soon(() => deck.server.received.slice(-2)).toEqual([
      { type: "withdraw", sessionId: "busy", requestId: "r-9" },
      { type: "abort", sessionId: "busy" },
    ]);
  });
});

test("a turn is stopped from the moment of the press, and what its agent did then comes folded after a reload", async () => {
  const turn = { id: "t-1", startedAt: Date.now() };
  const half = assistant("a", [{ type: "text", text: "Half an answer" }], { stopReason: "pending" });
  const tool = { id: "t", name: "bash", summary: "sleep 60", startedAt: turn.startedAt, output: "" };
  const snapshot = { state: "running" as const, turn, messages: [user("u", "Go"), half] };
  const later: Message = { ...answered("b", "Deleted all."), afterStop: true };
  let reloaded = false;
  await using deck = await open("/s/busy", {
    answer: (frame) =>
      answers(
        scene("busy", {
          seq: 9,
          snapshot: reloaded
            ? { messages: [user("u", "Go"), { ...half, stopReason: "aborted" }, later] }
            : { ...snapshot, tools: [{ ...tool, isError: false }] },
        }),
      )(frame),
  });
  const { page, server } = deck;
  await page.getByText("Working").waitFor();
  const tell = (event: object): Promise<void> =>
    server.send({ type: "session_event", sessionId: "busy", event: event as WireEvent });
  await tell({
    seq: 10,
    at: Date.now(),
    type: "agent_interrupted",
    turnId: "t-1",
    outcome: { type: "stopped" },
  });
  await page.getByText("Stopped. The agent has not ended yet.").waitFor();
  expect(await page.getByText("Working").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Stop the turn" }).count()).toBe(0);
  expect(await page.getByRole("log").getAttribute("aria-busy")).toBe("false");
  await tell({ seq: 11, at: Date.now(), type: "agent_end", turnId: "t-1", outcome: { type: "stopped" } });
  await page.getByText("has not ended yet").waitFor({ state: "detached" });

  reloaded = true;
  await page.reload();
  const fold = page.getByRole("button", { name: "The agent went on after it was told to stop" });
  await fold.waitFor();
  expect(await page.getByText("Deleted all.").count()).toBe(0);
  await fold.click();
  await page.getByText("Deleted all.").waitFor();
});

test("older messages come in front of what is being read, which stays where it is", async () => {
  const messages = Array.from({ length: 60 }, (_, index) => user(`m-${index}`, `Line ${index}`));
  const older = Array.from({ length: 40 }, (_, index) => user(`o-${index}`, `Older ${index}`));
  await using deck = await open("/s/long", {
    answer: answers(scene("long", { snapshot: { messages, before: "m-0" } })),
    api: (_method, path) => (path.endsWith("/long/messages?before=m-0") ? { messages: older } : {}),
  });
  const { page } = deck;
  await page.getByText("Line 59").waitFor();
  await page.evaluate("document.querySelector('.log').scrollTo(0, 10)");
  const line = page.getByText("Line 0", { exact: true });
  const before = await line.boundingBox();
  await page.getByRole("button", { name: "Load older messages" }).click();
  await page.getByText("Older 0", { exact: true }).waitFor();
  const after = await line.boundingBox();
  // The button is gone, and nothing else may have moved.
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(60);
  expect(await page.locator("[data-key]").count()).toBe(100);
});

test("the transcript is a silent log; what changes is said politely beside it", async () => {
  await using deck = await open("/s/waits");
  const log = deck.page.getByRole("log");
  await asked(deck.page);
  expect(await log.getAttribute("aria-live")).toBe("off");
  await deck.server.send({
    type: "question_closed",
    sessionId: "waits",
    questionId: "q-1",
    reason: "answered",
  });
  await deck.page.locator(".question").waitFor({ state: "detached" });
  const outcome = { type: "done" as const };
  const event = { seq: 9, at: T0, type: "agent_end", turnId: "t-1", outcome } as WireEvent;
  await deck.server.send({ type: "session_event", sessionId: "waits", event });
  await soon(() => deck.page.locator("[aria-live=polite]").textContent()).toContain("evie: The beginning.");
});

test("on a phone the sessions are a drawer, which takes the focus and gives it back", async () => {
  await using deck = await open("/s/quiet");
  const { page } = deck;
  await page.setViewportSize({ width: 360, height: 740 });
  const link = page.getByRole("link", { name: "Session waits" });
  await soon(() => link.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Sessions, one waits for you" }).click();
  await soon(() => link.isVisible()).toBe(true);
  await soon(() => page.evaluate("document.activeElement.closest('.drawer') !== null")).toBe(true);
  await page.keyboard.press("Escape");
  await soon(() => link.isVisible()).toBe(false);
  expect(await page.evaluate("document.activeElement.className")).toContain("drawer-button");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
});

describe("the link to go on in Telegram", () => {
  const sessions = [info("quiet"), info("waits", { chat: { id: 7 } })];
  const link = (page: Page) => page.getByRole("link", { name: "Continue in Telegram" });

  test("leads a chat with the bot to the session, and fits on a phone", async () => {
    await using deck = await open("/s/quiet", { sessions, bot: "evie_bot" });
    const { page } = deck;
    await link(page).waitFor();
    expect(await link(page).getAttribute("href")).toBe("https://t.me/evie_bot?start=quiet");
    const name = page.getByRole("heading", { name: "Session quiet" });
    const beside = (await name.boundingBox())?.width ?? 0;
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await link(page).boundingBox()).toMatchObject({ width: 40, height: 40 });
    expect(await page.evaluate("document.querySelector('.onward').scrollWidth")).toBe(40);
    expect((await name.boundingBox())?.width).toBeGreaterThan(200);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(beside).toBeGreaterThan(200);
    // A chat speaks with it now.
    await deck.server.send({ type: "sessions", sessions: [info("quiet", { chat: { id: 8 } })] });
    await link(page).waitFor({ state: "detached" });
  });

  test.each([
    ["a session that a chat speaks with", "/s/waits", "evie_bot"],
    ["a bot that is not known, or none of Telegram's", "/s/quiet", undefined],
  ])("is not there for %s", async (_, path, bot) => {
    await using deck = await open(path, { sessions, ...(bot === undefined ? {} : { bot }) });
    await deck.page.getByRole("heading", { level: 2 }).waitFor();
    await deck.page.locator(".row").first().waitFor();
    expect(await link(deck.page).count()).toBe(0);
  });
});

test("that a session's chat speaks with another one is said until it is back", async () => {
  await using deck = await open("/s/quiet");
  const { page, server } = deck;
  const said = page.getByText("Its chat speaks with another session now.");
  await page.getByText("Line 59").waitFor();
  await server.send({ type: "session_replaced", sessionId: "quiet", by: "waits" });
  await said.waitFor();
  await server.send({ type: "sessions", sessions: [info("quiet", { chat: { id: 7 } }), info("waits")] });
  await soon(() => said.count()).toBe(0);
});

test("a tool's card opens to its edit as a difference and its output without colours", async () => {
  const edit = { path: "a.ts", edits: [{ oldText: "one\ntwo", newText: "one\nthree" }] };
  const call = { type: "toolCall" as const, id: "t", name: "edit", args: JSON.stringify(edit) };
  const messages = [answered("a", call), result("t", "edit", "\u001b[31mApplied\u001b[0m")];
  await using deck = await open("/s/tools", { answer: answers(scene("tools", { snapshot: { messages } })) });
  const { page } = deck;
  const card = page.getByRole("button", { name: "edit a.ts" });
  expect(await card.getAttribute("aria-expanded")).toBe("false");
  await card.click();
  expect(await page.locator(".diff .removed").allTextContents()).toEqual(["−two\n"]);
  expect(await page.locator(".diff .added").allTextContents()).toEqual(["+three\n"]);
  expect(await page.locator(".inside code").last().textContent()).toBe("Applied");
});
