import { execFile } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createCollect, giveMemoryBack } from "../src/memory.ts";
import { createFakeClock } from "./fakes/fake-clock.ts";

const FILE = fileURLToPath(new URL("../src/memory.ts", import.meta.url));

/** Makes many objects of which a few stay for a while, in a process of its own, and gives the bytes that new ones may take then. */
async function bytesForNew(first: string): Promise<number> {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { keepYoungGenerationSmall } from ${JSON.stringify(FILE)};
    ${first}
    const kept = [];
    for (let count = 0; count < 3_000_000; count += 1) kept[count % 60_000] = { count, list: [count] };
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return Number(stdout);
}

test("what new objects may take of memory does not grow with what happens", async () => {
  expect(await bytesForNew("")).toBeGreaterThan(16_000_000);
  expect(await bytesForNew("keepYoungGenerationSmall();")).toBeLessThan(8_000_000);
});

describe("memory is given back", () => {
  /** Looks at the processor's use every 15 s; gives after which looks garbage was collected. */
  async function collections(uses: readonly number[]): Promise<readonly number[]> {
    const clock = createFakeClock();
    const ended = new AbortController();
    const collected: number[] = [];
    let used = 0;
    const collect = (): void => {
      collected.push(clock.now() / 15_000);
      used += 5_000_000;
    };
    const giving = giveMemoryBack({ used: () => used, collect, clock, ended: ended.signal });
    for (const seconds of uses) {
      used += seconds * 1_000_000;
      await clock.advance(15_000);
    }
    ended.abort();
    await giving;
    expect(clock.sleepers).toBe(0);
    return collected;
  }

  test("when evie rests after it has worked, twice, and not again before it has worked again", async () => {
    expect(await collections([8, 3, 0.1, 0.1, 0.1, 0.1, 0.1, 6, 0.2, 0, 4])).toEqual([3, 5, 9]);
  });

  test("never while it works, and never when it has not worked", async () => {
    expect(await collections([2, 2, 2, 2])).toEqual([]);
    expect(await collections([0.1, 0.5, 0.3, 0])).toEqual([]);
  });

  test("by a collection of everything that nobody holds", () => {
    const before = process.memoryUsage().arrayBuffers;
    const made = new WeakRef(new ArrayBuffer(50_000_000));
    expect(made.deref()?.byteLength).toBe(50_000_000);
    return new Promise<void>((resolve) => {
      // A reference that was followed holds its object until the next turn of the loop.
      setImmediate(() => {
        createCollect()();
        expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(25_000_000);
        resolve();
      });
    });
  });
});
