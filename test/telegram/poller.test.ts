import type { Update } from "grammy/types";
import { describe, expect, test } from "vitest";
import { createBackoff, LONGEST_CONFLICT_WAIT } from "../../src/telegram/backoff.ts";
import {
  ConflictError,
  createPoller,
  type PollerOptions,
  UnauthorizedError,
} from "../../src/telegram/poller.ts";
import { type ApiRig, startApiRig } from "./api-rig.ts";

interface PollerRig extends ApiRig {
  readonly poller: ReturnType<typeof createPoller>;
  readonly handled: Update[];
  /** Stops it, moving time on as long as that takes. */
  stop(): Promise<void>;
  /** How the run ended, once it has. */
  ending(): unknown;
  /** When each poll came. */
  polls(): readonly number[];
  /** When each update that was handled had come, on the clock. */
  readonly arrivals: readonly number[];
  /** Whether each of them had waited at Telegram. */
  readonly backlogs: readonly boolean[];
  /** How long Telegram may hold each poll, in seconds. */
  timeouts(): readonly unknown[];
  /** Sets the machine's clock, not the time. */
  setClock(byMs: number): void;
}

const OVER = "over";

async function startPoller(
  handle?: (update: Update) => Promise<void>,
  keep: PollerOptions["keep"] = (batch) => Promise.resolve(batch),
): Promise<PollerRig> {
  const rig = await startApiRig();
  let shift = 0;
  const backlogs: boolean[] = [];
  const handled: Update[] = [];
  const arrivals: number[] = [];
  const poller = createPoller({
    api: rig.api,
    clock: { ...rig.clock, date: () => rig.clock.date() + shift },
    log: rig.log,
    backoff: createBackoff(() => 0.5),
    conflictBackoff: createBackoff(() => 0.5, LONGEST_CONFLICT_WAIT),
    keep,
    handle: async (update) => {
      handled.push(update);
      arrivals.push(poller.arrivedAt);
      backlogs.push(poller.isBacklog);
      await handle?.(update);
    },
  });
  let ending: unknown;
  return {
    ...rig,
    handled,
    arrivals,
    backlogs,
    timeouts: () => rig.server.callsOf("getUpdates").map(({ payload }) => payload["timeout"]),
    setClock: (byMs) => void (shift += byMs),
    ending: () => ending,
    async stop() {
      let stopped = false;
      const stopping = poller.stop().then(() => (stopped = true));
      await rig.advanceUntil(() => stopped);
      await stopping;
    },
    polls: () => rig.server.callsOf("getUpdates").map(({ at }) => at),
    poller: {
      offset: 0,
      get arrivedAt() {
        return poller.arrivedAt;
      },
      get isBacklog() {
        return poller.isBacklog;
      },
      run: () =>
        poller.run().then(
          () => void (ending = OVER),
          (error: unknown) => void (ending = error),
        ),
      stop: () => poller.stop(),
      get lastGoodPoll() {
        return poller.lastGoodPoll;
      },
    },
  };
}

const texts = (updates: readonly Update[]): readonly (string | undefined)[] =>
  updates.map(({ message }) => message?.text);

describe("polling", () => {
  test("takes what waits in order, confirms it with the next poll, and asks for what evie understands", async () => {
    const rig = await startPoller();
    for (const words of ["one", "two", "three"]) await rig.ada.say(words);
    const running = rig.poller.run();
    await rig.called("getUpdates", 2);
    expect(texts(rig.handled)).toEqual(["one", "two", "three"]);
    await rig.server.until(() => rig.server.pendingUpdates.length === 0);
    const [first, second] = rig.server.callsOf("getUpdates");
    expect(first?.payload).toMatchObject({
      offset: 0,
      timeout: 0,
      allowed_updates: ["message", "edited_message", "callback_query", "my_chat_member"],
    });
    expect(second?.payload).toMatchObject({ offset: (rig.handled.at(-1)?.update_id ?? 0) + 1 });
    await rig.stop();
    await running;
    expect(rig.ending()).toBe(OVER);
  });

  test("confirms nothing before it is kept, and hands on only what is new", async () => {
    const kept = Promise.withResolvers<void>();
    const rig = await startPoller(undefined, async (batch) => {
      if (batch.length === 0) return batch;
      await kept.promise;
      return batch.slice(1);
    });
    for (const words of ["seen before", "new"]) await rig.ada.say(words);
    const running = rig.poller.run();
    await rig.called("getUpdates", 1);
    await rig.clock.advance(60_000);
    expect([rig.server.pendingUpdates.length, rig.handled.length, rig.polls().length]).toEqual([2, 0, 1]);
    kept.resolve();
    await rig.server.until(() => rig.server.pendingUpdates.length === 0);
    expect(texts(rig.handled)).toEqual(["new"]);
    await rig.stop();
    await running;
  });

  test.each([
    { what: "when Telegram gave it, whatever keeping it took", keptAfter: 80, arrival: 0 },
    { what: "when it was kept, where that took long", keptAfter: 60_000, arrival: 60_000 },
  ])("says that a batch came $what", async ({ keptAfter, arrival }) => {
    const keeping = Promise.withResolvers<void>();
    const rig = await startPoller(undefined, async (batch) => {
      keeping.resolve();
      await rig.clock.sleep(keptAfter);
      return batch;
    });
    await rig.ada.say("hello");
    const running = rig.poller.run();
    await keeping.promise;
    await rig.clock.advance(keptAfter);
    expect(rig.arrivals).toEqual([arrival]);
    await rig.stop();
    await running;
  });

  test("that is stopped before a batch was kept leaves it at Telegram", async () => {
    const rig = await startPoller(
      undefined,
      (_batch, stopped) =>
        new Promise((resolve) => stopped.addEventListener("abort", () => resolve(undefined))),
    );
    await rig.ada.say("kept nowhere");
    const running = rig.poller.run();
    await rig.called("getUpdates", 1);
    await rig.clock.settle();
    await rig.stop();
    await running;
    expect([rig.ending(), rig.handled.length, rig.server.pendingUpdates.length]).toEqual([OVER, 0, 1]);
  });

  test("knows when Telegram last answered", async () => {
    const rig = await startPoller();
    expect(rig.poller.lastGoodPoll).toBeUndefined();
    await rig.ada.say("one");
    const running = rig.poller.run();
    await rig.called("getUpdates", 2);
    expect(rig.poller.lastGoodPoll).toBe(rig.clock.date());
    await rig.stop();
    await running;
  });

  test("hands on the updates of one batch in one synchronous step, without waiting for any", async () => {
    const steps: string[] = [];
    const rig = await startPoller(async (update) => {
      steps.push(`take ${update.message?.text}`);
      if (steps.length === 1) queueMicrotask(() => steps.push("a later step"));
      await new Promise(() => undefined);
    });
    for (const words of ["one", "two", "three"]) await rig.ada.say(words);
    void rig.poller.run();
    await rig.called("getUpdates", 2);
    expect(steps).toEqual(["take one", "take two", "take three", "a later step"]);
    await rig.stop();
  });

  test("goes on when an update cannot be handled, and says so", async () => {
    const rig = await startPoller((update) =>
      update.message?.text === "one" ? Promise.reject(new Error("a fault")) : Promise.resolve(),
    );
    await rig.ada.say("one");
    await rig.ada.say("two");
    void rig.poller.run();
    await rig.called("getUpdates", 2);
    await rig.ada.say("three");
    await rig.server.until(() => rig.handled.length === 3);
    expect(rig.log.lines).toEqual([
      { level: "error", fields: { err: new Error("a fault") }, message: "an update could not be handled" },
    ]);
    await rig.stop();
  });
});

describe("a stop", () => {
  test("ends a waiting poll at once and confirms what was received", async () => {
    const rig = await startPoller();
    await rig.ada.say("one");
    const running = rig.poller.run();
    await rig.called("getUpdates", 2);
    await rig.server.until(() => rig.server.polling);
    const before = rig.clock.now();
    await rig.stop();
    await running;
    expect(rig.ending()).toBe(OVER);
    expect(rig.clock.now() - before).toBeLessThan(3_000);
    const last = rig.server.callsOf("getUpdates").at(-1);
    expect(last?.payload).toEqual({
      offset: (rig.handled[0]?.update_id ?? 0) + 1,
      limit: 1,
      timeout: 0,
    });
    expect(rig.server.pendingUpdates).toEqual([]);
    expect(rig.clock.sleepers).toBe(0);
  });

  test("confirms nothing when nothing was received", async () => {
    const rig = await startPoller();
    void rig.poller.run();
    await rig.server.until(() => rig.server.polling);
    const polls = rig.polls().length;
    await rig.poller.stop();
    expect(rig.polls()).toHaveLength(polls);
  });

  test("may come before any start", async () => {
    const rig = await startPoller();
    await expect(rig.poller.stop()).resolves.toBeUndefined();
    expect(rig.server.calls).toEqual([]);
  });

  test("does not wait out a pause between two tries", async () => {
    const rig = await startPoller();
    rig.server.faults.calls({ kind: "error", code: 502, description: "Bad Gateway", methods: "getUpdates" });
    const running = rig.poller.run();
    await rig.advanceUntil(() => rig.log.lines.length === 1, 0);
    expect(rig.clock.sleepers).toBe(1);
    await rig.poller.stop();
    await running;
    expect(rig.ending()).toBe(OVER);
    expect(rig.clock.sleepers).toBe(0);
  });

  test("does not wait for a webhook that cannot be removed", async () => {
    const rig = await startPoller();
    rig.server.faults.calls({ kind: "error", code: 409, description: "Conflict", methods: "getUpdates" });
    rig.server.faults.calls({ kind: "hang", when: "before", methods: "deleteWebhook" });
    const running = rig.poller.run();
    await rig.called("deleteWebhook");
    await rig.poller.stop();
    await running;
    expect(rig.ending()).toBe(OVER);
  });

  test("gives a confirmation that is not answered two seconds", async () => {
    const rig = await startPoller();
    await rig.ada.say("one");
    void rig.poller.run();
    await rig.called("getUpdates", 2);
    await rig.server.until(() => rig.server.polling);
    rig.server.faults.calls({ kind: "hang", when: "before", methods: "getUpdates" });
    let stopped = false;
    const stopping = rig.poller.stop().then(() => (stopped = true));
    await rig.called("getUpdates", 3);
    await rig.clock.advance(1_999);
    expect(stopped).toBe(false);
    await rig.clock.advance(1);
    await stopping;
    expect(rig.log.messages("warn")).toEqual([]);
  });

  test("says so when what was received could not be confirmed", async () => {
    const rig = await startPoller();
    await rig.ada.say("one");
    void rig.poller.run();
    await rig.called("getUpdates", 2);
    await rig.server.until(() => rig.server.polling);
    rig.server.faults.calls({ kind: "html", status: 502, methods: "getUpdates" });
    await rig.poller.stop();
    expect(rig.log.messages("warn")).toEqual(["the last messages could not be confirmed"]);
  });
});

describe("a conflict", () => {
  const conflict = {
    kind: "error",
    code: 409,
    description: "Conflict: terminated by other getUpdates request",
    methods: "getUpdates",
  } as const;

  test("is borne with growing waits and a clear log, and after five minutes the bot is left to the other", async () => {
    const rig = await startPoller();
    rig.server.faults.calls(conflict);
    void rig.poller.run();
    await rig.advanceUntil(() => rig.ending() !== undefined);
    expect(rig.ending()).toBeInstanceOf(ConflictError);
    expect(rig.clock.now()).toBeGreaterThanOrEqual(5 * 60_000);
    expect(rig.clock.now()).toBeLessThan(5 * 60_000 + 40_000);
    const polls = rig.polls();
    expect(polls.length).toBeLessThan(20);
    expect((polls[1] ?? 0) - (polls[0] ?? 0)).toBeLessThan(2_000);
    expect((polls.at(-1) ?? 0) - (polls.at(-2) ?? 0)).toBeGreaterThanOrEqual(30_000);
    for (const message of rig.log.messages("warn")) {
      expect(message).toMatch(/^Another program receives this bot's messages\. Stop it, or .*Trying again$/);
    }
  });

  test("counts from the last success or other fault on, and not from long ago", async () => {
    const rig = await startPoller();
    const first = rig.server.faults.calls(conflict);
    void rig.poller.run();
    await rig.advanceUntil(() => rig.clock.now() > 4 * 60_000);
    first.off();
    const down = rig.server.faults.calls({ kind: "html", status: 502, methods: "getUpdates" });
    await rig.advanceUntil(() => down.hits > 3);
    down.off();
    rig.server.faults.calls(conflict);
    const again = rig.clock.now();
    await rig.advanceUntil(() => rig.clock.now() > again + 4 * 60_000);
    expect(rig.ending()).toBeUndefined();
    await rig.advanceUntil(() => rig.ending() !== undefined);
    expect(rig.ending()).toBeInstanceOf(ConflictError);
  });

  test("with a webhook ends with its removal, and no update is dropped", async () => {
    const rig = await startPoller();
    await rig.ada.say("before");
    await rig.api.setWebhook("https://example.org/hook");
    void rig.poller.run();
    await rig.advanceUntil(() => rig.handled.length > 0, 100);
    expect(texts(rig.handled)).toEqual(["before"]);
    expect(rig.server.callsOf("deleteWebhook")[0]?.payload).toEqual({ drop_pending_updates: false });
    await rig.stop();
  });
});

describe("a fault", () => {
  test.each([401, 404])("%d tells that the token is wrong, and ends at once", async (code) => {
    const rig = await startPoller();
    rig.server.faults.calls({ kind: "error", code, description: "Unauthorized" });
    await rig.poller.run();
    expect(rig.ending()).toBeInstanceOf(UnauthorizedError);
    expect(String(rig.ending())).toContain("TELEGRAM_BOT_TOKEN");
    await rig.stop();
  });

  test.each([
    { kind: "error", code: 500, description: "Internal Server Error" },
    { kind: "html", status: 502 },
    { kind: "reset", when: "before" },
    { kind: "cut" },
  ] as const)("%o is tried again with growing waits of at most five seconds", async (fault) => {
    const rig = await startPoller();
    const active = rig.server.faults.calls({ ...fault, methods: "getUpdates" });
    void rig.poller.run();
    await rig.advanceUntil(() => active.hits > 8);
    active.off();
    const waits = rig.polls().map((at, index, all) => at - (all[index - 1] ?? 0));
    // What is cut was an answer to a poll that had waited its time.
    const slack = fault.kind === "cut" ? 34_000 : 4_000;
    for (const [index, wait] of [1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000].entries()) {
      expect(waits[index + 1]).toBeGreaterThanOrEqual(wait);
      expect(waits[index + 1]).toBeLessThanOrEqual(wait + slack);
    }
    await rig.ada.say("after");
    await rig.advanceUntil(() => rig.handled.length === 1);
    expect(texts(rig.handled)).toEqual(["after"]);
    await rig.stop();
  });

  test("an answer that was cut loses no update", async () => {
    const rig = await startPoller();
    await rig.ada.say("one");
    rig.server.faults.calls({ kind: "cut", methods: "getUpdates", times: 1 });
    void rig.poller.run();
    await rig.advanceUntil(() => rig.handled.length === 1);
    expect(texts(rig.handled)).toEqual(["one"]);
    await rig.stop();
  });

  test("an outage is waited out", async () => {
    const rig = await startPoller();
    void rig.poller.run();
    await rig.server.until(() => rig.server.polling);
    const outage = await rig.server.faults.outage();
    await rig.advanceUntil(() => rig.log.messages("warn").length > 3);
    await outage.end();
    await rig.ada.say("back");
    await rig.advanceUntil(() => rig.handled.length === 1);
    expect(texts(rig.handled)).toEqual(["back"]);
    for (const message of rig.log.messages("warn")) {
      expect(message).toBe("Telegram could not be asked for messages. Trying again");
    }

    // It worked in between, so the next wait is a short one again.
    const hiccup = rig.server.faults.calls({ kind: "html", status: 502, methods: "getUpdates", times: 1 });
    await rig.ada.say("more");
    await rig.advanceUntil(() => hiccup.hits === 1, 100);
    const before = rig.polls().length;
    await rig.advanceUntil(() => rig.polls().length > before, 100);
    const [failed = 0, next = 0] = rig.polls().slice(-2);
    expect(next - failed).toBeLessThan(1_500);
    await rig.stop();
  });

  test("a rest that Telegram asks for is kept", async () => {
    const rig = await startPoller();
    rig.server.faults.calls({ kind: "flood", retryAfter: 90, methods: "getUpdates", times: 1 });
    void rig.poller.run();
    await rig.advanceUntil(() => rig.polls().length > 1, 1_000);
    expect(rig.polls()[1]).toBeGreaterThanOrEqual(90_000);
    expect(rig.polls()[1]).toBeLessThan(95_000);
    await rig.stop();
  });

  test("a poll that neither answers nor fails is given up after its time and fifteen seconds", async () => {
    const rig = await startPoller();
    rig.server.faults.calls({ kind: "hang", when: "before", methods: "getUpdates", times: 1 });
    void rig.poller.run();
    await rig.called("getUpdates");
    await rig.clock.advance(44_999);
    expect(rig.log.lines).toEqual([]);
    await rig.clock.advance(1);
    await rig.advanceUntil(() => rig.log.lines.length === 1, 0);
    await rig.advanceUntil(() => rig.polls().length === 2, 100);
    expect(rig.clock.now()).toBeLessThan(48_000);
    await rig.stop();
  });
});

const HOUR = 3_600_000;

describe("what waited at Telegram", () => {
  test("before the run is fetched by itself, and told from what is written then", async () => {
    const rig = await startPoller();
    for (const words of ["one", "two"]) await rig.ada.say(words);
    void rig.poller.run();
    // The test hears of the poll before its answer is out.
    await rig.server.until(() => rig.timeouts().at(-1) === 30, { what: "a poll that waits" });
    await rig.ada.say("live");
    await rig.advanceUntil(() => rig.handled.length === 3, 10);
    expect([rig.backlogs, rig.timeouts().slice(0, 3)]).toEqual([
      [true, true, false],
      [0, 0, 30],
    ]);
    await rig.stop();
  });

  test("is none of what comes as soon as the run has begun", async () => {
    const rig = await startPoller();
    void rig.poller.run();
    await rig.called("getUpdates");
    await rig.ada.say("at once");
    await rig.advanceUntil(() => rig.handled.length === 1, 10);
    expect(rig.backlogs).toEqual([false]);
    await rig.stop();
  });

  test.each([
    ["more than six hours", 7, [true, false]],
    ["a shorter time", 5, [false, false]],
  ])(
    "while the machine slept or was offline for %s is told from what comes then (%d hours)",
    async (_, hours, backlogs) => {
      const rig = await startPoller();
      void rig.poller.run();
      await rig.called("getUpdates", 2);
      const outage = await rig.server.faults.outage();
      await rig.advanceUntil(() => rig.log.lines.length > 0);
      // As a machine that sleeps: no time has passed for it when it wakes.
      rig.setClock(hours * HOUR);
      await rig.ada.say("in the meantime");
      await outage.end();
      await rig.advanceUntil(() => rig.handled.length === 1);
      await rig.advanceUntil(() => rig.timeouts().at(-1) === 30, 10);
      await rig.ada.say("live");
      await rig.advanceUntil(() => rig.handled.length === 2);
      expect(rig.backlogs).toEqual(backlogs);
      await rig.stop();
    },
  );

  test.each([24 * HOUR, -24 * HOUR])(
    "is none of what comes when the machine's clock is set while a poll waits (by %d ms)",
    async (ms) => {
      const rig = await startPoller();
      void rig.poller.run();
      await rig.called("getUpdates", 2);
      rig.setClock(ms);
      await rig.ada.say("one");
      await rig.advanceUntil(() => rig.handled.length === 1);
      await rig.ada.say("two");
      await rig.advanceUntil(() => rig.handled.length === 2);
      expect(rig.backlogs).toEqual([false, false]);
      await rig.stop();
    },
  );
});
