import { describe, expect, test } from "vitest";
import type { PiRecord } from "../../../src/agent/pi/protocol.ts";
import { createPiRun } from "../../../src/agent/pi/run.ts";
import { createTranslator } from "../../../src/agent/pi/translate.ts";
import { createRpc } from "../../../src/agent/rpc.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

const SETTLED: PiRecord = { type: "agent_settled", aborted: false };
const left = { text: "look left", images: [], files: [] };

interface Written {
  readonly id: string;
  readonly type: string;
  readonly message?: string;
}

/** A run that the agent has accepted. */
function open() {
  const clock = createFakeClock();
  const written: Written[] = [];
  const rpc = createRpc((line) => written.push(JSON.parse(line) as Written));
  let over = false;
  const run = createPiRun({
    clock,
    rpc,
    translator: createTranslator("k"),
    emit: () => undefined,
    giveUp: () => undefined,
    exitFailure: (exit) => ({ type: "exited", exit }),
    onEnd: () => {
      over = true;
    },
  });
  run.handOver("hello", [], 0);
  const answer = (type: string, success = true, data: unknown = {}): void => {
    const id = written.findLast((request) => request.type === type)?.id ?? "none";
    rpc.settle({ id, command: type, success, data });
  };
  const accept = (): void => answer("prompt", true, { disposition: "started" });
  return {
    clock,
    run,
    written,
    answer,
    accept,
    isOver: () => over,
    types: () => written.map(({ type }) => type),
  };
}

describe("a prompt that is said into a run", () => {
  test("is taken when the agent says so", async () => {
    const { run, written, answer, accept, clock } = open();
    accept();
    const taken = run.run.steer?.(left);
    await clock.settle();
    answer("steer");
    expect(await taken).toBe(true);
    expect(written.at(-1)).toMatchObject({ type: "steer", message: "look left" });
    run.see(SETTLED);
    expect(await run.run.ended).toEqual({ type: "done" });
  });

  test("is not taken by an agent that refuses it", async () => {
    const { run, answer, accept, clock } = open();
    accept();
    const taken = run.run.steer?.(left);
    await clock.settle();
    answer("steer", false);
    expect(await taken).toBe(false);
  });

  test.each(["before it was accepted", "after it has settled", "once it shall be aborted"])(
    "is not even sent %s",
    async (when) => {
      const { run, accept, types } = open();
      if (when !== "before it was accepted") accept();
      if (when === "after it has settled") run.see(SETTLED);
      if (when === "once it shall be aborted") run.abort();
      expect(await run.run.steer?.(left)).toBe(false);
      expect(types()).not.toContain("steer");
    },
  );

  test("that crosses the run's end is taken back before the next one may begin", async () => {
    const { run, answer, accept, clock, types, isOver } = open();
    accept();
    const taken = run.run.steer?.(left);
    await clock.settle();
    run.see(SETTLED);
    expect(isOver()).toBe(false);
    answer("steer");
    expect(await taken).toBe(false);
    expect([types().at(-1), isOver()]).toEqual(["clear_queue", false]);
    answer("clear_queue");
    expect(isOver()).toBe(true);
  });

  test("does not outlive an abort: the agent would say it into the next run", async () => {
    const { run, answer, accept, clock, types } = open();
    accept();
    void run.run.steer?.(left);
    await clock.settle();
    answer("steer");
    run.abort();
    expect(types().slice(-2)).toEqual(["clear_queue", "abort"]);
  });
});
