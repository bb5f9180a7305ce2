import { expect, test } from "vitest";
import { createBackoff } from "../../src/telegram/backoff.ts";
import { createInbox } from "../../src/telegram/inbox.ts";
import { createStoreRig } from "../store/store-rig.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { messageUpdate } from "./updates.ts";

function setUp() {
  const rig = createStoreRig();
  const log = createMemoryLog();
  const state = { full: false };
  const refuse = (): void => {
    if (state.full) throw new Error("database or disk is full");
  };
  const inbox = createInbox({
    store: {
      adopt: (botId) => rig.store.updates.adopt(botId),
      add(updates) {
        refuse();
        return rig.store.updates.add(updates);
      },
      heard(polled) {
        refuse();
        rig.store.updates.heard(polled);
      },
      polled: () => rig.store.updates.polled(),
      replace(id, body) {
        refuse();
        rig.store.updates.replace(id, body);
      },
      spend(ids) {
        refuse();
        rig.store.updates.spend(ids);
      },
      unspent: () => rig.store.updates.unspent(),
      together: (work) => rig.store.together(work),
      bodies: (ids) => rig.store.updates.bodies(ids),
    },
    clock: rig.clock,
    log,
    backoff: createBackoff(() => 0.5),
  });
  return Object.assign(rig, { log, state, inbox });
}

const running = new AbortController().signal;
const update = (id: number, text: string) => ({ ...messageUpdate({ text }), update_id: id });

test("a batch is stored whole before it is given on, without what came before", async () => {
  using rig = setUp();
  const [one, two] = [update(1, "one"), update(2, "two")];
  expect(await rig.inbox.keep([one], running)).toEqual([one]);
  expect(await rig.inbox.keep([one, two], running)).toEqual([two]);
  expect(rig.inbox.unspent()).toEqual([one, two]);
  rig.inbox.spend([1]);
  expect(rig.inbox.unspent()).toEqual([two]);
  expect(rig.inbox.recall([2, 1])).toEqual([two, one]);
});

test("on a full disk nothing is given on; evie says so, and goes on when there is room again", async () => {
  using rig = setUp();
  rig.state.full = true;
  let given: unknown = "nothing yet";
  const keeping = rig.inbox.keep([update(1, "one")], running).then((batch) => (given = batch));
  await rig.clock.advance(60_000);
  expect(given).toBe("nothing yet");
  expect(rig.inbox.trouble).toMatch(/disk is full.*See that the disk has room/);
  expect(rig.log.messages("error").length).toBeGreaterThan(2);
  rig.state.full = false;
  await rig.clock.advance(30_000);
  await keeping;
  expect(given).toHaveLength(1);
  expect(rig.inbox.trouble).toBeUndefined();
});

test("a stop ends the wait for room, and the batch is nobody's", async () => {
  using rig = setUp();
  rig.state.full = true;
  const stopping = new AbortController();
  const keeping = rig.inbox.keep([update(1, "one")], stopping.signal);
  await rig.clock.settle();
  stopping.abort();
  expect(await keeping).toBeUndefined();
});

test("what was answered and cannot be noted is in the log, and evie goes on", async () => {
  using rig = setUp();
  await rig.inbox.keep([update(1, "one")], running);
  rig.state.full = true;
  rig.inbox.spend([1]);
  expect(rig.log.messages("error")).toEqual(["what was answered could not be noted"]);
  expect(rig.inbox.unspent()).toHaveLength(1);
});

test("how an update is taken is kept with it, and comes back with it", async () => {
  using rig = setUp();
  const [one, two] = [update(1, "/new one"), update(2, "two")];
  await rig.inbox.keep([one, two], running);
  rig.inbox.decide(one, "words");
  expect(rig.inbox.unspent()).toEqual([{ ...one, taken_as: "words" }, two]);
  rig.state.full = true;
  expect(() => rig.inbox.decide(two, "whole")).toThrow("full");
  expect(rig.inbox.recall([2])).toEqual([two]);
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("when Telegram was polled is noted every ten minutes, and known to the next evie and to no other bot's", async () => {
  using rig = setUp();
  rig.inbox.adopt(1);
  expect([rig.inbox.wasAway, rig.store.updates.polled()]).toEqual([true, undefined]);
  const since = rig.clock.date();
  await rig.inbox.keep([], running);
  await rig.clock.advance(9 * MINUTE);
  await rig.inbox.keep([update(1, "one")], running);
  expect(rig.store.updates.polled()).toEqual({ since, until: since });
  await rig.clock.advance(MINUTE);
  await rig.inbox.keep([], running);
  expect(rig.store.updates.polled()).toEqual({ since, until: since + 10 * MINUTE });

  await rig.clock.advance(HOUR);
  rig.inbox.adopt(1);
  expect([rig.inbox.wasAway, rig.inbox.wasPolledAt(since)]).toEqual([false, true]);
  rig.inbox.adopt(2);
  expect([rig.inbox.wasAway, rig.inbox.wasPolledAt(since)]).toEqual([true, false]);
});

test("a time of polling goes on over a short break, and ends with a long one", async () => {
  using rig = setUp();
  rig.inbox.adopt(1);
  const began = rig.clock.date();
  const polled = () => [began - 1, began, began + 7 * HOUR, rig.clock.date()].map(rig.inbox.wasPolledAt);
  await rig.inbox.keep([], running);
  await rig.clock.advance(5 * HOUR);
  rig.inbox.adopt(1);
  await rig.inbox.keep([], running);
  await rig.clock.advance(5 * HOUR);
  await rig.inbox.keep([], running);
  expect(polled()).toEqual([false, true, true, true]);
  await rig.clock.advance(7 * HOUR);
  expect(polled()).toEqual([false, true, true, false]);
  await rig.inbox.keep([], running);
  expect(polled()).toEqual([false, true, true, true]);
  expect(rig.inbox.wasPolledAt(began + 12 * HOUR)).toBe(false);
  expect(rig.store.updates.polled()?.since).toBe(began + 17 * HOUR);
});

test("a poll is no worse for a note that cannot be taken", async () => {
  using rig = setUp();
  rig.inbox.adopt(1);
  rig.state.full = true;
  expect(await rig.inbox.keep([], running)).toEqual([]);
  expect(rig.log.messages("warn")).toEqual(["when Telegram answered could not be noted"]);
});
