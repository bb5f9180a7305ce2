import { describe, expect, test } from "vitest";
import type { Agent, AgentRun, RunEnd } from "../../src/domain/agent.ts";
import { cutSentence } from "../../src/domain/cut.ts";
import type { TurnEvent } from "../../src/domain/events.ts";
import { makeTurnId, type TurnId } from "../../src/domain/ids.ts";
import type { AgentFailure } from "../../src/domain/failure.ts";
import type { Prompt, PromptDraft } from "../../src/domain/prompt.ts";
import { createTurnRunner, type TurnRunner } from "../../src/session/turn-runner.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

/** An agent that is worked by hand: each run waits until the test says what becomes of it. */
function handAgent() {
  const runs: { prompt: Prompt; accept: (accepted: boolean) => void; end: (end: RunEnd) => void }[] = [];
  let aborts = 0;
  const agent: Agent = {
    ready: Promise.resolve(undefined),
    gone: new Promise(() => undefined),
    run(prompt): AgentRun {
      const accepted = Promise.withResolvers<boolean>();
      const ended = Promise.withResolvers<RunEnd>();
      runs.push({ prompt, accept: accepted.resolve, end: ended.resolve });
      return { accepted: accepted.promise, ended: ended.promise };
    },
    abort: () => {
      aborts += 1;
    },
    answer: () => undefined,
    dismiss: () => Promise.resolve(),
  };
  return { agent, runs, aborts: () => aborts };
}

function setUp(take?: () => Promise<Agent | AgentFailure>) {
  const hand = handAgent();
  const events: TurnEvent[] = [];
  const faults: unknown[] = [];
  const runner = createTurnRunner({
    agent: take ?? (() => Promise.resolve(hand.agent)),
    emit: (event) => events.push(event),
    fault: (error) => faults.push(error),
  });
  const { settle } = createFakeClock();
  return { ...hand, runner, events, faults, settle };
}

function draft(text: string) {
  const ready = Promise.withResolvers<Prompt>();
  const released: string[] = [];
  const made: PromptDraft = { ready: ready.promise, release: () => released.push(text) };
  return { draft: made, arrive: () => ready.resolve(promptOf(text)), released };
}

function readyDraft(text: string): PromptDraft {
  return { ready: Promise.resolve(promptOf(text)), release: () => undefined };
}

function promptOf(text: string): Prompt {
  return { text, images: [], files: [] };
}

const types = (events: readonly TurnEvent[]): string[] =>
  events.map((event) => {
    switch (event.type) {
      case "agent_start":
        return "start";
      case "agent_interrupted":
        return `interrupted ${event.outcome.type}`;
      case "agent_end":
        return `end ${event.outcome.type}`;
    }
  });

const say = (runner: TurnRunner, text: string) => runner.run(readyDraft(text), "telegram");

describe("the turn runner", () => {
  test("hands a prompt over and ends the turn when the agent has ended", async () => {
    const { runner, runs, events, settle } = setUp();
    const turn = say(runner, "hello");
    await settle();
    expect(runs.map(({ prompt }) => prompt.text)).toEqual(["hello"]);
    expect(runner.busy).toBe(true);
    runs[0]?.accept(true);
    runs[0]?.end({ type: "done" });
    await expect(turn.ended).resolves.toEqual({ type: "done" });
    expect(events).toEqual([
      { type: "agent_start", turnId: turn.id, face: "telegram" },
      { type: "agent_end", turnId: turn.id, outcome: { type: "done" } },
    ]);
    expect(runner.busy).toBe(false);
  });

  test("starts a turn in the step of its call, before its files and its agent are ready", () => {
    const { runner, events } = setUp();
    runner.run(draft("slow").draft, "telegram");
    expect(types(events)).toEqual(["start"]);
  });

  test("replaces the running turn, whose end comes before the next start", async () => {
    const { runner, runs, events, settle, aborts } = setUp();
    say(runner, "first");
    await settle();
    runs[0]?.accept(true);
    say(runner, "second");
    await settle();
    expect(aborts()).toBe(1);
    expect(runs).toHaveLength(1);
    runs[0]?.end({ type: "aborted" });
    await settle();
    expect(types(events)).toEqual(["start", "interrupted replaced", "end replaced", "start"]);
    expect(runs.map(({ prompt }) => prompt.text)).toEqual(["first", "second"]);
  });

  test("of three prompts, two of them before the first one's end, gives the agent the first, then the second and third joined", async () => {
    const { runner, runs, events, settle } = setUp();
    say(runner, "first");
    await settle();
    runs[0]?.accept(true);
    const second = say(runner, "second");
    const third = say(runner, "third");
    expect(third).toBe(second);
    runs[0]?.end({ type: "aborted" });
    await settle();
    expect(runs.map(({ prompt }) => prompt.text)).toEqual(["first", "second\n\nthird"]);
    runs[1]?.accept(true);
    runs[1]?.end({ type: "done" });
    await expect(third.ended).resolves.toEqual({ type: "done" });
    expect(types(events)).toEqual(["start", "interrupted replaced", "end replaced", "start", "end done"]);
  });

  test("puts a prompt that was superseded while its files were fetched in front of its successor", async () => {
    const { runner, runs, events, settle } = setUp();
    const slow = draft("slow");
    const turn = runner.run(slow.draft, "telegram");
    say(runner, "quick");
    await settle();
    await expect(turn.ended).resolves.toEqual({ type: "replaced", by: "telegram" });
    expect(runs).toHaveLength(0);
    slow.arrive();
    await settle();
    expect(runs.map(({ prompt }) => prompt.text)).toEqual(["slow\n\nquick"]);
    expect(slow.released).toEqual([]);
    runs[0]?.accept(true);
    runs[0]?.end({ type: "done" });
    await settle();
    expect(slow.released).toEqual(["slow"]);
    expect(types(events)).toEqual(["start", "interrupted replaced", "end replaced", "start", "end done"]);
  });

  test("puts a prompt that was superseded while its agent started in front of its successor", async () => {
    const hand = handAgent();
    const started = Promise.withResolvers<Agent>();
    const { runner, settle } = setUp(() => started.promise);
    say(runner, "early");
    await settle();
    say(runner, "late");
    await settle();
    started.resolve(hand.agent);
    await settle();
    expect(hand.runs.map(({ prompt }) => prompt.text)).toEqual(["early\n\nlate"]);
  });

  test("puts a prompt that the agent did not take before its abort in front of its successor", async () => {
    const { runner, runs, settle } = setUp();
    say(runner, "unheard");
    await settle();
    say(runner, "next");
    runs[0]?.accept(false);
    runs[0]?.end({ type: "aborted" });
    await settle();
    expect(runs.map(({ prompt }) => prompt.text)).toEqual(["unheard", "unheard\n\nnext"]);
  });

  test("does not send again what the agent took, however short it ran", async () => {
    const { runner, runs, settle } = setUp();
    say(runner, "heard");
    await settle();
    say(runner, "next");
    runs[0]?.accept(true);
    runs[0]?.end({ type: "aborted" });
    await settle();
    expect(runs.map(({ prompt }) => prompt.text)).toEqual(["heard", "next"]);
  });

  test("carries a prompt on through several successors, in the order of their flushes", async () => {
    const { runner, runs, settle } = setUp();
    const first = draft("1");
    const second = draft("2");
    runner.run(first.draft, "telegram");
    runner.run(second.draft, "telegram");
    await settle();
    say(runner, "3");
    await settle();
    second.arrive();
    first.arrive();
    await settle();
    expect(runs.map(({ prompt }) => prompt.text)).toEqual(["1\n\n2\n\n3"]);
  });

  describe("given the rest of a message, which continues another turn's", () => {
    const rest = (text: string, { id }: { readonly id: TurnId }): PromptDraft => ({
      ...readyDraft(text),
      continues: { turn: id, label: "[continued]" },
    });

    test("says so where the agent has that one, also when it took it only after the rest had come", async () => {
      const { runner, runs, settle } = setUp();
      const first = say(runner, "first");
      await settle();
      runner.run(rest("rest", first), "telegram");
      await settle();
      runs[0]?.accept(true);
      runs[0]?.end({ type: "aborted" });
      await settle();
      expect(runs.map(({ prompt }) => prompt.text)).toEqual(["first", "[continued]\nrest"]);
    });

    test("does not say so where the two become one prompt", async () => {
      const { runner, runs, settle } = setUp();
      const first = say(runner, "first");
      await settle();
      runner.run(rest("rest", first), "telegram");
      runs[0]?.accept(false);
      runs[0]?.end({ type: "aborted" });
      await settle();
      expect(runs.map(({ prompt }) => prompt.text)).toEqual(["first", "first\n\nrest"]);
    });

    test("waits for nothing of a turn that waits itself, however it is let in", async () => {
      const { runner, runs, settle } = setUp();
      runner.run(readyDraft("elsewhere"), "http", { alone: true });
      await settle();
      runs[0]?.accept(true);
      const first = runner.enqueue([readyDraft("first")], "telegram");
      const joined = runner.enqueue([rest("rest", first)], "telegram");
      expect(runner.promote(joined.id)).toBe(true);
      runs[0]?.end({ type: "aborted" });
      await settle();
      expect(runs.map(({ prompt }) => prompt.text)).toEqual(["elsewhere", "first\n\nrest"]);
    });

    test("says so behind a request that came between them", async () => {
      const { runner, runs, settle } = setUp();
      const first = say(runner, "first");
      await settle();
      runs[0]?.accept(true);
      runner.run(readyDraft("elsewhere"), "http", { alone: true });
      runner.enqueue([rest("rest", first)], "telegram");
      runs[0]?.end({ type: "aborted" });
      await settle();
      runs[1]?.accept(true);
      runs[1]?.end({ type: "done" });
      await settle();
      expect(runs.map(({ prompt }) => prompt.text)).toEqual(["first", "elsewhere", "[continued]\nrest"]);
    });

    test("does not say so to an agent that never heard of that turn", async () => {
      const { runner, runs, settle } = setUp();
      runner.run(rest("rest", { id: makeTurnId() }), "telegram");
      await settle();
      expect(runs.map(({ prompt }) => prompt.text)).toEqual(["rest"]);
    });
  });

  describe("asked by a chat", () => {
    test.each<[string, (runner: TurnRunner) => void, string | undefined]>([
      ["nothing where nothing runs", () => undefined, undefined],
      ["the face of what runs", (runner) => runner.run(readyDraft("a"), "http", { alone: true }), "http"],
      [
        "that of what is about to run instead",
        (runner) => {
          say(runner, "a");
          runner.run(readyDraft("b"), "deck", { alone: true });
        },
        "deck",
      ],
      [
        "nothing while what runs is being stopped",
        (runner) => {
          runner.run(readyDraft("a"), "http", { alone: true });
          runner.stop();
        },
        undefined,
      ],
      [
        "what waits behind one that is being stopped",
        (runner) => {
          say(runner, "a");
          runner.stop();
          runner.enqueue([readyDraft("b")], "http", { alone: true });
        },
        "http",
      ],
    ])("says what a prompt would meet: %s", (_, before, face) => {
      const { runner } = setUp();
      before(runner);
      expect(runner.upcomingFace).toBe(face);
    });
  });

  test.each<[RunEnd]>([
    [{ type: "done" }],
    [{ type: "aborted" }],
    [{ type: "failed", failure: { type: "model_failed", reason: "500" } }],
  ])("ends a turn as it was interrupted, whatever its agent says of it then: %j", async (end) => {
    const { runner, runs, events, settle } = setUp();
    const replaced = say(runner, "short");
    await settle();
    runs[0]?.accept(true);
    say(runner, "next");
    expect(types(events)).toEqual(["start", "interrupted replaced"]);
    expect(runner.running).toMatchObject({ id: replaced.id, interruption: "replaced" });
    runs[0]?.end(end);
    await expect(replaced.ended).resolves.toEqual({ type: "replaced", by: "telegram" });
    await settle();
    runs[1]?.accept(true);
    runner.stop();
    runs[1]?.end(end);
    await settle();
    expect(types(events).slice(2)).toEqual(["end replaced", "start", "interrupted stopped", "end stopped"]);
  });

  test("interrupts no turn whose end is being told", async () => {
    const hand = handAgent();
    const seen: string[] = [];
    const stops: boolean[] = [];
    const runner: TurnRunner = createTurnRunner({
      agent: () => Promise.resolve(hand.agent),
      emit: (event) => {
        seen.push(...types([event]));
        if (event.type === "agent_end") stops.push(runner.stop());
      },
      fault: () => undefined,
    });
    say(runner, "first");
    const { settle } = createFakeClock();
    await settle();
    hand.runs[0]?.accept(true);
    hand.runs[0]?.end({ type: "done" });
    await settle();
    expect([seen, stops]).toEqual([["start", "end done"], [false]]);
  });

  test("stops the running turn and drops what waits, which is never sent", async () => {
    const { runner, runs, events, settle, aborts } = setUp();
    const first = say(runner, "first");
    await settle();
    runs[0]?.accept(true);
    const waiting = draft("waiting");
    const second = runner.run(waiting.draft, "telegram");
    expect(runner.stop()).toBe(true);
    await expect(second.ended).resolves.toEqual({ type: "stopped" });
    expect(waiting.released).toEqual(["waiting"]);
    expect(aborts()).toBe(2);
    runs[0]?.end({ type: "aborted" });
    await expect(first.ended).resolves.toEqual({ type: "stopped" });
    await settle();
    expect(runs).toHaveLength(1);
    // The first interruption is what was shown: it was replaced before it was stopped.
    expect(types(events)).toEqual(["start", "interrupted replaced", "end stopped"]);
    expect(runner.stop()).toBe(false);
  });

  test("has nothing to stop in a turn that is being stopped already, however long it takes", async () => {
    const { runner, runs, settle, aborts } = setUp();
    say(runner, "first");
    await settle();
    runs[0]?.accept(true);
    expect(runner.stop()).toBe(true);
    expect(runner.stop()).toBe(false);
    expect(aborts()).toBe(1);
    expect(runner.busy).toBe(true);
  });

  test("does not carry what was stopped into the prompt that comes after", async () => {
    const { runner, runs, settle } = setUp();
    const stopped = draft("stopped");
    runner.run(stopped.draft, "telegram");
    runner.stop();
    say(runner, "after");
    stopped.arrive();
    await settle();
    expect(runs.map(({ prompt }) => prompt.text)).toEqual(["after"]);
    expect(stopped.released).toEqual(["stopped"]);
  });

  test("releases each draft exactly once", async () => {
    const { runner, runs, settle } = setUp();
    const drafts = [draft("1"), draft("2"), draft("3")];
    for (const each of drafts) {
      runner.run(each.draft, "telegram");
      each.arrive();
    }
    await settle();
    runs[0]?.accept(true);
    runs[0]?.end({ type: "done" });
    await settle();
    expect(drafts.map(({ released }) => released)).toEqual([["1"], ["2"], ["3"]]);
  });

  test.each<{ case: string; accepted: boolean; end: RunEnd; says: RegExp }>([
    {
      case: "refused",
      accepted: false,
      end: { type: "failed", failure: { type: "refused", reason: "No API key found." } },
      says: /refused the prompt: No API key found/,
    },
    {
      case: "whose model failed, after all retries",
      accepted: true,
      end: { type: "failed", failure: { type: "model_failed", reason: "500" } },
      says: /model could not answer: 500/,
    },
    {
      case: "whose agent died",
      accepted: true,
      end: { type: "failed", failure: { type: "exited", exit: { signal: "SIGKILL" } } },
      says: /ended unexpectedly \(signal SIGKILL\)/,
    },
  ])(
    "ends a turn $case as failed, with one sentence, and takes the next",
    async ({ accepted, end, says }) => {
      const { runner, runs, settle } = setUp();
      const turn = say(runner, "hello");
      await settle();
      runs[0]?.accept(accepted);
      runs[0]?.end(end);
      await expect(turn.ended).resolves.toEqual({ type: "failed", message: expect.stringMatching(says) });
      say(runner, "again");
      await settle();
      expect(runs.map(({ prompt }) => prompt.text)).toEqual(["hello", "again"]);
    },
  );

  test("ends a turn whose last words were cut off as done, with one sentence on that", async () => {
    const { runner, runs, settle } = setUp();
    const turn = say(runner, "hello");
    await settle();
    runs[0]?.accept(true);
    runs[0]?.end({ type: "done", cut: { type: "length" } });
    const message = cutSentence({ type: "length" });
    await expect(turn.ended).resolves.toEqual({ type: "done", cut: { reason: "length", message } });
  });

  test("ends a turn whose agent cannot be started as failed, and tries anew with the next prompt", async () => {
    const hand = handAgent();
    const answers: (Agent | AgentFailure)[] = [{ type: "missing", command: "pi" }, hand.agent];
    const { runner, settle } = setUp(() => Promise.resolve(answers.shift() ?? hand.agent));
    const turn = say(runner, "hello");
    await expect(turn.ended).resolves.toEqual({
      type: "failed",
      message: expect.stringMatching(/not found \(pi\)/),
    });
    say(runner, "again");
    await settle();
    expect(hand.runs.map(({ prompt }) => prompt.text)).toEqual(["again"]);
  });

  test("tells a fault of evie's own as such, and goes on", async () => {
    const { runner, faults } = setUp(() => Promise.reject(new Error("a bug")));
    const turn = say(runner, "hello");
    await expect(turn.ended).resolves.toEqual({
      type: "failed",
      message: expect.stringMatching(/evie made a mistake/),
    });
    expect(faults).toHaveLength(1);
    expect(runner.busy).toBe(false);
  });

  test("does not wake the agent for a prompt that holds nothing", async () => {
    const { runner, runs } = setUp();
    const turn = say(runner, " \n");
    await expect(turn.ended).resolves.toEqual({ type: "done" });
    expect(runs).toEqual([]);
  });

  test("takes a prompt that comes while it tells of an end, and tells that end first to everybody", async () => {
    const hand = handAgent();
    const seen: string[] = [];
    let again = true;
    const runner: TurnRunner = createTurnRunner({
      agent: () => Promise.resolve(hand.agent),
      emit: (event) => {
        if (event.type === "agent_end" && again) {
          again = false;
          say(runner, "second");
        }
        seen.push(...types([event]));
      },
      fault: () => undefined,
    });
    say(runner, "first");
    const { settle } = createFakeClock();
    await settle();
    hand.runs[0]?.accept(true);
    hand.runs[0]?.end({ type: "done" });
    await settle();
    expect(seen).toEqual(["start", "end done", "start"]);
    expect(hand.runs.map(({ prompt }) => prompt.text)).toEqual(["first", "second"]);
  });
});

describe("a prompt that is amended", () => {
  const made = (text: string, source: number): PromptDraft => ({
    ...readyDraft(text),
    sources: [source],
  });
  const texts = (runs: readonly { prompt: Prompt }[]) => runs.map(({ prompt }) => prompt.text);

  test("is handed over as it is now, also while its agent starts", async () => {
    const started = Promise.withResolvers<Agent>();
    const { runner, runs, settle, agent } = setUp(() => started.promise);
    runner.run(made("one", 1), "telegram");
    await settle();
    expect(runner.amend(1, made("two", 1))).toEqual({ type: "waits" });
    started.resolve(agent);
    await settle();
    expect(texts(runs)).toEqual(["two"]);
  });

  test("is asked though it said nothing before", async () => {
    const started = Promise.withResolvers<Agent>();
    const files = draft("");
    const { runner, runs, settle, agent } = setUp(() => started.promise);
    started.resolve(agent);
    runner.run({ ...files.draft, sources: [1] }, "telegram");
    runner.amend(1, made("two", 1));
    files.arrive();
    await settle();
    expect(texts(runs)).toEqual(["two"]);
  });

  test("waits in its place among the others", async () => {
    const { runner, runs, settle } = setUp();
    say(runner, "runs");
    await settle();
    runs[0]?.accept(true);
    runner.enqueue([made("one", 1)], "telegram");
    runner.enqueue([made("two", 2)], "telegram");
    expect(runner.amend(1, made("ONE", 1))).toEqual({ type: "waits" });
    runs[0]?.end({ type: "done" });
    await settle();
    expect(texts(runs)).toEqual(["runs", "ONE\n\ntwo"]);
  });

  test("that the agent may have is asked as it is now only where the agent does not accept it", async () => {
    const { runner, runs, settle } = setUp();
    const turn = runner.run(made("one", 1), "telegram");
    await settle();
    const amended = runner.amend(1, made("two", 1));
    expect(amended).toMatchObject({ type: "handed", turnId: turn.id });
    say(runner, "next");
    runs[0]?.accept(false);
    runs[0]?.end({ type: "aborted" });
    await settle();
    expect(amended.type === "handed" && (await amended.accepted)).toBe(false);
    expect(texts(runs)).toEqual(["one", "two\n\nnext"]);
  });

  test("that the agent has is left as it is, and so is one that is being ended, or is not there", async () => {
    const { runner, runs, settle } = setUp();
    const turn = runner.run(made("one", 1), "telegram");
    await settle();
    runs[0]?.accept(true);
    await settle();
    expect(runner.amend(1, made("two", 1))).toEqual({ type: "accepted", turnId: turn.id });
    expect(runner.amend(2, made("two", 2))).toEqual({ type: "over" });
    say(runner, "next");
    expect(runner.amend(1, made("two", 1))).toEqual({ type: "over" });
    runner.stop();
    runs[0]?.end({ type: "aborted" });
    await settle();
    expect([runner.amend(1, made("two", 1)), texts(runs)]).toEqual([{ type: "over" }, ["one"]]);
  });

  test("is released once, in its new form", async () => {
    const { runner, runs, settle } = setUp();
    const released: string[] = [];
    const noted = (text: string): PromptDraft => ({
      ...made(text, 1),
      release: () => void released.push(text),
    });
    runner.run(noted("one"), "telegram");
    runner.amend(1, noted("two"));
    await settle();
    runs[0]?.accept(true);
    runs[0]?.end({ type: "done" });
    await settle();
    expect([texts(runs), released]).toEqual([["two"], ["two"]]);
  });
});
