import { expect, test } from "vitest";
import type { Agent, AgentRun, RunEnd } from "../../src/domain/agent.ts";
import type { TurnId } from "../../src/domain/ids.ts";
import type { KeptDraft, PromptDraft } from "../../src/domain/prompt.ts";
import { createTurnRunner, type RunnerLedger } from "../../src/session/turn-runner.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

/** A runner whose agent is worked by hand, and everything that is written down and handed over, in one order. */
function setUp() {
  const steps: string[] = [];
  const names = new Map<TurnId, string>();
  const name = (id: TurnId): string => names.get(id) ?? names.set(id, `turn${names.size + 1}`).get(id) ?? "";
  const state = { broken: undefined as string | undefined };
  const note = (step: string): void => {
    if (state.broken !== undefined && step.includes(state.broken)) throw new Error("the disk is full");
    steps.push(step);
  };
  /** What was kept last of each turn. */
  const kept = new Map<string, readonly KeptDraft[] | undefined>();
  const ledger: RunnerLedger = {
    flushed: ({ id, sources, prompt }, instead) => {
      note(
        `${name(id)} flushed ${sources.join()}${instead === undefined ? "" : ` instead of ${name(instead)}`}`,
      );
      kept.set(name(id), prompt);
    },
    handed: (id) => note(`${name(id)} handed`),
    accepted: (id) => note(`${name(id)} accepted`),
    ending: (id, reason) => note(`${name(id)} ending ${reason}`),
    ended: (id, outcome) => note(`${name(id)} ended ${outcome.type}`),
  };
  const runs: { accept: (accepted: boolean) => void; end: (end: RunEnd) => void }[] = [];
  const agent: Agent = {
    ready: Promise.resolve(undefined),
    gone: new Promise(() => undefined),
    run({ text }): AgentRun {
      steps.push(`agent gets ${text}`);
      const accepted = Promise.withResolvers<boolean>();
      const ended = Promise.withResolvers<RunEnd>();
      runs.push({ accept: accepted.resolve, end: ended.resolve });
      return { accepted: accepted.promise, ended: ended.promise };
    },
    abort: () => undefined,
    answer: () => undefined,
    dismiss: () => Promise.resolve(),
  };
  const faults: unknown[] = [];
  const runner = createTurnRunner({
    agent: () => Promise.resolve(agent),
    ledger,
    emit: (event) => steps.push(event.type),
    fault: (error) => faults.push(error),
  });
  const { settle } = createFakeClock();
  const say = (text: string, ...sources: readonly number[]) => {
    const draft: PromptDraft = {
      sources,
      ready: Promise.resolve({ text, images: [], files: [] }),
      release: () => undefined,
    };
    return runner.run(draft, "telegram");
  };
  /** A prompt of the deck's. */
  const draft = (text: string): PromptDraft => ({
    whole: { text, images: [] },
    ready: Promise.resolve({ text, images: [], files: [] }),
    release: () => undefined,
  });
  const post = (text: string) => runner.run(draft(text), "deck");
  const wait = (text: string) => runner.enqueue([draft(text)], "deck");
  return { steps, state, runs, runner, faults, kept, settle, say, post, wait };
}

test("a turn is written down before it begins, before the agent hears of it, when it took it, and before its end is told", async () => {
  const { steps, runs, settle, say } = setUp();
  const turn = say("hello", 1, 2);
  await settle();
  runs[0]?.accept(true);
  runs[0]?.end({ type: "done" });
  await turn.ended;
  expect(await turn.accepted).toBe(true);
  expect(steps).toEqual([
    "turn1 flushed 1,2",
    "agent_start",
    "turn1 handed",
    "agent gets hello",
    "turn1 accepted",
    "turn1 ended done",
    "agent_end",
  ]);
});

test("what was superseded leaves its updates to its successor, whoever had begun", async () => {
  const { steps, runs, settle, say } = setUp();
  const first = say("first", 1);
  await settle();
  const second = say("second", 2);
  say("third", 3);
  expect(await second.accepted).toBe(false);
  runs[0]?.accept(false);
  runs[0]?.end({ type: "aborted" });
  expect(await first.accepted).toBe(false);
  await settle();
  expect(steps.filter((step) => step.includes("flushed"))).toEqual([
    "turn1 flushed 1",
    "turn2 flushed 2",
    "turn3 flushed 2,3 instead of turn2",
    "turn3 flushed 1,2,3 instead of turn1",
  ]);
  expect(steps.at(-1)).toBe("agent gets first\n\nsecond\n\nthird");
});

const whole = (text: string) => ({ text, images: [] });

test("what is made of updates is kept by their numbers, anything else whole", () => {
  const { kept, say, wait } = setUp();
  say("from a chat", 1, 2);
  wait("from the deck");
  expect([...kept]).toEqual([
    ["turn1", undefined],
    ["turn2", [whole("from the deck")]],
  ]);
});

test("a chat's prompt that replaces the deck's keeps both, in order, whoever had begun", async () => {
  const { steps, kept, runs, settle, say, post } = setUp();
  post("one");
  await settle();
  post("two");
  say("three", 3);
  expect(kept.get("turn3")).toEqual([whole("two"), { sources: [3] }]);
  runs[0]?.accept(false);
  runs[0]?.end({ type: "aborted" });
  await settle();
  expect(kept.get("turn3")).toEqual([whole("one"), whole("two"), { sources: [3] }]);
  expect(steps).toContain("turn3 flushed 3 instead of turn1");
  expect(steps.at(-1)).toBe("agent gets one\n\ntwo\n\nthree");
});

test("the deck's prompt that replaces a chat's keeps both, in order, and not what was accepted", async () => {
  const { kept, runs, settle, say, post } = setUp();
  say("one", 1);
  await settle();
  runs[0]?.accept(true);
  await settle();
  say("two", 2);
  post("three");
  expect(kept.get("turn3")).toEqual([{ sources: [2] }, whole("three")]);
  runs[0]?.end({ type: "aborted" });
  await settle();
  expect(kept.get("turn3")).toEqual([{ sources: [2] }, whole("three")]);
});

test("one that waited and is let in now takes what it supersedes in front of it", async () => {
  const { kept, runs, settle, say, wait, runner } = setUp();
  say("one", 1);
  await settle();
  const next = wait("two");
  runner.promote(next.id);
  runs[0]?.accept(false);
  runs[0]?.end({ type: "aborted" });
  await settle();
  expect(kept.get("turn2")).toEqual([{ sources: [1] }, whole("two")]);
});

test("what was accepted is not carried on, and its end says why", async () => {
  const { steps, runs, settle, say } = setUp();
  say("first", 1);
  await settle();
  runs[0]?.accept(true);
  await settle();
  say("second", 2);
  runs[0]?.end({ type: "aborted" });
  await settle();
  expect(steps.slice(5, 8)).toEqual(["turn2 flushed 2", "turn1 ending replaced", "turn1 ended replaced"]);
});

test("a stop is written down at once for what runs and for what waits", async () => {
  const { steps, settle, say, runner } = setUp();
  say("first", 1);
  await settle();
  say("second", 2);
  steps.splice(0);
  runner.stop();
  expect(steps).toEqual(["turn2 ended stopped", "turn1 ending stopped"]);
});

test("when evie ends, what is not answered is left as it is for the next start", async () => {
  const { steps, runs, settle, say, runner } = setUp();
  const first = say("first", 1);
  await settle();
  runs[0]?.accept(true);
  await settle();
  say("second", 2);
  steps.splice(0);
  runner.stop({ leaving: true });
  runs[0]?.end({ type: "aborted" });
  expect(await first.ended).toEqual({ type: "stopped" });
  expect(steps).toEqual(["agent_end"]);
});

test("an answer that is whole when evie ends is written down", async () => {
  const { steps, runs, settle, say, runner } = setUp();
  const first = say("first", 1);
  await settle();
  runner.stop({ leaving: true });
  runs[0]?.accept(true);
  runs[0]?.end({ type: "done" });
  await first.ended;
  expect(steps).toContain("turn1 ended done");
});

test("a turn that cannot be written down does not begin, and replaces nothing", async () => {
  const { steps, state, settle, say, runner } = setUp();
  say("first", 1);
  await settle();
  state.broken = "flushed";
  expect(() => say("second", 2)).toThrow("the disk is full");
  expect(steps.at(-1)).toBe("agent gets first");
  expect(runner.running?.id).toBeDefined();
});

test("an agent gets nothing that could not be written down, and the turn says so", async () => {
  const { steps, state, say, faults } = setUp();
  state.broken = "handed";
  expect(await say("first", 1).ended).toMatchObject({ type: "failed", message: /the disk is full/ });
  expect(steps.some((step) => step.startsWith("agent gets"))).toBe(false);
  expect(faults).toHaveLength(1);
});

test("an end that cannot be written down is an end all the same", async () => {
  const { state, runs, settle, say, faults } = setUp();
  const turn = say("first", 1);
  await settle();
  state.broken = "turn1";
  runs[0]?.accept(true);
  runs[0]?.end({ type: "done" });
  expect(await turn.ended).toEqual({ type: "done" });
  expect(faults).toHaveLength(2);
});
