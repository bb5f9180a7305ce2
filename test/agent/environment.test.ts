import { describe, expect, test } from "vitest";
import { agentEnvironment } from "../../src/agent/environment.ts";
import { settings } from "../../src/config/fields.ts";

const TOKEN = "12345:AAA-secret";

describe("the agent's environment", () => {
  test("is the parent's, with the keys of model providers, the proxies and the agent's own variables", () => {
    const proxies = { HTTPS_PROXY: "http://p:1", all_proxy: "socks5h://p:2", NO_PROXY: "internal" };
    const env = {
      ...proxies,
      HOME: "/home/me",
      ANTHROPIC_API_KEY: "k",
      PI_CODING_AGENT_DIR: "/x",
      EMPTY: "",
    };
    expect(agentEnvironment(env, [TOKEN])).toEqual(env);
  });

  test.each([
    ["the bot token", { TELEGRAM_BOT_TOKEN: "anything" }],
    [
      "where evie finds Telegram, and how much it logs",
      { TELEGRAM_API_ROOT: "http://x", LOG_LEVEL: "debug" },
    ],
    [
      "what systemd tells the service that evie is",
      { NOTIFY_SOCKET: "/run/n", JOURNAL_STREAM: "8:1", WATCHDOG_USEC: "1" },
    ],
    ["evie's own variables", { EVIE_HTTP_TOKEN: "a", EVIE_HOME: "/x", EVIE_: "b" }],
    ["a copy of a secret under another name", { MY_BOT: TOKEN }],
    ["a secret inside a longer value", { PROXY_URL: `https://api/bot${TOKEN}/x` }],
    ["a secret in an URL", { PROXY_URL: `https://api/?t=${encodeURIComponent(TOKEN)}` }],
    ["what npm says", { npm_config_registry: "r", npm_lifecycle_event: "start", NPM_TOKEN: "t" }],
    ["what npm sets beside", { npm_execpath: "/npm", INIT_CWD: "/p", NODE: "/usr/bin/node" }],
  ])("is without %s", (_what, env) => {
    expect(agentEnvironment({ ...env, HOME: "/home/me" }, [TOKEN, ""])).toEqual({ HOME: "/home/me" });
  });

  test("has the PATH that it had before npm put its folders in front", () => {
    const PATH =
      "/p/node_modules/.bin:/node_modules/.bin:/usr/lib/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:/usr/bin:/bin";
    expect(agentEnvironment({ PATH, npm_execpath: "/npm" }, [])).toEqual({ PATH: "/usr/bin:/bin" });
  });

  test("keeps such folders, and NODE, when they are the person's own", () => {
    const env = { PATH: "/p/node_modules/.bin:/usr/bin", NODE: "/opt/node", INIT_CWD: "/p" };
    expect(agentEnvironment(env, [])).toEqual(env);
  });

  test("is without every setting that evie knows", () => {
    const known = settings({ cwd: "/", homedir: "/", isFolder: () => true }).keyof().options;
    expect(known.length).toBeGreaterThan(8);
    const env = Object.fromEntries(known.map((name) => [name, "x"]));
    expect(agentEnvironment(env, [])).toEqual({});
  });

  test("leaves out what is not set", () => {
    expect(agentEnvironment({ A: undefined, B: "b" }, [])).toEqual({ B: "b" });
  });
});
