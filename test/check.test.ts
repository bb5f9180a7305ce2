import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock } from "../src/clock.ts";
import { prepareHome } from "../src/home.ts";
import type { BotApi } from "../src/playground/bot-api/bot-api.ts";
import { startBotApi } from "../src/playground/bot-api/start.ts";
import { startStandInModel } from "../src/playground/stand-in-model.ts";
import { writeAgentFolder } from "../src/playground/stand-in-model/agent-folder.ts";
import { openStore } from "../src/store/store.ts";
import type { FakeProcess } from "./fakes/fake-agent/script.ts";
import { FAKE_AGENT, startEvie } from "./running-evie.ts";

/*
 * `evie check` as a process: on an embedded Bot API, or on what is none, with agents that start and that do not.
 */

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

let folder: string;
let home: string;
let workspace: string;
let api: BotApi;
/** Nobody listens there any more. */
let closed: { readonly root: string };

beforeEach(async () => {
  await using gone = await serve(() => undefined);
  closed = { root: gone.root };
  folder = await mkdtemp(join(tmpdir(), "evie-check-"));
  home = join(folder, "home");
  workspace = join(folder, "workspace");
  await mkdir(workspace);
  api = await startBotApi({ clock: realClock });
});

afterEach(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const agent = (behaviour: FakeProcess): string =>
  `'${process.execPath}' '${FAKE_AGENT}' --fake '${JSON.stringify(behaviour)}'`;

interface Checked {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What a line says, with its mark: `ok It is sound.` */
  readonly of: (about: string) => string | undefined;
}

function check(env: Readonly<Record<string, string>> = {}): Promise<Checked> {
  const whole = {
    PATH: process.env["PATH"],
    HOME: folder,
    TELEGRAM_BOT_TOKEN: api.token,
    TELEGRAM_API_ROOT: api.root,
    EVIE_ALLOWED_USERS: "1,2",
    EVIE_HOME: home,
    EVIE_AGENT_COMMAND: agent({ model: "fake-1" }),
    ...env,
  };
  return new Promise((resolve) => {
    const options = { env: whole, cwd: workspace };
    const child = execFile(process.execPath, [MAIN, "check"], options, (_error, stdout, stderr) => {
      const lines = stdout.split("\n").map((line) => /^(ok|!!|--) {2}(\w+) +(.*)$/.exec(line));
      const of = (about: string): string | undefined => {
        const [, mark, , words] = lines.find((line) => line?.[2] === about) ?? [];
        return mark === undefined ? undefined : `${mark} ${words}`;
      };
      resolve({ code: child.exitCode, stdout, stderr, of });
    });
  });
}

async function serve(answer: RequestListener): Promise<{ readonly root: string } & AsyncDisposable> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    root: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("when all is well", () => {
  test("each line says so, without colours, and the code is 0", async () => {
    const { code, stdout, stderr } = await check();
    expect(stdout.split("\n")).toEqual([
      "ok  settings   From the environment.",
      `ok  bot        Telegram knows it as @evie_bot (${api.bot.id}).`,
      "ok  webhook    None is set.",
      "ok  clock      It agrees with Telegram's.",
      expect.stringMatching(/^ok {2}agent {6}It starts, and asks fake-1 \(.*fake-agent\.ts/),
      `ok  workspace  ${workspace} can be written.`,
      `ok  home       ${home} is not there yet; the first start makes it evie's own.`,
      "ok  store      There is none yet; the first start makes it.",
      "ok  people     Who may use it: 2 in EVIE_ALLOWED_USERS.",
      expect.stringMatching(/^ok {2}disk {7}\d+ MB are free for /),
      "",
      "All is well.",
      "",
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("the real pi is found, started, and names its model", async () => {
    const model = await startStandInModel();
    const settings = join(folder, "agent");
    await writeAgentFolder(settings, model.baseUrl);
    const pi = { PI_CODING_AGENT_DIR: settings, PI_OFFLINE: "1", PI_TELEMETRY: "0" };
    const { code, of } = await check({ EVIE_AGENT_COMMAND: "", ...pi });
    await model.close();
    expect(of("agent")).toMatch(/^ok It starts, and asks Stand-in /);
    expect(code).toBe(0);
  });

  test("a proxy that is set is told, without its password: used, not used, or not to be used", async () => {
    const proxy = "http://me:s3cret@127.0.0.1:9";
    const plain = await check({ ALL_PROXY: proxy });
    expect(plain.of("proxy")).toMatch(
      /^ok ALL_PROXY is not used: the Bot API server is asked over plain http, at 127\.0\.0\.1:\d+\.$/,
    );
    expect(plain.of("bot")).toMatch(/^ok /);
    expect(plain.code).toBe(0);
    const used = await check({ HTTPS_PROXY: proxy, TELEGRAM_API_ROOT: "https://telegram.test" });
    expect(used.of("proxy")).toBe("ok Telegram is reached through HTTPS_PROXY (http://127.0.0.1:9).");
    expect(used.of("bot")).toMatch(/^!! telegram\.test cannot be reached/);
    const wrong = await check({ HTTPS_PROXY: "not an address", TELEGRAM_API_ROOT: "https://127.0.0.1:9" });
    expect(wrong.of("proxy")).toMatch(/^!! HTTPS_PROXY cannot be used.*\. Write it as/);
    expect(wrong.code).toBe(1);
    for (const { stdout } of [plain, used, wrong]) expect(stdout).not.toContain("s3cret");
  });

  test("it may be asked while evie runs, and disturbs nothing", async () => {
    await using evie = await startEvie({
      env: { EVIE_AGENT_COMMAND: agent({ model: "fake-1" }), EVIE_HOME: home },
    });
    const anna = evie.visitor();
    await anna.say("before");
    await anna.hears(({ text }) => text === "Echo: before", "an answer");
    const { code, of } = await check({
      TELEGRAM_API_ROOT: evie.api.root,
      TELEGRAM_BOT_TOKEN: evie.api.token,
    });
    expect(of("home")).toMatch(new RegExp(`^ok .*an evie runs on it \\(process ${evie.process.pid}\\)`));
    expect(of("store")).toBe("ok It is sound.");
    expect(code).toBe(0);
    await anna.say("after");
    await anna.hears(({ text }) => text === "Echo: after", "another answer");
  });

  test("it tells who the owner is, and where nobody is allowed, how the bot is claimed", async () => {
    const nobody = await check({ EVIE_ALLOWED_USERS: "" });
    expect(nobody.of("people")).toMatch(/^ok Nobody yet\. evie prints a link/);
    const { store } = openStore(prepareHome(home).database, realClock);
    store.owner.own(4_711, 0);
    store.close();
    const owned = await check({ EVIE_ALLOWED_USERS: "" });
    expect(owned.of("people")).toBe("ok Who may use it: the owner 4711.");
    expect([nobody.code, owned.code]).toEqual([0, 0]);
  });
});

describe("what is wrong is told in its line, with what to do, and the code is 1:", () => {
  test.each<{ what: string; env: () => Readonly<Record<string, string>>; about: string; says: RegExp }>([
    {
      what: "no token",
      env: () => ({ TELEGRAM_BOT_TOKEN: "" }),
      about: "bot",
      says: /^!! There is no token\. Get one from @BotFather, .*\.env\.$/,
    },
    {
      what: "a token that Telegram does not know",
      env: () => ({ TELEGRAM_BOT_TOKEN: `${api.bot.id}:AAnobodyKnowsThisOneAtAllReally` }),
      about: "bot",
      says: /^!! Telegram does not accept TELEGRAM_BOT_TOKEN\. Copy it again from @BotFather/,
    },
    {
      what: "a server that cannot be reached",
      env: () => ({ TELEGRAM_API_ROOT: closed.root }),
      about: "bot",
      says: /^!! 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. See that this machine is online/,
    },
    {
      what: "an agent that is not there",
      env: () => ({ EVIE_AGENT_COMMAND: "/nowhere/pi --fast" }),
      about: "agent",
      says: /^!! The agent was not found \(\/nowhere\/pi --fast\)\. Install pi, or set EVIE_AGENT_COMMAND/,
    },
    {
      what: "an agent that does not start",
      env: () => ({ EVIE_AGENT_COMMAND: agent({ exit: { code: 3, stderr: "no such flag\n" } }) }),
      about: "agent",
      says: /^!! It does not start \(exit code 3: no such flag\)\. Run it once by hand/,
    },
    {
      what: "an agent without a model",
      env: () => ({ EVIE_AGENT_COMMAND: agent({}) }),
      about: "agent",
      says: /^!! It starts, and has no model .*\/login/,
    },
    {
      what: "a workspace that is not there",
      env: () => ({ EVIE_WORKSPACE: "/nowhere" }),
      about: "settings",
      says: /^!! EVIE_WORKSPACE: There is no folder \/nowhere\. Make it/,
    },
    {
      what: "a workspace that cannot be written",
      env: () => ({ EVIE_WORKSPACE: "/proc" }),
      about: "workspace",
      says: /^!! \/proc cannot be written \(\w+\)\. Give it to the user evie runs as/,
    },
    {
      what: "a home that is no folder",
      env: () => ({ EVIE_HOME: process.execPath }),
      about: "home",
      says: /^!! EVIE_HOME \(.*\) cannot be used: .* Make it a folder of your own/,
    },
  ])("$what", async ({ env, about, says }) => {
    const { code, of, stdout, stderr } = await check(env());
    expect(of(about)).toMatch(says);
    expect(stdout.trimEnd().endsWith("One thing is to be put right.")).toBe(true);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  test("a store that is damaged, and one that a newer evie wrote", async () => {
    await mkdir(home);
    const file = join(home, "evie.db");
    await writeFile(file, "this was a database once".repeat(100));
    const damaged = await check();
    expect(damaged.of("store")).toMatch(/^!! .*evie\.db is damaged \(.*\)\. Put a copy back/);
    await rm(file);
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 999");
    database.close();
    const newer = await check();
    expect(newer.of("store")).toMatch(/^!! A newer evie wrote it \(schema 999\)\. Update evie/);
    expect([damaged.code, newer.code]).toEqual([1, 1]);
  });

  test("settings that cannot be read", async () => {
    await mkdir(join(home, ".env"), { recursive: true });
    const { code, of } = await check();
    expect(of("settings")).toMatch(/^!! .*\.env cannot be read \(EISDIR\)/);
    expect(of("agent")).toBe("-- Not looked at: the settings come first.");
    expect(code).toBe(1);
  });

  test("a server that is not Telegram's", async () => {
    await using proxy = await serve((_request, response) =>
      response.writeHead(502).end("<h1>Bad gateway</h1>"),
    );
    const { code, of } = await check({ TELEGRAM_API_ROOT: proxy.root });
    expect(of("bot")).toMatch(
      /^!! 127\.0\.0\.1:\d+ answered, with status 502, but not as Telegram does\. .*TELEGRAM_API_ROOT/,
    );
    expect(of("webhook")).toMatch(/^-- Not known/);
    expect(of("clock")).toMatch(/^-- Not compared/);
    expect(code).toBe(1);
  });

  test("a clock that is a day ahead; a webhook is told without its path", async () => {
    await using telegram = await serve((request, response) => {
      const isHook = request.url?.endsWith("/getWebhookInfo");
      const result = isHook ? { url: "https://else.example/hook/s3cret" } : { id: 5, username: "evie_bot" };
      response.writeHead(200, { date: new Date(Date.now() - 86_400_000).toUTCString() });
      response.end(JSON.stringify({ ok: true, result }));
    });
    const { code, of, stdout } = await check({ TELEGRAM_API_ROOT: telegram.root });
    expect(of("clock")).toMatch(/^!! It is 8640\d s ahead of Telegram's\. Set it/);
    expect(of("webhook")).toMatch(/^ok One is set, to else\.example\. evie removes it/);
    expect(stdout).not.toContain("s3cret");
    expect(code).toBe(1);
  });
});

test.each<[string, (token: string) => string]>([
  ["as it is", (token) => token],
  ["URL-encoded", (token) => encodeURIComponent(token)],
  ["encoded twice", (token) => encodeURIComponent(encodeURIComponent(token))],
  ["encoded for HTML", (token) => token.replace(":", "&#58;")],
  ["its secret alone", (token) => token.split(":")[1] ?? ""],
])("it repeats no token that a server sends back: %s", async (_how, form) => {
  const words = form(api.token);
  api.faults.calls({ kind: "error", code: 400, description: `Bad Request: /bot${words}/getMe`, times: 20 });
  const { stdout, stderr, of } = await check({ EVIE_AGENT_COMMAND: agent({ model: "fake-1" }) });
  expect(of("bot")).toMatch(/^!! .*Bad Request: /);
  expect(`${stdout}${stderr}`).not.toContain(api.token.split(":")[1]);
});

test("it ends in time when neither Telegram nor the agent answers, and shows no token", async () => {
  await using silent = await serve(() => undefined);
  const before = performance.now();
  const { code, of, stdout, stderr } = await check({
    TELEGRAM_API_ROOT: silent.root,
    EVIE_AGENT_COMMAND: agent({ neverReady: true, ignoreTerm: true, ignoreEof: true }),
  });
  expect(performance.now() - before).toBeLessThan(25_000);
  expect(of("bot")).toMatch(/^!! 127\.0\.0\.1:\d+ did not answer within 10 s\./);
  expect(of("agent")).toMatch(
    /^!! The agent did not answer within 15 s of its start and was ended\. Run it once by hand/,
  );
  expect(code).toBe(1);
  expect(stdout + stderr).not.toContain(api.token.slice(12));
}, 40_000);
