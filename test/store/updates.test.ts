import { expect, test } from "vitest";
import { makeSessionId, makeTurnId } from "../../src/domain/ids.ts";
import { createStoreRig } from "./store-rig.ts";
import { drain } from "../fakes/drain.ts";

const HOUR = 3_600_000;

const update = (id: number, body = `{"update_id":${id}}`) => ({ id, chat: "7", body });

test("what was stored is there after a restart, in the order of its arrival, until it is spent", () => {
  using rig = createStoreRig();
  expect(rig.store.updates.add([update(900), update(3)])).toEqual(new Set([900, 3]));
  const { updates } = rig.reopen();
  expect(updates.unspent()).toEqual(['{"update_id":900}', '{"update_id":3}']);
  updates.spend([900]);
  expect(rig.reopen().updates.unspent()).toEqual(['{"update_id":3}']);
});

test("an update that comes again is recognised, spent or not, in its batch or in a later one", () => {
  using rig = createStoreRig();
  const { updates } = rig.store;
  expect(updates.add([update(1), update(1, "other"), update(2)])).toEqual(new Set([1, 2]));
  updates.spend([1]);
  expect(updates.add([update(2), update(1), update(3)])).toEqual(new Set([3]));
  expect(updates.unspent()).toEqual(['{"update_id":2}', '{"update_id":3}']);
});

test("numbers may begin anew below the last one, and after days a number is another update's", async () => {
  using rig = createStoreRig();
  const { updates } = rig.store;
  updates.add([update(500)]);
  updates.spend([500]);
  expect(updates.add([update(20)])).toEqual(new Set([20]));
  await rig.clock.advance(24 * HOUR);
  expect(updates.add([update(500)])).toEqual(new Set());
  await rig.clock.advance(24 * HOUR + 1);
  expect(updates.add([update(500, "later")])).toEqual(new Set([500]));
  expect(updates.bodies([500])).toEqual(["later"]);
  expect(updates.unspent()).toEqual(['{"update_id":20}', "later"]);
});

test("bodies come in the order that is asked for, and what is not here is left out", () => {
  using rig = createStoreRig();
  rig.store.updates.add([update(1), update(2)]);
  expect(rig.store.updates.bodies([2, 99, 1])).toEqual(['{"update_id":2}', '{"update_id":1}']);
});

test("a body is replaced where its update stands, spent or not", () => {
  using rig = createStoreRig();
  const { updates } = rig.store;
  updates.add([update(1), update(2)]);
  updates.replace(1, "another");
  updates.replace(99, "of nothing");
  expect(rig.reopen().updates.unspent()).toEqual(["another", '{"update_id":2}']);
});

test("a sweep takes what is spent and old, and leaves what a turn is made of", () => {
  using rig = createStoreRig();
  const { updates, turns, old } = rig.store;
  updates.add([update(1), update(2), update(3)]);
  updates.spend([1]);
  turns.flushed({ id: makeTurnId(), sessionId: makeSessionId(), face: "telegram", sources: [2] });
  drain(old.updates(rig.clock.date()));
  expect(updates.bodies([1, 2, 3])).toHaveLength(3);
  drain(old.updates(rig.clock.date() + 1));
  expect(updates.bodies([1, 2, 3])).toEqual(['{"update_id":2}', '{"update_id":3}']);
});

test("a transaction that fails leaves nothing behind, whatever was done in it", () => {
  using rig = createStoreRig();
  const { updates, together } = rig.store;
  updates.add([update(1)]);
  const fail = () =>
    together(() => {
      updates.spend([1]);
      together(() => updates.add([update(2)]));
      throw new Error("no room");
    });
  expect(fail).toThrow("no room");
  expect(updates.unspent()).toEqual(['{"update_id":1}']);
  expect(updates.add([update(3)])).toEqual(new Set([3]));
});

test("what another bot was sent is answered no more, and its numbers are free", () => {
  using rig = createStoreRig();
  const { updates, turns } = rig.store;
  updates.adopt(11);
  updates.add([update(1), update(2)]);
  const id = makeTurnId();
  turns.flushed({ id, sessionId: makeSessionId(), face: "telegram", sources: [2] });
  updates.adopt(11);
  expect([updates.unspent().length, turns.open().length]).toEqual([1, 1]);
  rig.reopen().updates.adopt(12);
  expect([rig.store.updates.unspent(), rig.store.turns.open()]).toEqual([[], []]);
  expect(rig.store.updates.add([update(1)])).toEqual(new Set([1]));
});
