import { inspect } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configProblemWords, homeFolder, readConfig } from "../src/config.ts";
import type { Config } from "../src/config.ts";
import { Secret } from "../src/config/secret.ts";

const TOKEN = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc";
const surroundings = { cwd: "/work", homedir: "/home/ann" };
const folders = ["/work", "/home/ann/code"];

function read(env: Record<string, string>, envFile?: string) {
  return readConfig(env, { ...surroundings, envFile, isFolder: (path) => folders.includes(path) });
}

function good(env: Record<string, string>, envFile?: string): Config {
  const { config, problems } = read(env, envFile);
  if (config === undefined) throw new Error(configProblemWords(problems));
  return config;
}

function problemsOf(env: Record<string, string>, envFile?: string): Record<string, string> {
  const { problems = [] } = read(env, envFile);
  return Object.fromEntries(problems.map(({ variable, message }) => [variable, message]));
}

describe("what is not said has a default", () => {
  test("of everything", () => {
    expect(good({})).toEqual({
      home: "/home/ann/.evie",
      workspace: "/work",
      httpPorts: [3_843, 3_844, 3_845, 3_846, 3_847, 3_848, 3_849, 3_850, 3_851, 3_852, 0],
      httpAddress: "127.0.0.1",
      httpNames: [],
      logLevel: "info",
      env: {},
    });
  });

  test("and an empty value says nothing", () => {
    const empty = Object.fromEntries(
      [
        "TELEGRAM_BOT_TOKEN",
        "TELEGRAM_API_ROOT",
        "EVIE_ALLOWED_USERS",
        "EVIE_HOME",
        "EVIE_WORKSPACE",
        "EVIE_AGENT_COMMAND",
        "EVIE_MAX_AGENTS",
        "EVIE_KEEP_DAYS",
        "EVIE_HTTP_PORT",
        "EVIE_HTTP_ADDRESS",
        "EVIE_HTTP_TOKEN",
        "EVIE_HTTP_NAMES",
        "LOG_LEVEL",
      ].map((name) => [name, " "]),
    );
    expect({ ...good(empty), env: {} }).toEqual(good({}));
  });
});

test.each([
  ["a byte order mark", "\ufeffLOG_LEVEL=debug\nEVIE_ALLOWED_USERS=7\n"],
  ["lines that end as on Windows", "LOG_LEVEL=debug\r\nEVIE_ALLOWED_USERS=7\r\n"],
  ["lines that end as on an old Mac", "LOG_LEVEL=debug\rEVIE_ALLOWED_USERS=7"],
])("a .env with %s is read like any other", (_, envFile) => {
  const { logLevel, telegram, env } = good({ TELEGRAM_BOT_TOKEN: TOKEN }, envFile);
  expect([logLevel, telegram?.allowedUsers]).toEqual(["debug", [7]]);
  expect(env).toEqual({ LOG_LEVEL: "debug", EVIE_ALLOWED_USERS: "7" });
});

describe("the bot", () => {
  test("has a token and those who may use it", () => {
    const { telegram } = good({ TELEGRAM_BOT_TOKEN: ` ${TOKEN}\n`, EVIE_ALLOWED_USERS: "7, 8\n9,,7" });
    expect(telegram?.token.reveal()).toBe(TOKEN);
    expect(telegram?.allowedUsers).toEqual([7, 8, 9]);
    expect(telegram?.apiRoot).toBe("https://api.telegram.org");
  });

  test.each([{}, { EVIE_ALLOWED_USERS: " " }, { EVIE_ALLOWED_USERS: ",," }])(
    "with a token and %j it starts and waits to be claimed",
    (users) => {
      expect(good({ TELEGRAM_BOT_TOKEN: TOKEN, ...users }).telegram?.allowedUsers).toEqual([]);
    },
  );

  test.each(["abc", "123456789", ":AAE", "12 34:abc", "123456789:", "bot123456789:AAEhBOweik6ad9r_QXMEN"])(
    "%j is no token, and the message does not repeat it",
    (token) => {
      const message = problemsOf({ TELEGRAM_BOT_TOKEN: token, EVIE_ALLOWED_USERS: "7" })[
        "TELEGRAM_BOT_TOKEN"
      ];
      expect(message).toContain("@BotFather");
      expect(message).not.toMatch(/\d|AAE|abc/);
    },
  );

  test.each([
    ["@ann", /names can change hands/],
    ["ann", /names can change hands/],
    ["-100123", /group/],
    ["0", /no Telegram user id/],
    ["1.5", /no Telegram user id/],
    ["99999999999999999999", /no Telegram user id/],
  ])("%j is no user", (user, message) => {
    expect(problemsOf({ EVIE_ALLOWED_USERS: `7 ${user}` })["EVIE_ALLOWED_USERS"]).toMatch(message);
  });

  test.each([
    ["30", 30],
    ["0", Number.POSITIVE_INFINITY],
  ])("what nobody uses is kept for %s days, of which 0 are for ever", (text, days) => {
    expect(good({ EVIE_KEEP_DAYS: text }).keepDays).toBe(days);
  });

  test.each(["-1", "1.5", "ninety", "123456"])("%j is no number of days", (text) => {
    expect(problemsOf({ EVIE_KEEP_DAYS: text })["EVIE_KEEP_DAYS"]).toMatch(/number of days .* 0 for ever/);
  });

  test.each([
    ["http://localhost:8081/", "http://localhost:8081"],
    ["https://example.org/bots//", "https://example.org/bots"],
  ])("may be reached at %s", (root, apiRoot) => {
    const env = { TELEGRAM_BOT_TOKEN: TOKEN, EVIE_ALLOWED_USERS: "7", TELEGRAM_API_ROOT: root };
    expect(good(env).telegram?.apiRoot).toBe(apiRoot);
  });

  test.each([
    "localhost:8081",
    "ftp://example.org",
    "https://a:b@example.org",
    "https://example.org?x",
    "nowhere",
  ])("cannot be reached at %s", (root) => {
    expect(problemsOf({ TELEGRAM_API_ROOT: root })).toHaveProperty("TELEGRAM_API_ROOT");
  });
});

describe("folders", () => {
  test.each([
    ["~", "/home/ann"],
    ["~/state", "/home/ann/state"],
    ["~bob", "/work/~bob"],
    ["state", "/work/state"],
    ["/var/evie/", "/var/evie"],
  ])("EVIE_HOME=%s is %s", (value, home) => {
    expect(homeFolder({ EVIE_HOME: value }, surroundings)).toBe(home);
    expect(good({ EVIE_HOME: value }).home).toBe(home);
  });

  test("a dollar sign in the home folder's name is only a dollar sign", () => {
    expect(homeFolder({ EVIE_HOME: "~/x" }, { cwd: "/", homedir: "/home/$&" })).toBe("/home/$&/x");
  });

  test("the workspace must be there", () => {
    expect(good({ EVIE_WORKSPACE: "~/code" }).workspace).toBe("/home/ann/code");
    expect(problemsOf({ EVIE_WORKSPACE: "cod" })["EVIE_WORKSPACE"]).toContain("/work/cod");
  });
});

describe("the agent's command", () => {
  test.each([
    ["pi", ["pi"]],
    [String.raw`  node  /opt/my\ pi.js --x=1 `, ["node", "/opt/my pi.js", "--x=1"]],
    [`"/opt/my pi/pi" --model 'a "b" c' ""`, ["/opt/my pi/pi", "--model", 'a "b" c', ""]],
    ["~/bin/pi ~/x", ["/home/ann/bin/pi", "~/x"]],
    [String.raw`/opt/my\ agent/pi "say \"hi\""`, ["/opt/my agent/pi", 'say "hi"']],
  ])("%s is split into words", (command, words) => {
    expect(good({ EVIE_AGENT_COMMAND: command }).agentCommand).toEqual(words);
  });

  test.each(['pi "x', "pi 'x", `pi "it's" '`, `"`, `'a" b`])("%s has an open quote", (command) => {
    expect(problemsOf({ EVIE_AGENT_COMMAND: command })["EVIE_AGENT_COMMAND"]).toContain("quote");
  });

  test("begins with a program", () => {
    expect(problemsOf({ EVIE_AGENT_COMMAND: '"" pi' })["EVIE_AGENT_COMMAND"]).toContain("program");
  });
});

describe("small settings", () => {
  test.each(["1", "8080", "65535"])("%s is a port, and no other is taken", (port) => {
    expect(good({ EVIE_HTTP_PORT: port }).httpPorts).toEqual([Number(port)]);
  });

  test("without a port it is 3843, or one near it, or any; with 0 there is none", () => {
    const { httpPorts } = good({});
    expect([httpPorts[0], httpPorts[1], httpPorts.at(-1)]).toEqual([3_843, 3_844, 0]);
    expect(good({ EVIE_HTTP_PORT: "0" }).httpPorts).toEqual([]);
  });

  test.each(["65536", "-1", "80.5", "http", "0x50", "1e3", "999999"])("%s is no port", (port) => {
    expect(problemsOf({ EVIE_HTTP_PORT: port })["EVIE_HTTP_PORT"]).toContain("65535");
  });

  test("the address to listen on is this machine's own, or it needs a token", () => {
    const token = "0123456789abcdef0123456789abcdef";
    expect(good({ EVIE_HTTP_ADDRESS: "::1" }).httpAddress).toBe("::1");
    expect(problemsOf({ EVIE_HTTP_ADDRESS: "0.0.0.0" })["EVIE_HTTP_TOKEN"]).toContain("token of your own");
    expect(problemsOf({ EVIE_HTTP_ADDRESS: "localhost" })["EVIE_HTTP_ADDRESS"]).toContain("no IP address");
    const { httpAddress, httpToken } = good({ EVIE_HTTP_ADDRESS: "0.0.0.0", EVIE_HTTP_TOKEN: token });
    expect([httpAddress, httpToken?.reveal()]).toEqual(["0.0.0.0", token]);
    expect(problemsOf({ EVIE_HTTP_TOKEN: "short" })["EVIE_HTTP_TOKEN"]).toContain("32");
  });

  test("names are hosts, with a port where that is another", () => {
    expect(good({ EVIE_HTTP_NAMES: "evie.example, evie.example:8443" }).httpNames).toEqual([
      "evie.example",
      "evie.example:8443",
    ]);
    expect(problemsOf({ EVIE_HTTP_NAMES: "https://evie.example" })["EVIE_HTTP_NAMES"]).toContain(
      "no host name",
    );
  });

  test("the log's level is one of pino's, in any case", () => {
    expect(good({ LOG_LEVEL: "Debug" }).logLevel).toBe("debug");
    expect(problemsOf({ LOG_LEVEL: "loud" })["LOG_LEVEL"]).toContain("silent");
  });
});

describe("the file .env", () => {
  test("adds to the environment, which wins", () => {
    const file = `EVIE_HTTP_PORT=1000\nLOG_LEVEL=debug # a comment\nOPENAI_API_KEY="abc"\n`;
    const config = good({ LOG_LEVEL: "error", PATH: "/bin" }, file);
    expect(config).toMatchObject({ httpPorts: [1000], logLevel: "error" });
    expect(config.env).toEqual({
      PATH: "/bin",
      LOG_LEVEL: "error",
      EVIE_HTTP_PORT: "1000",
      OPENAI_API_KEY: "abc",
    });
  });

  test("steps in where the environment has an empty value", () => {
    expect(good({ EVIE_HTTP_PORT: "" }, "EVIE_HTTP_PORT=1000").httpPorts).toEqual([1000]);
  });

  test("may hold the token, which reaches nobody by way of the environment", () => {
    const config = good({ EVIE_ALLOWED_USERS: "7" }, `TELEGRAM_BOT_TOKEN=${TOKEN}`);
    expect(config.telegram?.token.reveal()).toBe(TOKEN);
    expect(config.env).toEqual({ EVIE_ALLOWED_USERS: "7" });
  });

  test("cannot move the folder that it lies in, and says so", () => {
    const { config, warnings } = read({}, "EVIE_HOME=/elsewhere");
    expect(config?.home).toBe("/home/ann/.evie");
    expect(warnings).toEqual([expect.stringContaining("EVIE_HOME")]);
  });
});

test("every problem is told at once, a line each", () => {
  const env = {
    TELEGRAM_BOT_TOKEN: "x",
    TELEGRAM_API_ROOT: "y",
    EVIE_WORKSPACE: "/nowhere",
    EVIE_AGENT_COMMAND: "'",
    EVIE_HTTP_PORT: "z",
    LOG_LEVEL: "loud",
  };
  expect(Object.keys(problemsOf(env)).sort()).toEqual(Object.keys(env).sort());
  const { problems = [] } = read(env);
  expect(configProblemWords(problems).split("\n")).toHaveLength(7);
});

test("a name that evie does not know is a warning, wherever it stands", () => {
  const { config, warnings } = read({ EVIE_WORKSPCE: "/x", OTHER: "y" }, "EVIE_HOM=1");
  expect(config).toBeDefined();
  expect(warnings).toEqual([
    expect.stringMatching(/^EVIE_WORKSPCE .*EVIE_WORKSPACE/),
    expect.stringContaining("EVIE_HOM is"),
  ]);
});

test("a configuration that is printed in any way does not show the token", () => {
  const config = good({ TELEGRAM_BOT_TOKEN: TOKEN, EVIE_ALLOWED_USERS: "7" });
  const printed = [
    inspect(config, { depth: 9, showHidden: true }),
    JSON.stringify(config),
    String(config.telegram?.token),
  ];
  expect(printed.join()).not.toContain(TOKEN.slice(10));
  expect(new Secret("a").toString()).toBe("<secret>");
});

test("no problem ever repeats a token, however it is spoiled", () => {
  const spoiled = fc.tuple(fc.string(), fc.string()).map(([before, after]) => `${before}${TOKEN}${after}`);
  fc.assert(
    fc.property(spoiled, (token) => {
      const { problems = [], warnings } = read({ TELEGRAM_BOT_TOKEN: token });
      expect(`${configProblemWords(problems)}${warnings.join("")}`).not.toContain(TOKEN);
    }),
  );
});
