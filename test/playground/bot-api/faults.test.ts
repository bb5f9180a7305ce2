import { describe, expect, test } from "vitest";
import { startRig } from "./rig.ts";

const HI = { chat_id: 7, text: "hi" };

describe("faults of calls", () => {
  test("a 429 says how long to rest, in the body and in the header, and a call into the rest is a violation", async () => {
    const { api, clock, call } = await startRig();
    api.faults.calls({ kind: "flood", retryAfter: 5, methods: "sendMessage", times: 1 });
    expect(await call("sendMessage", HI)).toEqual({
      status: 429,
      retryAfter: "5",
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 5",
      parameters: { retry_after: 5 },
    });
    await clock.advance(4_999);
    expect(await call("sendMessage", HI)).toMatchObject({ ok: true });
    expect(api.flood.violations).toMatchObject([
      { method: "sendMessage", chatId: 7, at: 4_999, restUntil: 5_000 },
    ]);
  });

  test.each([
    [401, "Unauthorized"],
    [
      409,
      "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    ],
    [400, "Bad Request: can't parse entities"],
  ])("error %i is given as asked for", async (code, description) => {
    const { api, call } = await startRig();
    api.faults.calls({ kind: "error", code, description, times: 1 });
    expect(await call("sendMessage", HI)).toMatchObject({ status: code, error_code: code, description });
    expect(api.chat(7).messages).toEqual([]);
  });

  test("a proxy's error is HTML", async () => {
    const { api, url } = await startRig();
    api.faults.calls({ kind: "html", status: 502 });
    const response = await fetch(url("getMe"));
    expect([response.status, response.headers.get("content-type")]).toEqual([502, "text/html"]);
    expect(await response.text()).toContain("<h1>502</h1>");
  });

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("a reset %s the effect leaves %i messages", async (when, count) => {
    const { api, call } = await startRig();
    api.faults.calls({ kind: "reset", when, times: 1 });
    await expect(call("sendMessage", HI)).rejects.toThrow("fetch failed");
    expect(api.chat(7).messages).toHaveLength(count);
    expect(api.calls[0]).toMatchObject({ lost: true, effective: count === 1, status: undefined });
  });

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)(
    "a call that hangs %s the effect leaves %i messages and is never answered",
    async (when, count) => {
      const { api, call } = await startRig();
      const fault = api.faults.calls({ kind: "hang", when });
      const hanging = call("sendMessage", HI);
      await api.until(() => fault.hits === 1 && api.calls[0]?.effective === (count === 1));
      expect(api.chat(7).messages).toHaveLength(count);
      fault.off();
      await expect(hanging).rejects.toThrow("fetch failed");
    },
  );

  test("a slow answer comes after its time", async () => {
    const { api, clock, call } = await startRig();
    api.faults.calls({ kind: "slow", ms: 3_000 });
    const slow = call("sendMessage", HI);
    await api.until(() => clock.sleepers === 1 || api.calls[0]?.effective);
    await clock.advance(2_999);
    expect(api.calls[0]?.answeredAt).toBeUndefined();
    await clock.advance(1);
    expect(await slow).toMatchObject({ ok: true });
    expect(api.calls[0]?.answeredAt).toBe(3_000);
  });

  test("an answer that is cut in its middle loses no update", async () => {
    const { api, ada, call } = await startRig();
    await ada.say("hello");
    api.faults.calls({ kind: "cut", methods: "getUpdates", times: 1 });
    await expect(call("getUpdates", { offset: 1 })).rejects.toThrow("terminated");
    expect(await call("getUpdates", { offset: 2 })).toMatchObject({
      result: [{ message: { text: "hello" } }],
    });
  });

  test("an outage may come while an answer is being cut", async () => {
    const { api, call } = await startRig();
    api.faults.calls({ kind: "cut", methods: "sendMessage", times: 1 });
    const cut = call("sendMessage", HI).catch((error: unknown) => error);
    await api.until(() => api.chat(7).messages.length > 0, { what: "the message" });
    const outage = await api.faults.outage();
    await outage.end();
    expect(await cut).toBeInstanceOf(Error);
    expect(await call("getMe")).toMatchObject({ ok: true });
  });

  test("a fault hits the methods and the chat it names, as often as it says, or until it is off", async () => {
    const { api, call } = await startRig();
    api.person({ id: 8, first_name: "Bob" });
    const error = { kind: "error", code: 400, description: "Bad Request: no" } as const;
    const twice = api.faults.calls({ ...error, methods: ["sendMessage", "getMe"], times: 2 });
    expect(await call("getChat", { chat_id: 7 })).toMatchObject({ ok: true });
    expect(await call("getMe")).toMatchObject({ ok: false });
    expect(await call("sendmessage", HI)).toMatchObject({ ok: false });
    expect(await call("sendMessage", HI)).toMatchObject({ ok: true });
    expect(twice.hits).toBe(2);
    const always = api.faults.calls({ ...error, chatId: 8 });
    expect(await call("sendMessage", HI)).toMatchObject({ ok: true });
    expect(await call("sendMessage", { ...HI, chat_id: 8 })).toMatchObject({ ok: false });
    always.off();
    expect(await call("sendMessage", { ...HI, chat_id: 8 })).toMatchObject({ ok: true });
    api.faults.calls(error);
    api.faults.clear();
    expect(await call("getMe")).toMatchObject({ ok: true });
  });

  test("an outage drops who waits and refuses who comes, and ends on the same port", async () => {
    const { api, ada, call } = await startRig();
    const waiting = call("getUpdates", { timeout: 30 });
    await api.until(() => api.polling);
    const [outage] = await Promise.all([
      api.faults.outage(),
      expect(waiting).rejects.toThrow("fetch failed"),
    ]);
    await expect(call("getMe")).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await ada.say("are you there?");
    await outage.end();
    expect(await call("getUpdates", { offset: 1 })).toMatchObject({
      result: [{ message: { text: "are you there?" } }],
    });
  });
});

describe("faults of files", () => {
  const content = Buffer.from("0123456789");
  const setUp = async () => {
    const rig = await startRig();
    rig.ada.sendDocument(content, { name: "a.txt" });
    return { ...rig, load: () => fetch(`${rig.api.root}/file/bot${rig.api.token}/documents/file_1.txt`) };
  };

  test("a missing file is a 404, a failing one another status, another path is not hit", async () => {
    const { api, load } = await setUp();
    api.faults.files({ kind: "missing", path: "photos/" });
    expect((await load()).status).toBe(200);
    api.faults.files({ kind: "missing", times: 1 });
    expect((await load()).status).toBe(404);
    api.faults.files({ kind: "status", status: 500, times: 1 });
    expect((await load()).status).toBe(500);
  });

  test.each([
    ["truncated", { kind: "truncated", bytes: 4 }],
    ["shorter than its content-length", { kind: "lie", contentLength: 20 }],
  ] as const)("a download that is %s fails", async (_, fault) => {
    const { api, load } = await setUp();
    api.faults.files(fault);
    await expect(load().then((response) => response.text())).rejects.toThrow("terminated");
  });

  test("a content-length that is too small cuts the file", async () => {
    const { api, load } = await setUp();
    api.faults.files({ kind: "lie", contentLength: 4 });
    expect(await (await load()).text()).toBe("0123");
  });

  test("a slow file trickles at its rate", async () => {
    const { api, clock, load } = await setUp();
    api.faults.files({ kind: "slow", bytesPerSecond: 10 });
    const response = await load();
    let text: string | undefined;
    const loaded = response.text().then((all) => (text = all));
    for (let second = 0; second < 9; second += 1) await clock.advance(100);
    expect(text).toBeUndefined();
    await clock.advance(100);
    expect(await loaded).toBe("0123456789");
  });

  test("a file that hangs in its middle ends with the fault", async () => {
    const { api, load } = await setUp();
    const fault = api.faults.files({ kind: "hang", bytes: 4 });
    const response = await load();
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("0123");
    const rest = reader?.read();
    fault.off();
    await expect(rest).rejects.toThrow("terminated");
  });
});

test("with the flood model on, who hurries rests longer and longer", async () => {
  const { api, clock, call } = await startRig({ flood: true });
  for (let index = 0; index < 20; index += 1) await call("sendMessage", HI);
  expect(await call("sendMessage", HI)).toMatchObject({
    status: 429,
    retryAfter: "3",
    parameters: { retry_after: 3 },
  });
  expect(await call("editMessageText", { ...HI, message_id: 1 })).toMatchObject({
    parameters: { retry_after: 6 },
  });
  await clock.advance(6_000);
  expect(await call("sendMessage", HI)).toMatchObject({ ok: true });
  expect(api.flood.violations).toHaveLength(1);
  expect(api.chat(7).messages).toHaveLength(21);
});
