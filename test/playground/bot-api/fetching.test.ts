import { describe, expect, test } from "vitest";
import { startRig } from "./rig.ts";

describe("getUpdates over HTTP", () => {
  test("a waiting poll is answered by what a person says", async () => {
    const { api, ada, call } = await startRig();
    const poll = call("getUpdates", { timeout: 30 });
    await api.until(() => api.polling);
    await ada.say("hello");
    expect(await poll).toMatchObject({ ok: true, result: [{ message: { text: "hello", from: { id: 7 } } }] });
  });

  test("a poll whose client has gone is noticed, and its update is not lost", async () => {
    const { api, ada, call } = await startRig();
    const leave = new AbortController();
    const poll = call("getUpdates", { timeout: 30 }, leave.signal);
    await api.until(() => api.polling);
    leave.abort();
    await expect(poll).rejects.toThrow("aborted");
    await api.until(() => !api.polling && api.calls[0]?.lost);
    await ada.say("hello");
    expect(await call("getUpdates", { offset: 1 })).toMatchObject({
      result: [{ message: { text: "hello" } }],
    });
  });

  test("the older of two polls gets the conflict", async () => {
    const { api, call } = await startRig();
    const older = call("getUpdates", { offset: 1, timeout: 30 });
    await api.until(() => api.polling);
    const newer = call("getUpdates", { offset: 2, timeout: 30 });
    expect(await older).toMatchObject({ status: 409, error_code: 409 });
    api.pushUpdate({ weather: "fine" });
    expect(await newer).toMatchObject({ result: [{ weather: "fine" }] });
  });

  test("webhooks are set, told of and deleted, with Telegram's words", async () => {
    const { ada, call } = await startRig();
    await ada.say("hello");
    expect(await call("setWebhook", { url: "http://example.com" })).toMatchObject({ status: 400 });
    expect(await call("setWebhook", { url: "https://example.com/" })).toMatchObject({
      result: true,
      description: "Webhook was set",
    });
    expect(await call("getWebhookInfo")).toMatchObject({
      result: { url: "https://example.com/", pending_update_count: 1 },
    });
    expect(await call("getUpdates")).toMatchObject({
      status: 409,
      description: /can't use getUpdates method while webhook/,
    });
    const gone = { description: "Webhook was deleted" };
    expect(await call("deleteWebhook", { drop_pending_updates: true })).toMatchObject(gone);
    expect(await call("deleteWebhook")).toMatchObject({
      result: true,
      description: "Webhook is already deleted",
    });
    expect(await call("getUpdates")).toMatchObject({ result: [] });
  });
});
