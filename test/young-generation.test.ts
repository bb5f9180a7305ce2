import { execFile } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const FILE = fileURLToPath(new URL("../src/young-generation.ts", import.meta.url));

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
