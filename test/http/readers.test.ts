import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { opens, says } from "../domain/events.ts";
import { LARGEST_BACKLOG } from "../../src/http/backlog.ts";
import { CLOSING, SLOW_WORDS, TOO_SLOW } from "../../src/http/hub.ts";
import { createReaders, LARGEST_SUM } from "../../src/http/readers.ts";
import { createHttpRig, openBrowser } from "./rig.ts";

const MEBIBYTE = 2 ** 20;

/** A reader of whom so much waits. */
function reader(readers: ReturnType<typeof createReaders>, waiting: number) {
  const own = { waiting, isClosed: false };
  const { hands, remove } = readers.add({
    waiting: () => own.waiting,
    close() {
      own.isClosed = true;
      own.waiting = 0;
    },
  });
  return { own, hands, remove };
}

describe("slow readers together", () => {
  test("are let be up to the bound, and beyond it the one for whom most waits is closed first", () => {
    const readers = createReaders(100 * MEBIBYTE);
    const all = [20, 50, 30].map((size) => reader(readers, size * MEBIBYTE));
    const closed = () => all.map(({ own }) => own.isClosed);
    all[0]?.hands(2 * MEBIBYTE);
    expect(closed()).toEqual([false, false, false]);
    const quick = reader(readers, 1);
    quick.hands(2 * MEBIBYTE);
    expect(closed()).toEqual([false, true, false]);
    expect(quick.own.isClosed).toBe(false);
  });

  test("do not count any more once they have gone", () => {
    const readers = createReaders(10 * MEBIBYTE);
    const [one, other] = [reader(readers, 8 * MEBIBYTE), reader(readers, 8 * MEBIBYTE)];
    one.remove();
    other.hands(2 * MEBIBYTE);
    expect([one.own.isClosed, other.own.isClosed]).toEqual([false, false]);
  });

  test("never hold more than the bound and what was handed over since the last look", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ who: fc.nat(9), bytes: fc.nat(3 * MEBIBYTE) }), { maxLength: 80 }),
        (steps) => {
          const readers = createReaders(8 * MEBIBYTE);
          const all = Array.from({ length: 10 }, () => reader(readers, 0));
          for (const { who, bytes } of steps) {
            const one = all[who];
            if (one === undefined || one.own.isClosed) continue;
            one.hands(bytes);
            if (!one.own.isClosed) one.own.waiting += bytes;
            const sum = all.reduce((total, { own }) => total + own.waiting, 0);
            expect(sum).toBeLessThanOrEqual((8 + 1 + 3) * MEBIBYTE);
          }
        },
      ),
    );
  });

  test("are asked what waits only once in a while", () => {
    const readers = createReaders();
    let looks = 0;
    const { hands } = readers.add({ waiting: () => (looks += 1), close: () => undefined });
    for (let count = 0; count < 10_000; count += 1) hands(1_000);
    expect(looks).toBeLessThan(11);
  });
});

/** A session whose agent speaks. */
async function running(rig: ReturnType<typeof createHttpRig>) {
  const session = rig.sessions.create({ face: "deck" });
  const draft = { ready: Promise.resolve({ text: "go", images: [], files: [] }), release: () => undefined };
  session.prompt(draft, { face: "deck", mode: "queue", requestId: "r", text: "go" });
  const agent = await rig.agent();
  for (const event of [{ type: "turn_start" } as const, opens("a"), says("a", "0 ")]) agent.emit(event);
  return { session, speak: () => agent.emit(says("a", "x".repeat(MEBIBYTE / 2))) };
}

describe("more browsers that do not read than memory is meant for them", () => {
  test("lose the one for whom most waits, with a reason, and its connection soon after", async () => {
    using rig = createHttpRig({ largestSum: 12 * MEBIBYTE });
    const { session, speak } = await running(rig);
    const [slowest, slow, quick] = [openBrowser(rig.hub), openBrowser(rig.hub), openBrowser(rig.hub)];
    for (const { says: say } of [slowest, slow, quick]) say({ type: "subscribe", sessionId: session.id });
    slowest.state.isStuck = true;
    slowest.state.buffered = MEBIBYTE;
    slow.state.isStuck = true;
    for (let count = 0; count < 13; count += 1) speak();
    expect(slowest.state.closed).toEqual({ code: TOO_SLOW, reason: SLOW_WORDS.together });
    expect(slow.state.closed).toBeUndefined();
    expect(quick.state.closed).toBeUndefined();
    expect(slowest.state.buffered).toBeLessThan(LARGEST_BACKLOG);
    expect(slowest.state.terminated).toBe(false);
    await rig.clock.advance(CLOSING);
    expect(slowest.state.terminated).toBe(true);
    const heard = quick.frames.length;
    speak();
    expect(quick.frames).toHaveLength(heard + 1);
  });

  test("do not count one that has left", async () => {
    using rig = createHttpRig({ largestSum: 12 * MEBIBYTE });
    const { session, speak } = await running(rig);
    const [left, slow] = [openBrowser(rig.hub), openBrowser(rig.hub)];
    for (const { says: say } of [left, slow]) say({ type: "subscribe", sessionId: session.id });
    left.state.buffered = 11 * MEBIBYTE;
    left.leave();
    slow.state.isStuck = true;
    for (let count = 0; count < 8; count += 1) speak();
    expect([left.state.closed, slow.state.closed]).toEqual([undefined, undefined]);
  });

  test.each([
    ["alone", LARGEST_SUM, SLOW_WORDS.alone],
    ["together", 4 * MEBIBYTE, SLOW_WORDS.together],
  ])(
    "so do programs that read events too slowly, %s: the last event says why",
    async (_, largestSum, reason) => {
      using rig = createHttpRig({ largestSum });
      const { session, speak } = await running(rig);
      const response = await rig.ask("GET", `/api/sessions/${session.id}/events`);
      for (let count = 0; count < 30; count += 1) speak();
      const reading = response.text();
      await rig.clock.advance(CLOSING);
      const end = (await reading).slice(-300);
      expect(end).toContain(reason);
      expect(end).toContain("event: error");
    },
  );

  test("and what waits for such a program is let go of where it goes on reading nothing", async () => {
    using rig = createHttpRig({ largestSum: 4 * MEBIBYTE });
    const { session, speak } = await running(rig);
    const response = await rig.ask("GET", `/api/sessions/${session.id}/events`);
    for (let count = 0; count < 30; count += 1) speak();
    await rig.clock.advance(CLOSING);
    await expect(response.text()).rejects.toThrow(SLOW_WORDS.together);
  });
});
