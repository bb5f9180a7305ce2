import { expect, test } from "vitest";
import type { Agent, AgentRun, RunEnd } from "../../src/domain/agent.ts";
import type { TurnId } from "../../src/domain/ids.ts";
import type { KeptDraft, PromptDraft } from "../../src/domain/prompt.ts";
import { NEVER_REACHED } from "../../src/session/running-turn.ts";
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
  /** A prompt of a chat's. */
  const written = (text: string, sources: readonly number[]): PromptDraft => ({
    sources,
    ready: Promise.resolve({ text, images: [], files: [] }),
    release: () => undefined,
  });
  const say = (text: string, ...sources: readonly number[]) => runner.run(written(text, sources), "telegram");
  const hold = (text: string, ...sources: readonly number[]) =>
    runner.enqueue([written(text, sources)], "telegram");
  /** A prompt of the deck's. */
  const draft = (text: string): PromptDraft => ({
    whole: { text, images: [] },
    ready: Promise.resolve({ text, images: [], files: [] }),
    release: () => undefined,
  });
  const post = (text: string) => runner.run(draft(text), "deck", { alone: true });
  const wait = (text: string) => runner.enqueue([draft(text)], "deck", { alone: true });
  return { steps, state, runs, runner, faults, kept, settle, say, hold, post, wait };
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
  say("second", 2);
  say("third", 3);
  runs[0]?.accept(false);
  runs[0]?.end({ type: "aborted" });
  expect(await first.accepted).toBe(false);
  await settle();
  expect(steps.filter((step) => step.includes("flushed"))).toEqual([
    "turn1 flushed 1",
    "turn2 flushed 2",
    "turn2 flushed 2,3",
    "turn2 flushed 1,2,3 instead of turn1",
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

test("a request that is replaced before the agent had it ends as that, and its prompt is in no other turn", async () => {
  const { steps, kept, runs, settle, say, post } = setUp();
  const one = post("one");
  await settle();
  const two = post("two");
  say("three", 3);
  const replaced = { type: "replaced", by: "telegram", message: NEVER_REACHED };
  expect(await two.ended).toEqual(replaced);
  runs[0]?.accept(false);
  runs[0]?.end({ type: "aborted" });
  expect(await one.ended).toEqual(replaced);
  await settle();
  expect(kept.get("turn3")).toBeUndefined();
  expect(steps).toEqual(expect.arrayContaining(["turn2 ended replaced", "turn1 ended replaced"]));
  expect(steps.at(-1)).toBe("agent gets three");
});

test("a chat's prompt that a request replaces before the agent had it is written down anew and runs after it", async () => {
  const { steps, runs, settle, say, post, wait } = setUp();
  say("one", 1);
  await settle();
  say("two", 2);
  wait("waits");
  post("now");
  runs[0]?.accept(false);
  runs[0]?.end({ type: "aborted" });
  await settle();
  // The first goes in front of the second, which had gone back to the front of the queue.
  expect(steps).toContain("turn2 flushed 1,2 instead of turn1");
  for (const index of [1, 2, 3]) {
    runs[index]?.accept(true);
    runs[index]?.end({ type: "done" });
    await settle();
  }
  expect(steps.filter((step) => step.startsWith("agent gets"))).toEqual([
    "agent gets one",
    "agent gets now",
    "agent gets one\n\ntwo",
    "agent gets waits",
  ]);
});

test("a chat's prompt that nothing else of the chat waits behind goes back as a turn of its own", async () => {
  const { steps, runs, settle, say, post, runner } = setUp();
  const one = say("one", 1);
  await settle();
  post("now");
  runs[0]?.accept(false);
  runs[0]?.end({ type: "aborted" });
  expect(await one.ended).toEqual({ type: "replaced", by: "deck" });
  expect(steps).toContain("turn3 flushed 1 instead of turn1");
  expect(runner.queue.map(({ id }) => id)).toEqual([runner.waitingTurn]);
});

test("one that waits takes what the chat writes meanwhile, and keeps its place and its id", async () => {
  const { steps, runs, settle, say, post, wait, runner, hold } = setUp();
  post("one");
  await settle();
  const first = hold("two", 2);
  wait("three");
  expect(hold("four", 4)).toBe(first);
  expect(steps.filter((step) => step.includes("flushed"))).toEqual([
    "turn1 flushed ",
    "turn2 flushed 2",
    "turn3 flushed ",
    "turn2 flushed 2,4",
  ]);
  runner.promote(first.id);
  // Also while it waits for the abort.
  expect(say("five", 5)).toBe(first);
  runs[0]?.accept(true);
  runs[0]?.end({ type: "aborted" });
  await settle();
  expect(steps.at(-1)).toBe("agent gets two\n\nfour\n\nfive");
});

test("what cannot be written down joins nothing", async () => {
  const { state, settle, post, hold, runner } = setUp();
  post("one");
  await settle();
  hold("two", 2);
  state.broken = "flushed";
  expect(() => hold("three", 3)).toThrow("the disk is full");
  expect(runner.queue.map(({ drafts }) => drafts.length)).toEqual([1]);
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
  expect(steps).toContain("turn1 ended replaced");
  expect(steps.slice(5, 8)).toEqual(["turn2 flushed 2", "turn1 ending replaced", "agent_interrupted"]);
});

test("a stop is written down at once for what runs and for what waits", async () => {
  const { steps, settle, say, runner } = setUp();
  say("first", 1);
  await settle();
  say("second", 2);
  steps.splice(0);
  runner.stop();
  expect(steps).toEqual(["turn2 ended stopped", "turn1 ending stopped"]);
  expect(runner.running?.interruption).toBe("stopped");
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

test("an answer that comes when evie ends, behind what was shown as its end, is left to the next start as well", async () => {
  const { steps, runs, settle, say, runner } = setUp();
  const first = say("first", 1);
  await settle();
  runner.stop({ leaving: true });
  runs[0]?.accept(true);
  runs[0]?.end({ type: "done" });
  expect(await first.ended).toEqual({ type: "stopped" });
  expect(steps.slice(-3)).toEqual(["agent_interrupted", "turn1 accepted", "agent_end"]);
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
