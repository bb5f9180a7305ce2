import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Message } from "../../src/domain/events.ts";
import { applyEvent } from "../../src/domain/transcript.ts";
import { pictureUrl, type ServerFrame, transcriptFrom } from "../../src/domain/wire.ts";
import { CLOSING, HEARTBEAT } from "../../src/http/hub.ts";
import { png } from "../builders.ts";
import { opens, says } from "../domain/events.ts";
import { TooManyPromptsError } from "../../src/domain/sessions.ts";
import { refusalFor } from "../../src/http/refusal.ts";
import { ROOM_IN_SESSION } from "../../src/session/room.ts";
import { answers, createHttpRig, EPOCH, openBrowser, PORT, TOKEN } from "./rig.ts";

type Rig = ReturnType<typeof createHttpRig>;

const json = async (response: Response): Promise<unknown> => await response.json();

/** Takes the newest agent's newest run to its end. */
async function finish(rig: Rig, text: string): Promise<void> {
  const agent = await rig.agent();
  const run = agent.runs.at(-1);
  for (const event of answers(`a${agent.runs.length}`, text)) agent.emit(event);
  run?.end();
  await rig.clock.settle();
}

/** The events of a stream that have come by now, each with its name, id and data. */
function readerOf(response: Response) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  return {
    async next(count: number) {
      let text = "";
      while (text.split("\n\n").length <= count) {
        const chunk = await reader?.read();
        if (chunk === undefined || chunk.done) break;
        text += decoder.decode(chunk.value);
      }
      return text
        .split("\n\n")
        .filter((block) => block !== "")
        .map((block) => Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2))))
        .map(({ event, id, data }) => ({
          event,
          id,
          data: (data === undefined ? undefined : JSON.parse(data)) as ServerFrame | undefined,
        }));
    },
    cancel: async () => await reader?.cancel(),
  };
}

describe("the guard of the API", () => {
  const open = { host: `127.0.0.1:${PORT}` };

  test.each([
    [
      "another name that leads here",
      { host: `evil.example:${PORT}`, origin: `http://evil.example:${PORT}` },
      403,
    ],
    ["another port", { host: "127.0.0.1:80" }, 403],
    ["no host", { host: "" }, 403],
    [
      "a page from elsewhere",
      { ...open, origin: "https://evil.example", authorization: `Bearer ${TOKEN}` },
      403,
    ],
    ["a sandboxed page", { ...open, origin: "null", authorization: `Bearer ${TOKEN}` }, 403],
    ["a wrong token", { ...open, authorization: "Bearer wrong" }, 401],
    ["no token", { ...open, authorization: "" }, 401],
    ["the token", { ...open, authorization: `Bearer ${TOKEN}` }, 200],
    ["the token, from a page of its own", { ...open, origin: `http://localhost:${PORT}` }, 200],
  ])("answers a request with %s", async (_, headers, status) => {
    using rig = createHttpRig();
    const response = await rig.ask("GET", "/api/sessions", undefined, headers);
    expect(response.status).toBe(status);
    if (status !== 200) {
      expect(await json(response)).toEqual({
        error: { code: expect.any(String), message: expect.stringMatching(/\.$/) },
      });
    }
  });

  test("lets a browser in with a person's key, and sets no cookie, whatever it is asked for", async () => {
    using rig = createHttpRig();
    const origin = `http://127.0.0.1:${PORT}`;
    const known = { authorization: `Bearer ${rig.keys.keyOf(7)}`, origin };
    const begun = await rig.ask("POST", "/api/sessions", {}, known);
    expect([begun.status, await json(begun)]).toMatchObject([201, { face: "deck" }]);
    const stranger = { authorization: `Bearer ${rig.keys.keyOf(666)}`, origin };
    expect((await rig.ask("GET", "/api/sessions", undefined, stranger)).status).toBe(401);
    for (const path of ["/", `/?key=${TOKEN}`, "/s/s-1?key=wrong", "/deck.js", "/api/sessions", "/health"])
      expect((await rig.ask("GET", path)).headers.get("set-cookie"), path).toBeNull();
  });

  test("says nothing more of a session to a program whose person is taken off the list", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const response = await rig.ask("GET", `/api/sessions/${id}/events`, undefined, {
      authorization: `Bearer ${rig.keys.keyOf(8)}`,
    });
    const reader = readerOf(response);
    expect((await reader.next(1)).map(({ event }) => event)).toEqual(["subscribed"]);
    rig.allowed.delete(8);
    rig.sessions.open(id)?.rename("A secret");
    expect(await reader.next(1)).toEqual([]);
  });

  test.each([
    ["/", "text/html"],
    ["/s/anything", "text/html"],
    ["/deck.js", "text/javascript"],
    ["/deck.css", "text/css"],
    ["/icon.svg", "image/svg+xml"],
  ])("gives the page's file %s, which may load nothing from elsewhere", async (path, type) => {
    using rig = createHttpRig();
    const response = await rig.ask("GET", path, undefined, { authorization: "" });
    expect(response.headers.get("content-type")).toMatch(type);
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'self';/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("tells somebody unknown of its health only that it lives, and its version", async () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck" });
    await rig.clock.advance(1_500);
    expect(await json(await rig.ask("GET", "/health", undefined, { authorization: "" }))).toEqual({
      ok: true,
      version: "0.0.0",
    });
    expect(await json(await rig.ask("GET", "/health"))).toEqual({
      ok: true,
      version: "0.0.0",
      uptimeMs: 1_500,
      sessions: [{ id: session.id, state: "idle" }],
      undelivered: 0,
    });
  });
});

/** A list in a list, and so on. */
function nest(levels: number): readonly unknown[] {
  return levels === 1 ? [] : [nest(levels - 1)];
}

describe("a bad request", () => {
  test.each([
    ["no JSON", "{", 400, "bad_json"],
    ["JSON that nests without end", `{"text":${"[".repeat(1_000_000)}`, 400, "too_deep"],
    ["JSON that nests deeply where it says nothing", { text: "x", more: nest(300) }, 400, "too_deep"],
    ["another shape", "[]", 400, "bad_request"],
    ["no text", {}, 400, "bad_request"],
    ["an empty text", { text: " \n" }, 400, "empty_prompt"],
    ["a text that is a number", { text: 7 }, 400, "bad_request"],
    ["a text beyond all measure", { text: "x".repeat(1_000_001) }, 400, "bad_request"],
    [
      "too many pictures",
      { text: "x", images: Array.from({ length: 11 }, () => ({ mimeType: "image/png", data: "" })) },
      400,
      "bad_request",
    ],
    [
      "a picture that is none",
      { text: "x", images: [{ mimeType: "image/png", data: "%" }] },
      400,
      "bad_image",
    ],
    ["a mode that there is not", { text: "x", mode: "shout" }, 400, "bad_request"],
    ["a body beyond all measure", { text: "x", more: "y".repeat(21 * 2 ** 20) }, 413, "too_large"],
  ])("with %s is refused in JSON, and nothing reaches the agent", async (_, body, status, code) => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const response = await rig.ask("POST", `/api/sessions/${id}/prompt`, body);
    expect(response.status).toBe(status);
    expect(await json(response)).toEqual({ error: { code, message: expect.stringMatching(/\.$/) } });
    await rig.clock.settle();
    expect(rig.started).toHaveLength(0);
  });

  test("for which too many prompts wait is refused, and told when to come again", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const prompt = (text: string) => rig.ask("POST", `/api/sessions/${id}/prompt?wait=0`, { text });
    for (let count = 0; count < ROOM_IN_SESSION.prompts; count += 1)
      expect((await prompt(`${count}`)).status).toBe(202);
    const response = await prompt("late");
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("10");
    expect(await json(response)).toEqual({
      error: { code: "too_many_prompts", message: expect.stringContaining("Send this one when") },
    });
    const error = refusalFor(new TooManyPromptsError("evie"));
    expect(error).toMatchObject({ status: 503, code: "too_many_prompts" });
  });

  test("that a form of another page could send is refused", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const type = { "content-type": "text/plain" };
    const response = await rig.ask("POST", `/api/sessions/${id}/prompt`, '{"text":"x"}', type);
    expect(response.status).toBe(415);
  });

  test.each([
    ["GET", "/api/sessions/nobody", "no_session"],
    ["GET", "/api/sessions/s-00000000-0000-0000-0000-000000000000", "no_session"],
    ["POST", "/api/sessions/..%2F..%2Fetc/prompt", "no_session"],
    ["GET", "/api/nothing", "not_found"],
    ["GET", "/nothing", "not_found"],
    ["PUT", "/api/sessions", "not_found"],
  ])("%s %s finds nothing", async (method, path, code) => {
    using rig = createHttpRig();
    const response = await rig.ask(method, path);
    expect([response.status, await json(response)]).toMatchObject([404, { error: { code } }]);
  });
});

describe("sessions by HTTP", () => {
  test("are begun, named, listed, read and removed", async () => {
    using rig = createHttpRig();
    const made = await rig.ask("POST", "/api/sessions", { name: "A plan" });
    const info = (await made.json()) as { id: string };
    expect([made.status, info]).toMatchObject([
      201,
      { name: "A plan", face: "http", state: "idle", cwd: rig.workspace },
    ]);
    const path = `/api/sessions/${info.id}`;
    expect(await json(await rig.ask("PATCH", path, { name: "Another" }))).toMatchObject({ name: "Another" });
    expect(await json(await rig.ask("GET", "/api/sessions"))).toMatchObject({
      sessions: [{ id: info.id, name: "Another" }],
    });
    expect(await json(await rig.ask("GET", path))).toMatchObject({
      sessionId: info.id,
      name: "Another",
      messages: [],
      queue: [],
    });
    expect((await rig.ask("DELETE", path)).status).toBe(204);
    expect((await rig.ask("GET", path)).status).toBe(404);
  });

  test("are not there for anybody while they are removed, which is answered once the agent is gone", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const path = `/api/sessions/${id}`;
    const first = rig.ask("POST", `${path}/prompt`, { text: "hello" });
    const agent = await rig.agent();
    const removed = rig.ask("DELETE", path);
    await rig.clock.settle();
    const late = await rig.ask("POST", `${path}/prompt`, { text: "more" });
    expect([late.status, await json(late)]).toMatchObject([404, { error: { code: "no_session" } }]);
    expect((await rig.ask("GET", path)).status).toBe(404);
    const browser = openBrowser(rig.hub);
    browser.says({ type: "prompt", sessionId: id, requestId: "r", text: "more" });
    expect(browser.frames.at(-1)).toMatchObject({ type: "error", code: "no_session", requestId: "r" });
    agent.exit();
    expect((await removed).status).toBe(204);
    expect(await json(await first)).toMatchObject({ outcome: "stopped" });
    await rig.clock.settle();
    expect(rig.started).toHaveLength(1);
  });

  test("are begun without a body, and in no folder outside the workspace", async () => {
    using rig = createHttpRig();
    expect((await rig.ask("POST", "/api/sessions")).status).toBe(201);
    const outside = await rig.ask("POST", "/api/sessions", { cwd: "/etc" });
    expect([outside.status, await json(outside)]).toMatchObject([400, { error: { code: "bad_folder" } }]);
  });

  test("are not removed while a Telegram chat speaks with them", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "telegram" });
    rig.memory.chats.set(id, { chatId: 7 });
    const response = await rig.ask("DELETE", `/api/sessions/${id}`);
    expect([response.status, await json(response)]).toMatchObject([409, { error: { code: "in_use" } }]);
  });

  test("page their older messages, without an agent", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const said = (n: number): Message => ({ key: `m${n}`, role: "user", at: n, content: [] });
    for (let n = 0; n < 450; n += 1) rig.memory.ledgers.messages.save(id, said(n));
    const page = async (before: string) =>
      (await json(await rig.ask("GET", `/api/sessions/${id}/messages?before=${before}`))) as {
        messages: readonly Message[];
        before?: string;
      };
    const newer = await page("m250");
    expect([newer.messages.at(0)?.key, newer.messages.at(-1)?.key, newer.before]).toEqual([
      "m50",
      "m249",
      "m50",
    ]);
    const older = await page("m50");
    expect([older.messages.length, older.before]).toEqual([50, undefined]);
    expect((await rig.ask("GET", `/api/sessions/${id}/messages`)).status).toBe(400);
    expect(rig.started).toHaveLength(0);
  });

  test("page them within 512 KiB, and give each of them whole by its key", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const said = (n: number, length: number): Message => {
      const content = [{ type: "text", text: `${n} ${"x".repeat(length)}` }] as const;
      return { key: `m${n}`, role: "toolResult", at: n, content };
    };
    const all = Array.from({ length: 30 }, (_, n) => said(n, n === 7 ? 3_000_000 : 100_000));
    for (const message of all) rig.memory.ledgers.messages.save(id, message);
    const paged: Message[] = [];
    for (let before: string | undefined = "m29"; before !== undefined;) {
      const text = await (await rig.ask("GET", `/api/sessions/${id}/messages?before=${before}`)).text();
      expect(Buffer.byteLength(text)).toBeLessThan(513 * 2 ** 10);
      const page = JSON.parse(text) as { messages: readonly Message[]; before?: string };
      paged.unshift(...page.messages);
      ({ before } = page);
    }
    expect(paged.map(({ key }) => key)).toEqual(all.slice(0, 29).map(({ key }) => key));
    expect(paged.filter(({ shortened }) => shortened).map(({ key }) => key)).toEqual(["m7"]);
    expect(await json(await rig.ask("GET", `/api/sessions/${id}/messages/m7`))).toEqual(all[7]);
    expect((await rig.ask("GET", `/api/sessions/${id}/messages/none`)).status).toBe(404);
  });

  test("are cleared: a new one in the same folder, and those who watch the old one are told", async () => {
    using rig = createHttpRig();
    const old = rig.sessions.create({ face: "http" });
    const told: unknown[] = [];
    old.observe((frame) => told.push(frame));
    const response = await rig.ask("POST", `/api/sessions/${old.id}/clear`);
    const next = (await response.json()) as { id: string };
    expect(next).toMatchObject({ cwd: old.cwd });
    expect(told).toEqual([{ type: "session_replaced", sessionId: old.id, by: next.id }]);
    expect((await rig.ask("GET", `/api/sessions/${old.id}`)).status).toBe(200);
  });
});

describe("a prompt by HTTP", () => {
  test("has pictures that only who is known is given, and that no browser keeps", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const name = `${crypto.randomUUID()}.png`;
    mkdirSync(join(rig.folder, "pictures", id), { recursive: true });
    writeFileSync(join(rig.folder, "pictures", id, name), png(1));
    const given = await rig.ask("GET", pictureUrl(id, name));
    expect([given.status, given.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(given.headers.get("cache-control")).toBe("no-store");
    expect(Buffer.from(await given.arrayBuffer()).equals(png(1))).toBe(true);
    const stranger = await rig.ask("GET", pictureUrl(id, name), undefined, { authorization: "" });
    expect(stranger.status).toBe(401);
  });

  test("is answered with the final text and the outcome when its turn ends", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const response = rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "What is 6 x 7?" });
    await finish(rig, "42");
    expect(await json(await response)).toEqual({
      turnId: expect.stringMatching(/^t-/),
      outcome: "done",
      text: "42",
    });
  });

  test("that fails says why", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const response = rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "x" });
    (await rig.agent()).exit();
    expect(await json(await response)).toMatchObject({
      outcome: "failed",
      text: "",
      error: expect.stringMatching(/^The agent ended unexpectedly/),
    });
  });

  test("is not waited for when that is asked", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const response = await rig.ask("POST", `/api/sessions/${id}/prompt?wait=0`, { text: "x" });
    expect([response.status, await json(response)]).toEqual([202, { turnId: expect.stringMatching(/^t-/) }]);
  });

  test("is one prompt each: two requests are two turns, in order", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const responses = ["one", "two"].map((text) => rig.ask("POST", `/api/sessions/${id}/prompt`, { text }));
    await finish(rig, "first");
    await finish(rig, "second");
    const texts = await Promise.all(responses.map(async (each) => await json(await each)));
    expect(texts).toMatchObject([{ text: "first" }, { text: "second" }]);
    expect(rig.started[0]?.runs.map(({ prompt }) => prompt.text)).toEqual(["one", "two"]);
  });

  test.each([
    ["requestId", (text: string) => [{ text, requestId: "r1" }, {}] as const],
    ["Idempotency-Key", (text: string) => [{ text }, { "idempotency-key": "r1" }] as const],
  ])("with the same %s twice runs once and is answered twice alike", async (_, make) => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const ask = () => rig.ask("POST", `/api/sessions/${id}/prompt`, ...make("x"));
    const first = ask();
    await finish(rig, "42");
    const again = await json(await ask());
    expect(again).toEqual(await json(await first));
    expect(rig.started[0]?.runs).toHaveLength(1);
  });

  test.each([
    ["requestId", {}, { requestId: "r1" }],
    ["Idempotency-Key", { "idempotency-key": "r1" }, {}],
  ])(
    "with the same %s and other words is refused, while the first one runs and after it",
    async (_, headers, fields) => {
      using rig = createHttpRig();
      const { id } = rig.sessions.create({ face: "http" });
      const ask = (body: object) =>
        rig.ask("POST", `/api/sessions/${id}/prompt?wait=0`, { ...body, ...fields }, headers);
      expect((await ask({ text: "one" })).status).toBe(202);
      const bodies = [{ text: "two" }, { text: "one", mode: "replace" }];
      for (const body of bodies) {
        const refused = await ask(body);
        expect(refused.status).toBe(409);
        expect(await json(refused)).toEqual({
          error: { code: "request_id_used", message: expect.stringContaining("under an id of its own") },
        });
      }
      await finish(rig, "42");
      for (const body of bodies) expect((await ask(body)).status).toBe(409);
      // The default is a mode like any other.
      expect((await ask({ text: "one", mode: "queue" })).status).toBe(202);
      expect(rig.started[0]?.runs.map(({ prompt }) => prompt.text)).toEqual(["one"]);
    },
  );

  test("with a header that is no request id is refused", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    for (const key of ["", "x".repeat(201)]) {
      const refused = await rig.ask(
        "POST",
        `/api/sessions/${id}/prompt`,
        { text: "x" },
        { "idempotency-key": key },
      );
      expect([refused.status, await json(refused)]).toMatchObject([
        400,
        { error: { message: expect.stringContaining('"Idempotency-Key" is not right') } },
      ]);
    }
    expect(rig.started).toEqual([]);
  });

  test("that is replaced before the agent had it says so, and is not in the prompt that took its place", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const ask = (text: string) =>
      rig.ask("POST", `/api/sessions/${id}/prompt`, { text, mode: "replace", requestId: text });
    const replies = ["one", "two", "three"].map(ask);
    await finish(rig, "done");
    const never = {
      outcome: "replaced",
      text: "",
      error: expect.stringMatching(/^This prompt never reached the agent: .* under another id/),
    };
    expect(await Promise.all(replies.map(async (reply) => await json(await reply)))).toMatchObject([
      never,
      never,
      { outcome: "done", text: "done" },
    ]);
    expect(await json(await ask("one"))).toMatchObject(never);
    expect(rig.started.flatMap(({ runs }) => runs.map(({ prompt }) => prompt.text))).toEqual(["three"]);
  });

  test("may replace what runs", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const first = rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "one" });
    const agent = await rig.agent();
    agent.runs[0]?.accept();
    const second = rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "two", mode: "replace" });
    await rig.clock.settle();
    expect(agent.aborts).toBe(1);
    agent.runs[0]?.end({ type: "aborted" });
    await finish(rig, "done");
    expect([await json(await first), await json(await second)]).toMatchObject([
      { outcome: "replaced" },
      { outcome: "done" },
    ]);
  });

  test("goes on when the client goes away", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const path = `/api/sessions/${id}/prompt`;
    const response = await rig.ask("POST", path, { text: "x" }, { accept: "text/event-stream" });
    await readerOf(response).cancel();
    await finish(rig, "42");
    expect(rig.started[0]).toMatchObject({ aborts: 0 });
    expect(rig.memory.messages.get(id)).toMatchObject([{ content: [{ text: "42" }] }]);
  });

  test("says that the answer is not whole, and why", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const response = rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "x" });
    const agent = await rig.agent();
    agent.runs[0]?.accept(true);
    for (const event of answers("a", "half")) agent.emit(event);
    agent.runs[0]?.end({ type: "done", cut: { type: "length" } });
    expect(await json(await response)).toEqual({
      turnId: expect.any(String),
      outcome: "done",
      text: "half",
      cut: { reason: "length", message: expect.stringMatching(/^Cut off here: .* Ask for the rest/) },
    });
  });

  test("streams its turn when that is asked, and says last how it ended", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const path = `/api/sessions/${id}/prompt`;
    const response = await rig.ask("POST", path, { text: "x" }, { accept: "text/event-stream" });
    await finish(rig, "42");
    const events = await readerOf(response).next(100);
    expect(events.at(0)?.event).toBe("subscribed");
    expect(events.at(-1)).toMatchObject({ event: "ending", data: { outcome: "done", text: "42" } });
  });

  test("is stopped by an abort", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const response = rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "x" });
    const agent = await rig.agent();
    expect(await json(await rig.ask("POST", `/api/sessions/${id}/abort`))).toEqual({ stopped: true });
    agent.runs[0]?.end({ type: "aborted" });
    expect(await json(await response)).toMatchObject({ outcome: "stopped" });
    expect(await json(await rig.ask("POST", `/api/sessions/${id}/abort`))).toEqual({ stopped: false });
  });

  test("shows its picture by an address that only those who are known can read", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const images = [{ mimeType: "image/png", data: Buffer.from(png(9)).toString("base64") }];
    void rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "look", images });
    await expect.poll(async () => (await rig.agent().catch(() => undefined))?.runs.length).toBe(1);
    const content = [{ type: "text", text: "look" }] as const;
    const key = "u";
    (await rig.agent()).emit({ type: "message_end", key, message: { key, role: "user", at: 0, content } });
    const [message] = rig.memory.messages.get(id) ?? [];
    const picture = message?.content.find((part) => part.type === "image");
    const url = picture?.url ?? "";
    expect(JSON.stringify(message)).not.toContain(images[0]?.data);
    const response = await rig.ask("GET", url);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(png(9)));
    expect((await rig.ask("GET", url, undefined, { authorization: "" })).status).toBe(401);
    expect((await rig.ask("GET", `${url}x`)).status).toBe(404);
  });
});

describe("a question by HTTP", () => {
  test("is answered once; a late answer is told so", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    void rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "x" });
    const agent = await rig.agent();
    agent.options.ask({ id: "q", kind: "confirm", title: "Sure?" });
    const answer = (questionId: string, value: unknown) =>
      rig.ask("POST", `/api/sessions/${id}/answer`, { questionId, value });
    const responses = [
      await answer("other", true),
      await answer("q", "yes"),
      await answer("q", true),
      await answer("q", false),
    ];
    const said = await Promise.all(responses.map(async (each) => [each.status, await each.json()]));
    expect(said).toMatchObject([
      [404, { error: { code: "no_question" } }],
      [400, { error: { code: "wrong_kind" } }],
      [200, { answered: true }],
      [409, { error: { code: "already_answered" } }],
    ]);
    expect(agent.answers).toEqual([["q", true]]);
  });
});

describe("no half of a character and no NUL comes in by HTTP, or goes out", () => {
  const broken = "a\0b \ud83d c";
  const whole = "ab \ufffd c";

  test("in prompts, names, request ids and answers to questions", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http" });
    const path = `/api/sessions/${id}`;
    expect(await json(await rig.ask("PATCH", path, { name: broken }))).toMatchObject({ name: whole });
    expect(await json(await rig.ask("POST", "/api/sessions", { name: broken }))).toMatchObject({
      name: whole,
    });
    void rig.ask("POST", `${path}/prompt`, { text: broken });
    const agent = await rig.agent();
    agent.options.ask({ id: "q", kind: "input", title: "Name?" });
    await rig.ask("POST", `${path}/answer`, { questionId: "q", value: broken });
    expect(agent.runs[0]?.prompt.text).toBe(whole);
    expect(agent.answers).toEqual([["q", whole]]);
    void rig.ask("POST", `${path}/prompt`, { text: "next", requestId: broken });
    await rig.clock.settle();
    expect(await json(await rig.ask("GET", path))).toMatchObject({
      name: whole,
      queue: [{ requestId: whole, text: "next" }],
    });
  });

  test("in answers, refusals and events, whoever made the text", async () => {
    using rig = createHttpRig();
    const { id } = rig.sessions.create({ face: "http", name: broken });
    const ended = rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "x" });
    const stream = await rig.ask("GET", `/api/sessions/${id}/events`);
    await finish(rig, broken);
    const long = `${"x".repeat(79)}😀`;
    const texts = [
      await (await ended).text(),
      await (await rig.ask("GET", "/api/sessions")).text(),
      await (await rig.ask("GET", `/api/sessions/${long}`)).text(),
      (await readerOf(stream).next(9)).map((event) => JSON.stringify(event)).join(),
    ];
    for (const text of texts) expect(text).not.toMatch(/\\u(?:d[89a-f]|0000)/);
    expect(JSON.parse(texts[0] ?? "")).toMatchObject({ text: whole });
  });
});

describe("a session's events by HTTP", () => {
  async function running(rig: Rig) {
    const { id } = rig.sessions.create({ face: "http" });
    void rig.ask("POST", `/api/sessions/${id}/prompt`, { text: "x" });
    const agent = await rig.agent();
    for (const event of [{ type: "turn_start" } as const, opens("a"), says("a", "one "), says("a", "two")])
      agent.emit(event);
    return { agent, path: `/api/sessions/${id}/events` };
  }

  test("begin with the snapshot, the open questions and the running step, as on a WebSocket, and go on live", async () => {
    using rig = createHttpRig();
    const { agent, path } = await running(rig);
    agent.options.ask({ id: "q", kind: "confirm", title: "Sure?" });
    const reader = readerOf(await rig.ask("GET", path));
    agent.emit(says("a", " three"));
    const events = await reader.next(4);
    await reader.cancel();
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ["subscribed", undefined],
      ["question", undefined],
      ["session_events", `${EPOCH}:6`],
      ["session_event", `${EPOCH}:7`],
    ]);
    const [subscribed, , batch] = events.map(({ data }) => data);
    if (subscribed?.type !== "subscribed" || batch?.type !== "session_events")
      throw new Error("other frames");
    const state = batch.events.reduce(applyEvent, transcriptFrom(subscribed.snapshot, subscribed.seq));
    expect(state.messages.at(-1)?.content).toEqual([{ type: "text", text: "one two" }]);
  });

  test("spare the snapshot to whoever shows the newest event already, and to nobody else", async () => {
    using rig = createHttpRig();
    const { agent, path } = await running(rig);
    const first = async (lastEventId: string): Promise<string | undefined> => {
      const reader = readerOf(await rig.ask("GET", path, undefined, { "last-event-id": lastEventId }));
      agent.emit(says("a", "!"));
      const [event] = (await reader.next(2)).filter(({ data }) => data !== undefined);
      await reader.cancel();
      return event?.event;
    };
    expect(await first(`${EPOCH}:5`)).toBe("session_event");
    expect(await first(`${EPOCH}:5`)).toBe("subscribed");
    expect(await first("another epoch:7")).toBe("subscribed");
    expect(await first("rubbish")).toBe("subscribed");
  });

  test("are kept alive by comments, and end with the client", async () => {
    using rig = createHttpRig();
    const { path, agent } = await running(rig);
    const reader = readerOf(await rig.ask("GET", path));
    await reader.next(2);
    await rig.clock.advance(HEARTBEAT);
    expect(await reader.next(1)).toEqual([{ event: undefined, id: undefined, data: undefined }]);
    const sleepers = rig.clock.sleepers;
    await reader.cancel();
    await rig.clock.settle();
    expect(rig.clock.sleepers).toBe(sleepers - 1);
    expect(() => agent.emit(says("a", "!"))).not.toThrow();
    expect(rig.log.messages("error")).toEqual([]);
  });

  test("are given up when the client does not read and too much waits for it", async () => {
    using rig = createHttpRig();
    const { path, agent } = await running(rig);
    const response = await rig.ask("GET", path);
    for (let n = 0; n < 10; n += 1) agent.emit(says("a", "x".repeat(1_000_000)));
    const reading = readerOf(response).next(100);
    await rig.clock.advance(CLOSING);
    const events = await reading;
    expect(events.length).toBeLessThan(13);
    expect(events.at(-1)).toMatchObject({ event: "error", data: { code: "too_slow" } });
    agent.emit(says("a", "!"));
    expect(rig.log.messages("error")).toEqual([]);
  });
});
