import { describe, expect, test } from "vitest";
import type { Frame } from "../../src/playground/wire.ts";
import { png } from "../builders.ts";
import { startPlaygroundRig, type PlaygroundRig } from "./rig.ts";

/** Collects frames until one `matches`; gives all of them. */
async function framesUntil(
  frames: AsyncGenerator<Frame>,
  matches: (frame: Frame) => boolean,
): Promise<readonly Frame[]> {
  const seen: Frame[] = [];
  for (;;) {
    const { value, done } = await frames.next();
    if (done === true) throw new Error(`The stream ended after ${JSON.stringify(seen)}`);
    seen.push(value);
    if (matches(value)) return seen;
  }
}

const isMessage =
  (text: string) =>
  (frame: Frame): boolean =>
    frame.type === "message" && frame.message.text === text;

async function opened(rig: PlaygroundRig): Promise<AsyncGenerator<Frame>> {
  const frames = rig.watch();
  await frames.next();
  return frames;
}

describe("the playground", () => {
  test("takes no half of a character and no NUL from a browser, and tells it none", async () => {
    const rig = await startPlaygroundRig();
    const chat_id = rig.playground.telegram.userId;
    await rig.act("say", { text: "a\0b \ud83d" });
    expect(await rig.updates()).toEqual(["ab \ufffd"]);
    await rig.bot("sendMessage", { chat_id, text: `${"x".repeat(159)}😀 \ud83d` });
    await rig.act("say", { text: "why?", replyTo: 2 });
    const { value: first } = await rig.watch().next();
    expect(JSON.stringify(first)).toContain(`${"x".repeat(159)}"`);
    expect(JSON.stringify(first)).not.toMatch(/\\ud[89a-f]/);
  });

  test("tells a browser the chat as it is, and then each change of it", async () => {
    const rig = await startPlaygroundRig();
    const chat_id = rig.playground.telegram.userId;
    await rig.act("say", { text: "before" });
    const frames = rig.watch();
    const { value: first } = await frames.next();
    expect(first).toMatchObject({
      type: "snapshot",
      snapshot: {
        answeredBy: { kind: "model", name: "a model" },
        windowMs: 500,
        messages: [{ text: "before", mine: true, received: false }],
      },
    });

    await rig.bot("sendChatAction", { chat_id, action: "typing" });
    await rig.bot("sendMessage", { chat_id, text: "draft", disable_notification: true });
    await rig.bot("editMessageText", { chat_id, message_id: 2, text: "final" });
    const seen = await framesUntil(frames, isMessage("final"));
    expect(seen).toContainEqual({ type: "typing", until: expect.any(Number) });
    expect(seen).toContainEqual({
      type: "message",
      message: expect.objectContaining({ id: 2, text: "draft", mine: false, silent: true }),
    });
    await rig.bot("deleteMessage", { chat_id, message_id: 2 });
    expect((await framesUntil(frames, ({ type }) => type === "gone")).at(-1)).toEqual({
      type: "gone",
      id: 2,
    });
  });

  test("marks a message as received once a poll has brought it to evie", async () => {
    const rig = await startPlaygroundRig();
    const frames = await opened(rig);
    await rig.act("say", { text: "hello" });
    expect((await framesUntil(frames, isMessage("hello"))).at(-1)).toMatchObject({
      message: { received: false },
    });
    await rig.updates();
    const seen = await framesUntil(frames, isMessage("hello"));
    expect(seen.at(-1)).toMatchObject({ message: { received: true } });
    expect(seen).toContainEqual({
      type: "step",
      step: expect.objectContaining({
        kind: "burst",
        parts: [expect.objectContaining({ what: "5 characters" })],
      }),
    });
  });

  test("cuts a paste as a client does", async () => {
    const rig = await startPlaygroundRig();
    await rig.act("say", { text: "a".repeat(9_000) });
    expect((await rig.updates()).map(({ length }) => length)).toEqual([4_096, 4_096, 808]);
  });

  test("sends pictures as an album with a caption and a file beside it", async () => {
    const rig = await startPlaygroundRig();
    const form = new FormData();
    form.set("caption", "look");
    for (const shade of [0, 1])
      form.set(`file${shade}`, new File([png(shade)], `${shade}.png`, { type: "image/png" }));
    form.set("file0.size", "8x4");
    form.set("file2", new File(["a,b"], "rain.csv", { type: "text/csv" }));
    const response = new Response(form);
    const sent = await rig.ask("/do/send", {
      method: "POST",
      headers: {
        authorization: rig.authorization,
        origin: rig.origin,
        "content-type": response.headers.get("content-type") ?? "",
      },
      body: new Uint8Array(await response.arrayBuffer()),
    });
    expect(sent.status).toBe(200);
    const { value: first } = await rig.watch().next();
    const messages = first?.type === "snapshot" ? first.snapshot.messages : [];
    expect(messages).toMatchObject([
      { text: "look", file: { kind: "photo", width: 8, height: 4 } },
      { text: "", file: { kind: "photo" } },
      { text: "", file: { kind: "document", name: "rain.csv", size: 3 } },
    ]);
    expect(messages[0]?.album).toBe(messages[1]?.album);
    expect(messages[2]?.album).toBeUndefined();
    const picture = await rig.ask(messages[0]?.file?.url ?? "", {
      headers: { authorization: rig.authorization },
    });
    expect(picture.headers["content-type"]).toBe("image/png");
    expect(picture.body.equals(png(0))).toBe(true);
  });

  test("replies with a quote, edits, deletes and presses buttons", async () => {
    const rig = await startPlaygroundRig();
    const chat_id = rig.playground.telegram.userId;
    const frames = await opened(rig);
    await rig.bot("sendMessage", {
      chat_id,
      text: "Do you want tea or coffee?",
      reply_markup: { inline_keyboard: [[{ text: "Tea", callback_data: "tea" }]] },
    });
    await rig.act("say", { text: "coffee", replyTo: 1, quote: "tea or coffee" });
    expect((await framesUntil(frames, isMessage("coffee"))).at(-1)).toMatchObject({
      message: { replyTo: { id: 1, mine: false, text: "tea or coffee" } },
    });
    await rig.act("edit", { id: 2, text: "no, water" });
    expect((await framesUntil(frames, isMessage("no, water"))).at(-1)).toMatchObject({
      message: { edited: true },
    });
    await rig.act("delete", { id: 2 });
    expect((await framesUntil(frames, ({ type }) => type === "gone")).at(-1)).toEqual({
      type: "gone",
      id: 2,
    });

    await rig.act("press", { id: 1, data: "tea" });
    const { result } = await rig.bot("getUpdates", { offset: 0, timeout: 0 });
    const query = (result as { callback_query?: { id: string } }[]).find(
      ({ callback_query }) => callback_query,
    );
    await rig.bot("answerCallbackQuery", {
      callback_query_id: query?.callback_query?.id,
      text: "Tea it is.",
    });
    expect((await framesUntil(frames, ({ type }) => type === "toast")).at(-1)).toEqual({
      type: "toast",
      text: "Tea it is.",
    });
  });

  test("a flood that is switched on hits one call, and shows the rest that it asks for", async () => {
    const rig = await startPlaygroundRig();
    const chat_id = rig.playground.telegram.userId;
    const frames = await opened(rig);
    await rig.act("trouble", { name: "flood", on: true });
    expect(await rig.bot("sendMessage", { chat_id, text: "too fast" })).toMatchObject({
      ok: false,
      parameters: { retry_after: 8 },
    });
    const seen = await framesUntil(frames, (frame) => frame.type === "step" && frame.step.kind === "refusal");
    const troubles = seen.flatMap((frame) => (frame.type === "troubles" ? [frame.troubles.flood] : []));
    expect(troubles).toEqual([true, false]);
    expect(seen.at(-1)).toMatchObject({ step: { until: expect.any(Number) } });
    expect(await rig.bot("sendMessage", { chat_id, text: "later" })).toMatchObject({ ok: true });
  });
});
