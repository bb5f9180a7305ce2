import { describe, expect, test } from "vitest";
import type { PiRecord } from "../../../src/agent/pi/protocol.ts";
import { createPiRun } from "../../../src/agent/pi/run.ts";
import type { PiRun } from "../../../src/agent/pi/run.ts";
import { createTranslator } from "../../../src/agent/pi/translate.ts";
import { createRpc } from "../../../src/agent/rpc.ts";
import type { Rpc } from "../../../src/agent/rpc.ts";
import type { AgentEvent } from "../../../src/domain/events.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import type { FakeClock } from "../../fakes/fake-clock.ts";

const STARTED = { id: "1", command: "prompt", success: true, data: { disposition: "started" } };
const ABORTED = { id: "2", command: "abort", success: true };
const SETTLED: PiRecord = { type: "agent_settled", aborted: false };
const GONE = { type: "exited", exit: { code: 1 } } as const;

interface Opened {
  readonly run: PiRun;
  readonly rpc: Rpc;
  readonly clock: FakeClock;
  readonly events: AgentEvent[];
  /** What happened, in order. */
  readonly seen: string[];
}

/** A run whose prompt was written. */
function open(): Opened {
  const clock = createFakeClock();
  const rpc = createRpc(() => {});
  const events: AgentEvent[] = [];
  const seen: string[] = [];
  const run = createPiRun({
    clock,
    rpc,
    translator: createTranslator("k"),
    emit: (event) => events.push(event),
    giveUp: () => seen.push("gave up"),
    exitFailure: (exit) => ({ type: "exited", exit }),
    onEnd: () => seen.push("over"),
  });
  run.handOver("hello", [], 0);
  void run.run.ended.then((end) => seen.push(end.type));
  return { run, rpc, clock, events, seen };
}

describe("one run", () => {
  test("is not ended by what settled before its prompt was answered", async () => {
    const { run, rpc, clock, seen } = open();
    run.see(SETTLED);
    await clock.settle();
    expect(seen).toEqual([]);
    rpc.settle(STARTED);
    run.see(SETTLED);
    expect(await run.run.ended).toEqual({ type: "done" });
  });

  test("ends in the synchronous step in which the agent settles", () => {
    const { run, rpc, seen } = open();
    rpc.settle(STARTED);
    expect(seen).toEqual([]);
    run.see(SETTLED);
    expect(seen).toEqual(["over"]);
  });

  test("says nothing before its hand-over and after its end", () => {
    const { run, rpc, events } = open();
    rpc.settle(STARTED);
    run.see({ type: "turn_start" });
    run.see(SETTLED);
    run.see({ type: "turn_start" });
    expect(events).toEqual([{ type: "turn_start" }]);
  });

  test("takes an agent that names no disposition yet, but settles", async () => {
    const { run, rpc, seen } = open();
    rpc.settle({ ...STARTED, data: undefined });
    run.see({ type: "agent_end", saysWillRetry: true });
    run.see(SETTLED);
    expect(await run.run.ended).toEqual({ type: "done" });
    expect(seen).not.toContain("gave up");
  });

  test("takes an agent whose disposition shows that it is new enough, whatever its ends say", () => {
    const { run, rpc, seen } = open();
    rpc.settle(STARTED);
    run.see({ type: "agent_end", saysWillRetry: false });
    expect(seen).toEqual([]);
  });

  test("keeps the agent's own end when it dies before it answered the abort", async () => {
    const { run, rpc, clock, seen } = open();
    rpc.settle(STARTED);
    run.abort();
    run.see({ type: "agent_settled", aborted: false });
    await clock.settle();
    expect(seen).toEqual([]);
    run.processEnded(GONE, false);
    expect(await run.run.ended).toEqual({ type: "done" });
  });

  test("is not given up when it ended within the grace", async () => {
    const { run, rpc, clock, seen } = open();
    rpc.settle(STARTED);
    run.abort();
    run.see({ type: "agent_settled", aborted: true });
    rpc.settle(ABORTED);
    await clock.advance(10_000);
    expect(seen).toEqual(["over", "aborted"]);
    expect(clock.sleepers).toBe(0);
  });

  test("that is refused while an abort is under way ends as refused", async () => {
    const { run, rpc } = open();
    run.abort();
    rpc.settle({ id: "1", command: "prompt", success: false, error: "no" });
    rpc.settle(ABORTED);
    expect(await run.run.ended).toMatchObject({ type: "failed", failure: { type: "refused" } });
    expect(await run.run.accepted).toBe(false);
  });

  test("ends once, whatever comes later", async () => {
    const { run, rpc, seen } = open();
    rpc.settle(STARTED);
    run.see(SETTLED);
    run.abort();
    run.processEnded(GONE, true);
    run.fail({ type: "too_old" });
    expect(await run.run.ended).toEqual({ type: "done" });
    expect(seen.filter((what) => what === "over")).toHaveLength(1);
  });
});
