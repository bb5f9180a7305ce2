import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/domain/events.ts";
import { descendantsOf } from "../../src/agent/process-tree.ts";
import { fold, textsOf } from "./recorder.ts";
import { isRunning, textPrompt } from "./subjects.ts";
import type { Bench } from "./subjects.ts";
import process from "node:process";

/** Prompts that make an agent do what a promise speaks of. */
export interface ContractPrompts {
  /** Answered with exactly this text. */
  readonly answer: (text: string) => string;
  /** Streams for much longer than a test waits. */
  readonly endless: string;
  /** Runs a tool that lasts, as a process of its own. */
  readonly tool: string;
  /** Fails once, and then answers "recovered". */
  readonly retried: string;
}

/** What every agent promises to the session that holds it, whatever program it is. */
export function agentContract(name: string, openBench: () => Promise<Bench>, prompts: ContractPrompts): void {
  describe(`${name} as an agent`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await openBench();
    });
    afterAll(() => bench[Symbol.asyncDispose]());

    test("takes a prompt when it is ready, says so before the end, and ends once", async () => {
      const { agent, events } = bench.start("one.jsonl");
      expect(await agent.ready).toBeUndefined();
      const order: string[] = [];
      const run = agent.run(textPrompt(prompts.answer("one two three")));
      void run.accepted.then((accepted) => order.push(`accepted ${accepted}`));
      void run.ended.then((end) => order.push(`ended ${end.type}`));
      expect(await run.ended).toEqual({ type: "done" });
      expect(order).toEqual(["accepted true", "ended done"]);
      expect(events.length).toBeGreaterThan(0);
    });

    test("bounds each message by a start and an end of the same key, and its deltas build the end's text", async () => {
      const started = bench.start("bounds.jsonl");
      await started.agent.ready;
      await started.agent.run(textPrompt(prompts.answer("alpha beta"))).ended;
      const { events } = started;
      const keys = (type: AgentEvent["type"]): string[] =>
        events.flatMap((event) => (event.type === type && "key" in event ? [event.key] : []));
      expect(keys("message_start")).toEqual(keys("message_end"));
      expect(new Set(keys("message_start")).size).toBe(keys("message_start").length);
      const unfinished = fold(events.filter((event) => event.type !== "message_end"));
      expect(textsOf(unfinished, "assistant")).toEqual(["alpha beta"]);
      expect(textsOf(fold(events), "assistant")).toEqual(["alpha beta"]);
      expect(textsOf(fold(events), "user")).toHaveLength(1);
    });

    test("says nothing after a run's end, and the next run starts clean", async () => {
      const started = bench.start("clean.jsonl");
      await started.agent.ready;
      await started.agent.run(textPrompt(prompts.answer("first"))).ended;
      const count = started.events.length;
      const seen = fold(started.events);
      await new Promise((resolve) => setImmediate(resolve));
      expect(started.events).toHaveLength(count);
      started.clear();
      expect(await started.agent.run(textPrompt(prompts.answer("second"))).ended).toEqual({ type: "done" });
      expect(textsOf(fold(started.events), "assistant")).toEqual(["second"]);
      expect(textsOf(fold(started.events, seen), "assistant")).toEqual(["first", "second"]);
    });

    test("ends a run that is aborted in the middle of its answer; the next run has nothing of it", async () => {
      const started = bench.start("abort.jsonl");
      await started.agent.ready;
      const run = started.agent.run(textPrompt(prompts.endless));
      await started.next((event) => event.type === "message_update");
      started.agent.abort();
      started.agent.abort();
      expect(await run.ended).toEqual({ type: "aborted" });
      expect(await run.accepted).toBe(true);
      expect(textsOf(fold(started.events), "assistant").join("")).not.toBe("");
      started.clear();
      expect(await started.agent.run(textPrompt(prompts.answer("afterwards"))).ended).toEqual({
        type: "done",
      });
      expect(textsOf(fold(started.events), "assistant")).toEqual(["afterwards"]);
      expect(textsOf(fold(started.events), "user")).toHaveLength(1);
    });

    test("ends a run that is aborted right behind its prompt, and takes the next", async () => {
      const started = bench.start("abort-at-once.jsonl");
      await started.agent.ready;
      const run = started.agent.run(textPrompt(prompts.endless));
      started.agent.abort();
      expect(await run.ended).toEqual({ type: "aborted" });
      started.clear();
      expect(await started.agent.run(textPrompt(prompts.answer("taken"))).ended).toEqual({ type: "done" });
      expect(textsOf(fold(started.events), "assistant")).toEqual(["taken"]);
    });

    test("leaves no trace of an attempt that it repeats", async () => {
      const started = bench.start("retry.jsonl");
      await started.agent.ready;
      expect(await started.agent.run(textPrompt(prompts.retried)).ended).toEqual({ type: "done" });
      expect(textsOf(fold(started.events), "assistant")).toEqual(["recovered"]);
      const notices = started.events.flatMap((event) => (event.type === "notice" ? [event.notice.type] : []));
      expect(notices).toContain("retrying");
    });

    test("takes the whole tree under it along when it is dismissed in the middle of a tool", async () => {
      const { agent, next } = bench.start("tree.jsonl");
      await agent.ready;
      const before = new Set((descendantsOf(process.pid) ?? []).map(({ pid }) => pid));
      const run = agent.run(textPrompt(prompts.tool));
      await next((event) => event.type === "tool_execution_start");
      await expect.poll(() => newProcesses(before).length).toBeGreaterThanOrEqual(2);
      const tree = newProcesses(before);
      await agent.dismiss();
      expect(await run.ended).toEqual({ type: "aborted" });
      await agent.gone;
      await expect.poll(() => tree.filter(isRunning)).toEqual([]);
    });

    test("says how it ended when it dies in the middle of a run, and continues on the same session file", async () => {
      const before = new Set((descendantsOf(process.pid) ?? []).map(({ pid }) => pid));
      const started = bench.start("dies.jsonl");
      await started.agent.ready;
      const [pid = 0] = newProcesses(before);
      const run = started.agent.run(textPrompt(prompts.endless));
      await started.next((event) => event.type === "message_update");
      process.kill(pid, "SIGKILL");
      expect(await run.ended).toEqual({
        type: "failed",
        failure: { type: "exited", exit: { signal: "SIGKILL" } },
      });
      await started.agent.gone;
      const again = bench.start("dies.jsonl");
      expect(await again.agent.ready).toBeUndefined();
      expect(await again.agent.run(textPrompt(prompts.answer("alive"))).ended).toEqual({ type: "done" });
      // A key that came twice would put the new message in the place of an old one.
      const both = fold(again.events, fold(started.events));
      expect(textsOf(both, "user")).toHaveLength(2);
      expect(textsOf(both, "assistant").at(-1)).toBe("alive");
    });
  });
}

function newProcesses(before: ReadonlySet<number>): readonly number[] {
  return (descendantsOf(process.pid) ?? []).map(({ pid }) => pid).filter((pid) => !before.has(pid));
}
