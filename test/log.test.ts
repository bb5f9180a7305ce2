import { PassThrough } from "node:stream";
import { Bot, BotError, Context, GrammyError, HttpError } from "grammy";
import { describe, expect, test } from "vitest";
import { createLog } from "../src/log.ts";
import type { LogOptions } from "../src/log.ts";

const TOKEN = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc";

async function startLog(options: Partial<LogOptions> = {}) {
  const stream = new PassThrough({ encoding: "utf8" });
  const log = await createLog({ level: "debug", secrets: [], stream, ...options });
  return { log, written: (): string => String(stream.read() ?? "") };
}

/** What grammY throws when the Bot API cannot be reached: made by grammY itself. */
async function networkError(): Promise<HttpError> {
  const bot = new Bot(TOKEN, { client: { apiRoot: "http://127.0.0.1:1" } });
  const error: unknown = await bot.api.getMe().catch((reason: unknown) => reason);
  if (!(error instanceof HttpError)) throw new Error("no network error");
  return error;
}

function refusal(): GrammyError {
  return new GrammyError(
    "Call to 'sendMessage' failed!",
    { ok: false, error_code: 400, description: "Bad Request: chat not found" },
    "sendMessage",
    { chat_id: 1, text: "what a person wrote" },
  );
}

/** What grammY makes of an error in a handler: it holds the update and, by its api, the token. */
function handlerError(error: unknown): BotError {
  const bot = new Bot(TOKEN);
  const update = { update_id: 1 };
  const me = { id: 1, is_bot: true, first_name: "b", username: "b" } as Context["me"];
  return new BotError(error, new Context(update, bot.api, me));
}

describe("a line of the log", () => {
  test("is JSON with level, time, fields and words", async () => {
    const { log, written } = await startLog();
    log.info({ port: 8080 }, "listening");
    expect(JSON.parse(written())).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      port: 8080,
      msg: "listening",
    });
  });

  test("is for eyes on a terminal", async () => {
    const { log, written } = await startLog({ pretty: true });
    log.warn({ port: 8080 }, "listening");
    expect(written()).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: listening\n {4}port: 8080\n$/);
  });

  test("is written before the call comes back, in both forms", async () => {
    for (const pretty of [true, false]) {
      const { log, written } = await startLog({ pretty });
      log.error({}, "the last words");
      expect(written()).toContain("the last words");
    }
  });

  test("comes only from its level on", async () => {
    const { log, written } = await startLog({ level: "warn" });
    log.debug({}, "a");
    log.info({}, "b");
    log.warn({}, "c");
    expect(written()).toMatch(/^[^\n]*"c"[^\n]*\n$/);
  });

  test("does not come at all from a silent log", async () => {
    const { log, written } = await startLog({ level: "silent" });
    log.error({}, "a");
    expect(written()).toBe("");
  });
});

describe("an error in the log", () => {
  test("is told by its harmless fields, its causes too", async () => {
    const { log, written } = await startLog();
    const root = Object.assign(new Error("refused"), { code: "ECONNREFUSED", secret: "x" });
    log.error({ err: new TypeError("fetch failed", { cause: root }) }, "no network");
    const { err } = JSON.parse(written());
    expect(err).toEqual({
      name: "TypeError",
      message: "fetch failed",
      stack: expect.stringContaining("log.test.ts"),
      cause: { name: "Error", message: "refused", code: "ECONNREFUSED", stack: expect.any(String) },
    });
  });

  test("of the Bot API tells method, code and description, not what a person wrote", async () => {
    const { log, written } = await startLog();
    log.error({ err: refusal(), also: [{ nested: refusal() }] }, "not sent");
    const line = written();
    expect(JSON.parse(line).err).toMatchObject({
      name: "GrammyError",
      method: "sendMessage",
      error_code: 400,
      description: "Bad Request: chat not found",
    });
    expect(line).not.toContain("what a person wrote");
  });

  test("that is its own cause ends", async () => {
    const { log, written } = await startLog();
    const error = new Error("round");
    error.cause = error;
    log.error({ err: error }, "and round");
    expect(JSON.parse(written()).err.cause.cause.message).toBe("round");
  });

  test("may be anything that was thrown", async () => {
    const { log, written } = await startLog();
    log.error({ err: "a text" }, "thrown");
    log.error({ err: undefined }, "thrown");
    log.error({ err: null }, "thrown");
    expect(written().trimEnd().split("\n")).toHaveLength(3);
  });
});

describe.each([true, false])("the token never reaches the log (for eyes: %s)", (pretty) => {
  test.each([
    ["an error of the network", async () => ({ err: await networkError() })],
    ["an error of a handler", async () => ({ err: handlerError(await networkError()) })],
    [
      "a cause far down",
      async () => ({ err: new Error("a", { cause: new Error("b", { cause: await networkError() }) }) }),
    ],
    [
      "an error's own message",
      async () => ({ err: new Error(`GET https://api.telegram.org/bot${TOKEN}/getMe`) }),
    ],
    ["a list", async () => ({ list: [[await networkError()], `bot${TOKEN}`] })],
    ["a name of a field", async () => ({ [TOKEN]: 1, deep: { [`x${TOKEN}`]: 2 } })],
    ["an address", async () => ({ url: `https://api.telegram.org/file/bot${TOKEN}/a.jpg` })],
    [
      "an encoded address",
      async () => ({ url: `x?token=${encodeURIComponent(TOKEN)}`, low: TOKEN.replace(":", "%3a") }),
    ],
    [
      "an object of a class",
      async () => ({ url: new URL(`https://x/bot${TOKEN}/`), api: { toJSON: () => TOKEN } }),
    ],
  ])("by %s", async (_name, fields) => {
    const { log, written } = await startLog({ pretty });
    log.error(await fields(), `with ${TOKEN}`);
    const line = written();
    expect(line).toContain("with <bot-token>");
    expect(line).not.toContain(TOKEN.slice(10));
  });
});

test("the secret of a claim link never reaches the log, wherever it stands", async () => {
  const { log, written } = await startLog({ pretty: false });
  const secret = `evie-claim-${"aB3_-".repeat(8)}xyz`;
  log.info({ text: `/start ${secret}`, [secret]: new URL(`https://t.me/evie_bot?start=${secret}`) }, secret);
  expect(written()).toContain("/start <claim-secret>");
  expect(written()).not.toContain("aB3_");
});

test("a key to the deck never reaches the log, wherever it stands", async () => {
  const { log, written } = await startLog({ pretty: false });
  const key = `evie-deck-${"aB3_-".repeat(8)}xyz`;
  log.info({ text: `http://127.0.0.1:3843/#key=${key}`, [key]: [key] }, `evie, ${key}`);
  expect(written()).toContain("#key=<deck-key>");
  expect(written()).not.toContain("aB3_");
});

test("grammY's error of the network does carry the token, so the tests above mean something", async () => {
  const { error } = await networkError();
  expect(JSON.stringify(error)).toContain(TOKEN);
});

test("a secret is taken out in each of its forms, the longer one whole", async () => {
  const { log, written } = await startLog({ secrets: ['p/a"ss', 'p/a"ss word', ""] });
  log.info({ one: 'p/a"ss', two: encodeURIComponent('p/a"ss word'), three: ['p/a"ss word!'] }, 'p/a"ss');
  expect(JSON.parse(written())).toMatchObject({
    one: "<secret>",
    two: "<secret>",
    three: ["<secret>!"],
    msg: "<secret>",
  });
});
