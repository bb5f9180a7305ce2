import { describe, expect, test } from "vitest";
import { helpText, parseCommandLine } from "../src/cli.ts";

describe("the command line", () => {
  test.each([
    ["", "run"],
    ["--", "run"],
    ["--help", "help"],
    ["-h", "help"],
    ["--version", "version"],
    ["-V", "version"],
    ["unclaim", "unclaim"],
    ["check", "check"],
    ["--version --help", "help"],
    ["--help --version", "help"],
  ])("evie %s is %s", (line, type) => {
    expect(parseCommandLine(line.split(" ").filter((word) => word !== ""))).toEqual({ type });
  });

  test.each([
    ["start", { type: "start" }],
    ["playground", { type: "playground" }],
    ["playground --port 4000", { type: "playground", port: 4_000 }],
    ["--port=4000 start --stand-in", { type: "start", port: 4_000, standIn: true }],
    ["playground --help", { type: "help" }],
  ])("evie %s knows what is wished", (line, command) => {
    expect(parseCommandLine(line.split(" "))).toEqual(command);
  });

  test.each([
    ["--halp", "--halp"],
    ["-x", "-x"],
    ["-hx", "-x"],
    ["--help=yes", "--help"],
    ["--no-help", "--no-help"],
    ["nonsense", '"nonsense"'],
    ["--help nonsense", '"nonsense"'],
    ["-- --help", '"--help"'],
    ["playground start", '"start"'],
    ["playground --port", "--port"],
    ["playground --port 0", "--port"],
    ["playground --port 65536", "--port"],
    ["playground --port 80a", "--port"],
    ["playground --stand-in=no", "--stand-in"],
    ["--port 4000", "--port"],
    ["check --stand-in", "--stand-in"],
    ["constructor", '"constructor"'],
    ["--__proto__", "--__proto__"],
  ])("evie %s is not understood, and the one line names what", (line, named) => {
    const command = parseCommandLine(line.split(" "));
    expect(command).toEqual({ type: "wrong", message: expect.stringContaining(named) });
    expect(command).toEqual({
      type: "wrong",
      message: expect.stringMatching(/^evie: [^\n]*evie --help[^\n]*$/),
    });
  });
});

describe("the help", () => {
  test("fits into 80 columns", () => {
    expect(Math.max(...helpText.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each([
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
  ])("names %s", (variable) => {
    expect(helpText).toContain(`  ${variable} `);
  });
});
