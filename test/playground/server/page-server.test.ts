import { describe, expect, test } from "vitest";
import { startPlaygroundRig } from "../rig.ts";

const SAY = JSON.stringify({ text: "delete everything" });
const JSON_TYPE = { "content-type": "application/json" };

describe("the page's server", () => {
  test("gives its page to everybody on this machine, and no cookie, and what is said to who has the key", async () => {
    const { ask, playground, authorization } = await startPlaygroundRig();
    const { search, hash } = new URL(playground.link);
    expect([search, hash]).toEqual(["", `#key=${authorization.replace("Bearer ", "")}`]);
    const page = await ask("/");
    expect([page.status, page.body.toString()]).toEqual([200, "<p>page"]);
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'self'; /);
    expect(page.headers["content-security-policy"]).not.toContain("unsafe");
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
    for (const path of ["/", "/page.js", "/page.css", "/icon.svg", "/readme", `/?${hash.slice(1)}`]) {
      const { status, headers } = await ask(path);
      expect([path, status, headers["set-cookie"]]).toEqual([path, 200, undefined]);
    }
    expect((await ask("/files/1", { headers: { authorization } })).status).toBe(404);
  });

  test.each(["/events", "/files/1", "/nothing", "/deck", "/do/say"])(
    "keeps %s from who does not show the key, whatever cookies they have",
    async (path) => {
      const { ask, authorization } = await startPlaygroundRig();
      const key = authorization.replace("Bearer ", "");
      for (const headers of [
        {},
        { authorization: "Bearer guess" },
        { authorization: `Bearer ${key}x` },
        { authorization: `Basic ${key}` },
        { cookie: `evie_playground=${key}; key=${key}` },
      ])
        expect((await ask(path, { headers: { ...headers } })).status).toBe(403);
      expect((await ask(`${path}?key=${key}`)).status).toBe(403);
    },
  );

  test("tells the page where the deck is, with its key, once there is one", async () => {
    const { playground, watch } = await startPlaygroundRig();
    const early = watch();
    const { value: first } = await early.next();
    expect(first?.type === "snapshot" && "deck" in first.snapshot).toBe(false);
    const link = "http://127.0.0.1:3845/#key=abc";
    playground.leadToDeck(link);
    expect((await early.next()).value).toEqual({ type: "deck", link });
    expect((await watch().next()).value).toMatchObject({ type: "snapshot", snapshot: { deck: link } });
  });

  test("gives nothing to a name that was rebound to this machine, not even with the key", async () => {
    const { ask, playground, authorization } = await startPlaygroundRig();
    const { port } = new URL(playground.link);
    for (const host of [
      `evil.example:${port}`,
      "127.0.0.1:1",
      "127.0.0.1",
      `127.0.0.1.evil.example:${port}`,
    ]) {
      for (const path of ["/", "/events", "/page.js"])
        expect((await ask(path, { headers: { host, authorization } })).status, `${host} ${path}`).toBe(403);
    }
    for (const host of [`localhost:${port}`, `[::1]:${port}`])
      expect((await ask("/", { headers: { host, authorization } })).status, host).toBe(200);
  });

  test("does nothing for another page, another name, or without the key", async () => {
    const rig = await startPlaygroundRig();
    const { ask, origin, authorization, playground } = rig;
    const forged: readonly Readonly<Record<string, string>>[] = [
      { origin, ...JSON_TYPE },
      { origin, authorization: `${authorization}x`, ...JSON_TYPE },
      { authorization, ...JSON_TYPE },
      { authorization, origin: "null", ...JSON_TYPE },
      { authorization, origin: "http://evil.example", ...JSON_TYPE },
      { authorization, origin: "http://127.0.0.1:1", ...JSON_TYPE },
      { authorization, origin, host: "evil.example", ...JSON_TYPE },
      {
        authorization,
        origin: `http://evil.example:${playground.port}`,
        host: `evil.example:${playground.port}`,
        ...JSON_TYPE,
      },
    ];
    for (const headers of forged)
      expect(
        (await ask("/do/say", { method: "POST", headers, body: SAY })).status,
        JSON.stringify(headers),
      ).toBe(403);
    expect(
      (await ask("/do/say", { method: "PUT", headers: { authorization, origin }, body: SAY })).status,
    ).toBe(405);
    expect(await rig.updates()).toEqual([]);

    expect((await rig.act("say", { text: "the person" })).status).toBe(200);
    expect(await rig.updates()).toEqual(["the person"]);
  });

  test("says what is wrong with a body, and nothing of it reaches evie", async () => {
    const rig = await startPlaygroundRig();
    const { ask, act, origin, authorization } = rig;
    const post = (name: string, body: string, type = "application/json") =>
      ask(`/do/${name}`, { method: "POST", headers: { authorization, origin, "content-type": type }, body });

    expect((await post("say", "{")).status).toBe(400);
    expect((await post("say", "[]")).status).toBe(400);
    expect((await post("say", SAY, "text/plain")).status).toBe(415);
    expect((await act("say", { text: 7 })).status).toBe(400);
    expect((await act("say", { text: "  " })).status).toBe(400);
    expect((await act("say", { text: "hi", replyTo: "1" })).status).toBe(400);
    expect((await act("say", { text: "hi", replyTo: 99 })).status).toBe(409);
    expect((await act("edit", { id: 99, text: "hi" })).status).toBe(409);
    expect((await act("press", { id: 99, data: "x" })).status).toBe(409);
    expect((await act("trouble", { name: "war", on: true })).status).toBe(400);
    expect((await act("shout", {})).status).toBe(404);
    expect((await post("send", "no form", "multipart/form-data; boundary=x")).status).toBe(400);
    const refused = await act("say", { text: 7 });
    expect(JSON.parse(refused.body.toString())).toEqual({ error: { message: "“text” has to be a text." } });
    expect(await rig.updates()).toEqual([]);
  });

  test("takes a megabyte as the messages that Telegram makes of it, and refuses more", async () => {
    const rig = await startPlaygroundRig();
    const line = `${"ä".repeat(63)}\n`;
    expect((await rig.act("say", { text: line.repeat(2 ** 20 / 64 + 1) })).status).toBe(413);
    expect((await rig.act("say", { text: "x".repeat(7 * 2 ** 20) })).status).toBe(413);
    expect(await rig.updates()).toEqual([]);

    expect((await rig.act("say", { text: line.repeat(2 ** 20 / 64) })).status).toBe(200);
    const { value: first } = await rig.watch().next();
    expect(first?.type === "snapshot" && first.snapshot.messages.length).toBe(256);
  });

  test("gives pictures as pictures and everything else as a download", async () => {
    const { ask, bot, authorization, playground } = await startPlaygroundRig();
    const chat_id = playground.telegram.userId;
    const form = new FormData();
    form.set("chat_id", String(chat_id));
    form.set("document", new File(["<script>alert(1)</script>"], "it's a page.html", { type: "text/html" }));
    const { apiRoot, token } = playground.telegram;
    await fetch(`${apiRoot}/bot${token}/sendDocument`, { method: "POST", body: form });
    const file = await ask("/files/1", { headers: { authorization } });
    expect(file.headers["content-type"]).toBe("application/octet-stream");
    expect(file.headers["content-disposition"]).toBe("attachment; filename*=UTF-8''it%27s%20a%20page.html");
    expect(file.body.toString()).toContain("<script>");

    await bot("sendMessage", { chat_id, text: "no file" });
    expect((await ask("/files/2", { headers: { authorization } })).status).toBe(404);
    expect((await ask("/files/999", { headers: { authorization } })).status).toBe(404);
  });
});

test("the embedded Bot API refuses a name that was rebound to it, even with the token", async () => {
  const { playground, ask, bot } = await startPlaygroundRig();
  const { token, apiRoot } = playground.telegram;
  expect(await bot("getMe")).toMatchObject({ ok: true });
  const { hostname, port } = new URL(apiRoot);
  const { request } = await import("node:http");
  const status = await new Promise((resolve, reject) => {
    const headers = { host: `evil.example:${port}` };
    request({ hostname, port, path: `/bot${token}/getMe`, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(403);
  expect((await ask(`/bot${token}/getMe`)).status).toBe(403);
});
