import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { Api, HttpError } from "grammy";
import { describe, expect, onTestFinished, test } from "vitest";
import { grammyFetch } from "../../src/telegram/fetch.ts";
import { toGrammy } from "../../src/telegram/signals.ts";
import { startApiRig } from "./api-rig.ts";

describe("grammY's way to Telegram", () => {
  test("notices at once when an answer is cut in its middle", async () => {
    const { api, server } = await startApiRig();
    server.faults.calls({ kind: "cut" });
    await expect(api.getMe()).rejects.toThrow(HttpError);
  });

  test("has errors that nowhere carry the token", async () => {
    const { api, server } = await startApiRig();
    const outage = await server.faults.outage();
    const error: unknown = await api.getMe().catch((failure: unknown) => failure);
    await outage.end();
    expect(error).toBeInstanceOf(HttpError);
    expect(inspect(error, { depth: 10 })).not.toContain(server.token);
  });

  test("ends a call when its signal is aborted, before and after the answer has begun", async () => {
    const { api, server, called } = await startApiRig();
    server.faults.calls({ kind: "hang", when: "before" });
    const waiting = new AbortController();
    const call = api.getMe(toGrammy(waiting.signal));
    await called("getMe");
    waiting.abort();
    await expect(call).rejects.toThrow(HttpError);

    // The head of an answer, and then nothing: the body is part of the call.
    const silent = createServer((_, response) =>
      response.writeHead(200, { "content-length": 99 }).write("{"),
    );
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.close().closeAllConnections();
    });
    const { port } = silent.address() as AddressInfo;
    const reading = new AbortController();
    const slow = new Api("1:a", { apiRoot: `http://127.0.0.1:${port}`, fetch: grammyFetch });
    const answer = slow.getMe(toGrammy(reading.signal));
    silent.on("request", () => setImmediate(() => reading.abort()));
    await expect(answer).rejects.toThrow(HttpError);
  });

  test.each([
    '{"message":"Endpoint request timed out"}',
    '{"ok":false}',
    '{"ok":true}',
    '"Bad Gateway"',
    "null",
  ])("takes no answer of somebody else for one of Telegram's: %s", async (body) => {
    const proxy = createServer((_, response) => response.writeHead(502).end(body));
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      proxy.close().closeAllConnections();
    });
    const { port } = proxy.address() as AddressInfo;
    const behind = new Api("1:a", { apiRoot: `http://127.0.0.1:${port}`, fetch: grammyFetch });
    await expect(behind.getMe()).rejects.toThrow(HttpError);
  });

  test("takes an answer that nests without end as far as it can be walked: the next ones would wait behind it for ever", async () => {
    const update = `{"update_id":1,"message":{"text":"hi","deep":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`;
    const server = createServer((_, response) => response.end(`{"ok":true,"result":[${update}]}`));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.close().closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const api = new Api("1:a", { apiRoot: `http://127.0.0.1:${port}`, fetch: grammyFetch });
    const updates = await api.getUpdates();
    expect(updates).toMatchObject([{ update_id: 1, message: { text: "hi" } }]);
    expect(() => JSON.stringify(updates)).not.toThrow();
  });

  test("does not begin with a signal that is aborted already", async () => {
    const { api, server } = await startApiRig();
    await expect(api.getMe(toGrammy(AbortSignal.abort()))).rejects.toThrow("getMe");
    expect(server.callsOf("getMe")).toEqual([]);
  });
});
