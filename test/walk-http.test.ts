import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import process from "node:process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import WebSocket from "ws";
import type { ServerFrame, SessionInfo } from "../src/domain/wire.ts";
import { FAKE_AGENT, startEvie } from "./running-evie.ts";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** evie with its HTTP face and an agent that does what prompts tell it. */
async function startWithHttp() {
  const port = await freePort();
  const evie = await startEvie({
    env: { EVIE_HTTP_PORT: `${port}`, EVIE_AGENT_COMMAND: `${process.execPath} ${FAKE_AGENT}` },
  });
  await evie.wrote((output) => output.includes("/?key="), "the deck's link");
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

describe("evie with its HTTP face", () => {
  test("prints the deck's link, serves the deck, and answers prompts", async () => {
    const { evie, token, base, ask } = await startWithHttp();
    await using _ = evie;
    expect(evie.output()).toContain(`${base}/?key=${token}`);
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
