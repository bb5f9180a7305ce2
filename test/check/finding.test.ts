import { describe, expect, test } from "vitest";
import { type Finding, findingLine, ok, problem, summaryLine, unknown } from "../../src/check/finding.ts";
import { agentFinding, clockFinding, diskFinding, peopleFinding } from "../../src/check/findings.ts";
import type { ProbedBot } from "../../src/telegram/probe.ts";

const plain = (_colour: string, text: string): string => text;

describe("a line", () => {
  test.each<{ finding: Finding; line: string }>([
    { finding: ok("bot", "Fine."), line: "<green>ok</>  bot        Fine." },
    { finding: problem("workspace", "Make it."), line: "<red>!!</>  workspace  Make it." },
    { finding: unknown("clock", "Not asked."), line: "<yellow>--</>  clock      Not asked." },
  ])("of $finding.about begins with a mark, which alone is coloured", ({ finding, line }) => {
    expect(findingLine(finding, (colour, text) => `<${colour}>${text}</>`)).toBe(line);
  });

  test("stays one line, whatever an agent said last", () => {
    expect(findingLine(problem("agent", "a\r\nb\u001b[31mc\u0000  d\n"), plain)).toBe(
      "!!  agent      a b [31mc d",
    );
  });
});

test.each([
  [[ok("a", ""), unknown("b", "")], "All is well."],
  [[ok("a", ""), problem("b", "")], "One thing is to be put right."],
  [[problem("a", ""), problem("b", "")], "2 things are to be put right."],
])("the summary of %j", (findings, words) => {
  expect(summaryLine(findings)).toBe(words);
});

describe("the clock", () => {
  const bot = (ahead: number | undefined): ProbedBot => ({
    type: "known",
    id: 1,
    username: "evie_bot",
    webhook: "",
    ahead,
  });

  test.each<{ ahead: number | undefined; state: Finding["state"]; words: string }>([
    { ahead: 0, state: "ok", words: "agrees" },
    { ahead: -30_000, state: "ok", words: "agrees" },
    { ahead: 30_000, state: "ok", words: "agrees" },
    { ahead: 31_000, state: "problem", words: "31 s ahead of" },
    { ahead: -3_600_000, state: "problem", words: "3600 s behind" },
    { ahead: undefined, state: "unknown", words: "Not compared" },
  ])("that is $ahead ms ahead is $state", ({ ahead, state, words }) => {
    expect(clockFinding(bot(ahead))).toMatchObject({ state, words: expect.stringContaining(words) });
  });

  test("is not known without an answer", () => {
    expect(clockFinding({ type: "failed", problem: "" }).state).toBe("unknown");
  });
});

test.each([
  [199_999_999, "problem", "Only 199 MB are free for /home. Make room"],
  [200_000_000, "ok", "200 MB are free for /home."],
])("%i free bytes are %s", (free, state, words) => {
  expect(diskFinding("/home", free)).toMatchObject({ state, words: expect.stringContaining(words) });
});

test.each([
  [[], undefined, "Nobody yet. evie prints a link"],
  [[1, 2], undefined, "Who may use it: 2 in EVIE_ALLOWED_USERS."],
  [[], 7, "Who may use it: the owner 7."],
  [[1], 7, "Who may use it: the owner 7 and 1 in EVIE_ALLOWED_USERS."],
])("of the allowed %j and the owner %s it says who may use it", (allowed, owner, words) => {
  expect(peopleFinding(allowed, owner)).toMatchObject({ state: "ok", words: expect.stringContaining(words) });
});

test.each([
  [undefined, undefined, "Install pi, or set EVIE_AGENT_COMMAND"],
  ["pi", { type: "failed", failure: { type: "start_timeout", seconds: 15 } }, "within 15 s"],
  ["pi", { type: "failed", failure: { type: "start_failed", exit: { code: 3 } } }, "exit code 3"],
  ["pi", { type: "ready", model: undefined }, "/login"],
] as const)("an agent started by %s that is %j is a problem, with what to do", (program, probed, words) => {
  expect(agentFinding(program, probed)).toMatchObject({
    state: "problem",
    words: expect.stringContaining(words),
  });
});
