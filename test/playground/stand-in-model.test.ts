import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { startStandInModel } from "../../src/playground/stand-in-model.ts";
import type { StandInModel } from "../../src/playground/stand-in-model.ts";

let model: StandInModel;

beforeEach(async () => {
  model = await startStandInModel();
});

afterEach(() => model.close());

function ask(text: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: text }] }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function said(text: string): Promise<string> {
  const body = await (await ask(text)).text();
  return Array.from(body.matchAll(/"content":"([^"]*)"/g), (match) => match[1]).join("");
}

describe("the server", () => {
  test("offers one model", async () => {
    const answer = await fetch(`${model.baseUrl}/models`);
    expect(await answer.json()).toMatchObject({ data: [{ id: "stand-in-1" }] });
  });

  test("streams an answer and remembers what it was asked", async () => {
    const answer = await ask('hello MOCK{"text":"hi there"}');
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toMatch(/"content":"hi"[^]*"content":" there"[^]*\[DONE\]/);
    expect(model.requests).toEqual([
      {
        model: "m",
        tools: [],
        messages: [{ role: "user", text: 'hello MOCK{"text":"hi there"}', images: [] }],
        aborted: false,
      },
    ]);
  });

  test("answers with what was queued first, one step a request", async () => {
    model.enqueue([{ text: "one" }, { text: "two" }]);
    expect([await said("a"), await said("b"), await said('MOCK{"text":"c"}')]).toEqual(["one", "two", "c"]);
  });

  test("forgets everything at a reset", async () => {
    await said('MOCK{"text":"c"}');
    model.enqueue([{ text: "one" }]);
    model.reset();
    expect(model.requests).toEqual([]);
    expect(await said('MOCK{"text":"c"}')).toBe("c");
  });

  test.each([
    ["an unknown place", 404, () => fetch(`${model.baseUrl}/embeddings`)],
    [
      "a body that is no JSON",
      400,
      () => fetch(`${model.baseUrl}/chat/completions`, { method: "POST", body: "{" }),
    ],
    [
      "a request that does not stream",
      400,
      () =>
        fetch(`${model.baseUrl}/chat/completions`, {
          method: "POST",
          body: JSON.stringify({ model: "m", messages: [] }),
        }),
    ],
  ])("refuses %s in words", async (_name, status, request) => {
    const answer = await request();
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
  });

  test("frees its port when it is closed, in the middle of an answer too", async () => {
    const answer = await ask('MOCK{"text":"a","hang":"stream"}');
    await model.close();
    await expect(answer.text()).rejects.toThrow("terminated");
    const again = await startStandInModel({ port: model.port });
    expect(again.port).toBe(model.port);
    await again.close();
    model = await startStandInModel();
  });
});

describe("a broken answer", () => {
  test("an error's status comes in the provider's words, as often as was ordered, and then the answer", async () => {
    const order = 'MOCK{"status":503,"times":2,"then":{"text":"better"}}';
    const statuses = [await ask(order), await ask(order)].map(({ status }) => status);
    expect(statuses).toEqual([503, 503]);
    expect(await said(order)).toBe("better");
    expect((await ask(order)).status).toBe(503);
  });

  test("a cut answer says its text and then drops the connection", async () => {
    const answer = await ask('MOCK{"text":"half","malformed":"cut"}');
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain("assistant");
    await expect(
      (async () => {
        while ((await reader?.read())?.done === false);
      })(),
    ).rejects.toThrow("terminated");
    expect(model.requests[0]?.aborted).toBe(false);
  });

  test("a page instead of an answer", async () => {
    const answer = await ask('MOCK{"malformed":"html"}');
    expect(answer.headers.get("content-type")).toBe("text/html");
    expect(await answer.text()).toContain("<html>");
  });

  test("nothing at all", async () => {
    expect(await (await ask('MOCK{"malformed":"empty"}')).text()).toBe("");
  });
});

test("a program whose asker went away and whose stand-in is closed can end: nothing waits on", async () => {
  const script = `
    import { startStandInModel } from ${JSON.stringify(new URL("../../src/playground/stand-in-model.ts", import.meta.url).href)};
    const model = await startStandInModel();
    model.enqueue([{ firstMs: 600000 }]);
    const gone = new AbortController();
    const body = JSON.stringify({ model: "m", stream: true, messages: [] });
    const asked = fetch(model.baseUrl + "/chat/completions", { method: "POST", body, signal: gone.signal });
    while (model.requests.length === 0) await new Promise(setImmediate);
    gone.abort();
    await asked.catch(() => undefined);
    await model.close();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await once(child, "exit")).toEqual([0, null]);
});

describe("whoever asks and goes away", () => {
  test.each([
    ["is noticed in the middle of a slow answer", 'MOCK{"n":100000,"delayMs":20}'],
    ["is noticed while the answer hangs", 'MOCK{"text":"a","hang":"stream"}'],
  ])("%s", async (_name, order) => {
    const gone = new AbortController();
    await ask(order, gone.signal);
    expect(model.requests[0]?.aborted).toBe(false);
    gone.abort();
    await vi.waitFor(() => expect(model.requests[0]?.aborted).toBe(true));
  });

  test.each([
    ["before a late answer", 'MOCK{"text":"a","firstMs":600000}'],
    ["when no answer comes", 'MOCK{"hang":"connect"}'],
  ])("is noticed %s", async (_name, order) => {
    const gone = new AbortController();
    const answer = ask(order, gone.signal);
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    gone.abort();
    await expect(answer).rejects.toThrow("abort");
    await vi.waitFor(() => expect(model.requests[0]?.aborted).toBe(true));
  });
});
