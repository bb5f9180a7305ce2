import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAgentPlaces, type Place, type PlaceRequest } from "../../src/session/agent-places.ts";
import { agentsForMemory } from "../../src/config/agents-for-memory.ts";

/** Somebody who lines up, and what became of that. */
function lineUp(places: ReturnType<typeof createAgentPlaces>) {
  const own = { isResting: false, putToRest: 0, place: undefined as Place | undefined };
  const request = places.request({
    isResting: () => own.isResting,
    putToRest: () => (own.putToRest += 1),
  });
  void request.place.then((place) => (own.place = place));
  return { own, request };
}

const settle = (): Promise<void> => new Promise(setImmediate);

describe("the places of agents", () => {
  test("are given to those who came first, as many as there are", async () => {
    const places = createAgentPlaces(2);
    const all = [lineUp(places), lineUp(places), lineUp(places), lineUp(places)];
    await settle();
    const have = () => all.map(({ own }) => own.place !== undefined);
    expect(have()).toEqual([true, true, false, false]);
    all[1]?.own.place?.free();
    await settle();
    expect(have()).toEqual([true, true, true, false]);
    all[0]?.own.place?.free();
    await settle();
    expect(have()).toEqual([true, true, true, true]);
  });

  test("are freed once each, however often that is said", async () => {
    const places = createAgentPlaces(1);
    const [first, , third] = [lineUp(places), lineUp(places), lineUp(places)];
    await settle();
    first?.own.place?.free();
    first?.own.place?.free();
    await settle();
    expect(third?.own.place).toBeUndefined();
  });

  test("are taken from the agent that has rested longest, one for each who waits", async () => {
    const places = createAgentPlaces(3);
    const [a, b, c] = [lineUp(places), lineUp(places), lineUp(places)] as const;
    await settle();
    for (const { own } of [a, c]) own.isResting = true;
    c.own.place?.rests();
    a.own.place?.rests();
    const { request } = lineUp(places);
    expect([a.own.putToRest, b.own.putToRest, c.own.putToRest]).toEqual([0, 0, 1]);
    expect(request.isHeldUp).toBe(false);
    expect(places.isAwaited).toBe(false);
    lineUp(places);
    expect(a.own.putToRest).toBe(1);
    const last = lineUp(places);
    expect([a.own.putToRest, b.own.putToRest, c.own.putToRest]).toEqual([1, 0, 1]);
    expect(last.request.isHeldUp).toBe(true);
    expect(places.isAwaited).toBe(true);
  });

  test("have no room for who would only like one while somebody is in line, or nobody rests", async () => {
    const places = createAgentPlaces(1);
    expect(places.hasRoom).toBe(true);
    const first = lineUp(places);
    await settle();
    expect(places.hasRoom).toBe(false);
    first.own.isResting = true;
    expect(places.hasRoom).toBe(true);
    lineUp(places);
    expect(places.hasRoom).toBe(false);
  });

  test("go to the next one where somebody has left the line, or has no use for the place", async () => {
    const places = createAgentPlaces(1);
    const [first, second, third, fourth] = [
      lineUp(places),
      lineUp(places),
      lineUp(places),
      lineUp(places),
    ] as const;
    await settle();
    second.request.withdraw();
    first.request.withdraw();
    await settle();
    expect(second.own.place).toBeUndefined();
    expect(third.own.place).toBeDefined();
    third.own.place?.free();
    third.request.withdraw();
    await settle();
    expect(fourth.own.place).toBeDefined();
  });

  test("are never more than there are, and everybody who waits gets one once the others are done", async () => {
    const step = fc.record({
      what: fc.constantFrom("line up", "rest", "work", "free", "withdraw"),
      who: fc.nat(7),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 60 }),
        async (most, steps) => {
          const places = createAgentPlaces(most);
          const all: { own: ReturnType<typeof lineUp>["own"]; request: PlaceRequest; over: boolean }[] = [];
          const running = () => all.filter(({ own, over }) => own.place !== undefined && !over);
          const end = (one: (typeof all)[number] | undefined): void => {
            if (one === undefined) return;
            one.over = true;
            one.own.place?.free();
          };
          for (const { what, who } of steps) {
            const one = all[who % Math.max(1, all.length)];
            if (what === "line up") all.push({ ...lineUp(places), over: false });
            if (what === "withdraw" && one !== undefined) {
              one.over = true;
              one.request.withdraw();
            }
            if (what === "free" && one?.own.place !== undefined) end(one);
            if (one !== undefined && (what === "rest" || what === "work"))
              one.own.isResting = what === "rest";
            await Promise.resolve();
            for (const each of all) if (each.own.putToRest > 0) end(each);
            await Promise.resolve();
            expect(running().length).toBeLessThanOrEqual(most);
          }
          for (let round = 0; round <= all.length; round += 1) {
            await Promise.resolve();
            await Promise.resolve();
            for (const each of running()) end(each);
          }
          expect(all.filter(({ own, over }) => own.place === undefined && !over)).toEqual([]);
        },
      ),
    );
  });
});

describe("as many agents run at once where nobody says it", () => {
  const MB = 2 ** 20;
  test.each([
    ["a small machine", 1_024 * MB, 0, 2],
    ["a tiny one", 256 * MB, 0, 2],
    ["one of 8 GB", 8_192 * MB, 0, 16],
    ["a large one", 512 * 1_024 * MB, 0, 32],
    ["a container with 2 GB", 65_536 * MB, 2_048 * MB, 4],
    ["a container whose limit is beyond what there is", 4_096 * MB, 2 ** 64, 8],
  ])("on %s", (_, total, constrained, most) => {
    expect(agentsForMemory(total, constrained)).toBe(most);
  });
});
