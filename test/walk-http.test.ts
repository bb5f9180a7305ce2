import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import WebSocket from "ws";
import type { ServerFrame, SessionInfo } from "../src/domain/wire.ts";
import { FAKE_AGENT, freePort, type RunningEvie, startEvie } from "./running-evie.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** evie with its HTTP face and an agent that does what prompts tell it. */
async function startWithHttp() {
  const port = await freePort();
  const evie = await startEvie({
    env: { EVIE_HTTP_PORT: `${port}`, EVIE_AGENT_COMMAND: `${process.execPath} ${FAKE_AGENT}` },
  });
  await evie.wrote((output) => output.includes("/#key="), "the deck's link");
  const token = readFileSync(join(evie.home, "http-token"), "utf8").trim();
  const base = `http://127.0.0.1:${port}`;
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await response.json();
  };
  return { evie, token, base, ask };
}

/** Evie once more, where one that has ended was: at its home, its port and its bot. */
async function startAgain({ home, api }: RunningEvie, base: string) {
  return await startEvie({
    awaitReady: false,
    env: {
      EVIE_HOME: home,
      EVIE_HTTP_PORT: new URL(base).port,
      EVIE_AGENT_COMMAND: `${process.execPath} ${FAKE_AGENT}`,
      TELEGRAM_API_ROOT: api.root,
      TELEGRAM_BOT_TOKEN: api.token,
    },
  });
}

const LINK = /http:\/\/127\.0\.0\.1:(\d+)\/#key=\S+/;

describe("the port of the HTTP face", () => {
  test("is 3843 or one near it where none is named, and which one is said", async () => {
    const env = { EVIE_HTTP_PORT: "" };
    await using first = await startEvie({ env });
    await using second = await startEvie({ env });
    for (const evie of [first, second]) await evie.wrote(() => LINK.test(evie.stdout()), "the deck's link");
    const [one, two] = [first, second].map((evie) => Number(LINK.exec(evie.stdout())?.[1]));
    expect(one).not.toBe(two);
    expect(two).toBeGreaterThan(3_843);
    expect(second.stdout()).toContain(`Port 3843 is taken, so this is port ${two}.`);
    const health = await fetch(`http://127.0.0.1:${one}/health`);
    expect(await health.json()).toMatchObject({ ok: true });
  });

  test("is missing where it is named and another program has it: evie says so and ends", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using evie = await startEvie({ env: { EVIE_HTTP_PORT: `${port}` }, awaitReady: false });
    const [code] = (await once(evie.process, "exit")) as [number];
    server.close();
    expect(code).toBe(1);
    expect(evie.output()).toContain(
      `evie: evie cannot listen on 127.0.0.1:${port}: another program listens there. Set EVIE_HTTP_PORT`,
    );
  });

  test("is said without the key where a journal would keep it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "evie-journal-"));
    const journal = openSync(join(folder, "journal"), "w");
    const { dev, ino } = fstatSync(journal);
    const child = spawn(process.execPath, [MAIN], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        TELEGRAM_BOT_TOKEN: "1:x",
        TELEGRAM_API_ROOT: `http://127.0.0.1:${await freePort()}`,
        EVIE_ALLOWED_USERS: "1",
        JOURNAL_STREAM: `${dev}:${ino}`,
      },
      stdio: ["ignore", journal, "ignore"],
    });
    const exited = once(child, "exit");
    const said = () => readFileSync(join(folder, "journal"), "utf8");
    await expect
      .poll(said, { timeout: 10_000 })
      .toMatch(/The deck is on http:\/\/127\.0\.0\.1:\d+\/\. \/deck /);
    expect(said()).not.toContain("key=");
    child.kill();
    await exited;
    closeSync(journal);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test("is nobody's where it is 0", async () => {
    await using evie = await startEvie();
    const visitor = evie.visitor();
    await visitor.say("/deck");
    await visitor.hears(({ text }) => text.includes("EVIE_HTTP_PORT"), "that the deck is off");
    expect(evie.stdout()).toBe("");
  });
});

describe("evie with its HTTP face", () => {
  test("gives its link in a chat, to people who are allowed", async () => {
    const { evie, token, base } = await startWithHttp();
    await using _ = evie;
    const [anna, mallory] = [evie.visitor(), evie.api.person({ id: 666, first_name: "Mallory" })];
    await Promise.all([anna.say("/deck"), mallory.say("/deck")]);
    const { id, text } = await anna.hears((message) => message.text.includes(`${base}/#key=`), "the link");
    const key = /#key=(\S+)/.exec(text)?.[1] ?? "";
    const known = await fetch(`${base}/api/sessions`, { headers: { authorization: `Bearer ${key}` } });
    expect(known.status).toBe(200);
    // Whoever answers the message that brought the key sends it along.
    await anna.say("thanks for this", { reply_to: id });
    await anna.hears((message) => message.text.startsWith("Echo:"), "an answer");
    await evie.api.until(() => evie.api.chat(666).botMessages[0], { what: "the answer to a stranger" });
    expect(JSON.stringify(evie.api.chat(666).botMessages)).not.toContain(token);
    // What a chat is told is not what a log is told, nor what is kept of the chat.
    for (const secret of [token, key]) expect(evie.output().replace(evie.stdout(), "")).not.toContain(secret);
    expect(evie.stdout()).not.toContain(token);
    for (const name of readdirSync(evie.home).filter((file) => file.startsWith("evie.db")))
      expect(readFileSync(join(evie.home, name)).includes(key), name).toBe(false);
  });

  test("shows in a chat, after a restart as well, what was asked elsewhere, quoted and once", async () => {
    const { evie, base, ask } = await startWithHttp();
    await using _ = evie;
    const visitor = evie.visitor();
    await visitor.say("hello");
    await visitor.hears(({ text }) => text === "Echo: hello", "the answer");
    const { sessions } = (await ask("GET", "/api/sessions")) as { sessions: readonly SessionInfo[] };
    const text = `over\nhere ${"and on ".repeat(60)}`;
    await ask("POST", `/api/sessions/${sessions[0]?.id}/prompt`, { text });
    const { chat } = evie.api;
    await visitor.hears((message) => message.text.startsWith("Echo: over"), "the answer to it");
    const [, quoted, answer, ...more] = chat(Number(sessions[0]?.chat?.id)).botMessages;
    expect(quoted).toMatchObject({ silent: true, entities: [{ type: "blockquote", offset: 0 }] });
    expect(quoted?.text).toMatch(/^By HTTP: over here and on [^\n]{80,110}…$/);
    expect([answer?.silent, more]).toEqual([true, []]);

    await evie.stop();
    await using again = await startAgain(evie, base);
    await again.wrote((output) => output.includes('"ready"'), "that it is ready");
    await ask("POST", `/api/sessions/${sessions[0]?.id}/prompt`, { text: "and again" });
    await visitor.hears((message) => message.text === "Echo: and again", "the answer after the restart");
    expect(visitor.said().slice(3)).toEqual(["By HTTP: and again", "Echo: and again"]);
  });

  test("lets a link lead a chat to a session that runs: what there is, then its end, and what follows", async () => {
    const { evie, token, base, ask } = await startWithHttp();
    await using _ = evie;
    const visitor = evie.visitor();
    await visitor.say("hello");
    await visitor.hears(({ text }) => text === "Echo: hello", "the answer");
    const { id } = (await ask("POST", "/api/sessions", { name: "The count" })) as SessionInfo;
    await ask("POST", `/api/sessions/${id}/prompt`, { text: "an earlier thing" });

    const socket = new WebSocket(`${base.replace("http", "ws")}/ws`, {
      origin: base,
      headers: { authorization: `Bearer ${token}` },
    });
    const frames: ServerFrame[] = [];
    socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString("utf8")) as ServerFrame));
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "subscribe", sessionId: id }));
    await expect.poll(() => frames.map(({ type }) => type)).toContain("subscribed");
    const counting = ask("POST", `/api/sessions/${id}/prompt`, {
      text: 'count FAKE{"deltas":60,"overMs":4000}',
    });
    const deltas = () =>
      frames.filter((frame) => frame.type === "session_event" && frame.event.type === "message_update");
    await expect.poll(() => deltas().length).toBeGreaterThan(5);
    await visitor.say(`/start ${id}`);
    const begun = await visitor.hears(({ text }) => text.startsWith("w0001"), "what was said so far");
    expect(begun.text).toMatch(/^w0001 w0002 .*w0005/);
    expect(begun.text).not.toContain("w0060");
    expect(visitor.said().slice(0, 3)).toEqual([
      "Echo: hello",
      "This chat speaks with “The count” now.",
      'By HTTP: count FAKE{"deltas":60,"overMs":4000}',
    ]);
    await visitor.hears(({ text }) => text.endsWith("w0060"), "its end");
    await counting;
    expect(visitor.said()).toHaveLength(4);
    expect(visitor.calls().filter(({ method }) => method.startsWith("send"))).toHaveLength(4);

    await visitor.say("and on");
    await visitor.hears(({ text }) => text === "Echo: and on", "the answer there");
    await visitor.say(`/start ${id}`);
    await visitor.hears(
      ({ text }) => text === "This chat speaks with that session already.",
      "that it is there",
    );
    expect(await ask("GET", `/api/sessions/${id}`)).toMatchObject({
      messages: [{}, {}, {}, {}, { content: [{ text: "and on" }] }, {}],
    });
    const lists = frames.flatMap((frame) => (frame.type === "sessions" ? [frame.sessions] : []));
    expect(lists.at(-1)?.map(({ name, chat }) => [name, chat?.id])).toEqual([
      ["The count", visitor.chat.id],
      ["hello", undefined],
    ]);
    expect(frames[0]).toMatchObject({ type: "hello", bot: "evie_bot" });
    socket.close();

    await evie.stop();
    const before = visitor.said().length;
    await using again = await startAgain(evie, base);
    await again.wrote((output) => output.includes('"ready"'), "that it is ready");
    await ask("POST", `/api/sessions/${id}/prompt`, { text: "once more" });
    await visitor.hears(({ text }) => text === "Echo: once more", "what is asked there after a restart");
    expect(visitor.said().slice(before)).toEqual(["By HTTP: once more", "Echo: once more"]);
  });

  test("prints the deck's link, serves the deck, and answers prompts", async () => {
    const { evie, base, ask } = await startWithHttp();
    await using _ = evie;
    const [, key] = /#key=(\S+)/.exec(evie.stdout()) ?? [];
    const known = await fetch(`${base}/health`, { headers: { authorization: `Bearer ${key}` } });
    expect(await known.json()).toHaveProperty("uptimeMs");
    const page = await fetch(base);
    expect(await page.text()).toContain("/deck.js");
    const script = await fetch(`${base}/deck.js`);
    expect((await script.text()).length).toBeGreaterThan(10_000);
    const { id } = (await ask("POST", "/api/sessions", {})) as SessionInfo;
    const said = await ask("POST", `/api/sessions/${id}/prompt`, { text: "hello" });
    expect(said).toMatchObject({ outcome: "done", text: "Echo: hello" });
    expect(await ask("GET", `/api/sessions/${id}`)).toMatchObject({
      name: "hello",
      state: "idle",
      messages: [{ role: "user" }, { role: "assistant" }],
    });
    expect(await evie.stop()).toBe(0);
  });

  test("has a question that was asked in a chat answered in a browser, which sees the chat's session", async () => {
    const { evie, token, base, ask } = await startWithHttp();
    await using _ = evie;
    const visitor = evie.visitor();
    await visitor.say('FAKE{"dialog":"Which colour?","text":"Blue then."}');
    const asked = await visitor.hears(({ text }) => text.includes("Which colour?"), "the question");
    const { sessions } = (await ask("GET", "/api/sessions")) as { sessions: readonly SessionInfo[] };
    const session = sessions.find(({ state }) => state === "waiting");
    expect(session?.chat).toBeDefined();
    expect(asked.text).toContain(`${base}/s/${session?.id}`);

    const socket = new WebSocket(`${base.replace("http", "ws")}/ws`, {
      origin: base,
      headers: { authorization: `Bearer ${token}` },
    });
    const frames: ServerFrame[] = [];
    socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString("utf8")) as ServerFrame));
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "subscribe", sessionId: session?.id }));
    await expect.poll(() => frames.map(({ type }) => type)).toContain("session_events");
    const question = frames.flatMap((frame) => (frame.type === "question" ? [frame.question] : []))[0];
    const answer = { type: "answer", sessionId: session?.id, questionId: question?.id, value: "Yes" };
    socket.send(JSON.stringify(answer));
    await visitor.hears(({ text }) => text === "Blue then.", "the answer, without the question");
    await expect.poll(() => frames.map(({ type }) => type)).toContain("question_closed");
    socket.close();
  });
});
