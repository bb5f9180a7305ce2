import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sweepDaily } from "../src/sweep.ts";
import { createFakeClock } from "./fakes/fake-clock.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";

const DAY = 24 * 3_600_000;

async function setUp() {
  const filesFolder = await mkdtemp(join(tmpdir(), "evie-sweep-"));
  onTestFinished(() => rm(filesFolder, { recursive: true, force: true }));
  const clock = createFakeClock();
  const log = createMemoryLog();
  const swept: string[] = [];
  const inUse = new Set<string>();
  const before = (what: string) => ({
    sweep: (at: number) => void swept.push(`${what} ${(clock.date() - at) / DAY}`),
  });
  const stopping = new AbortController();
  const sweeping = (): Promise<void> =>
    sweepDaily(
      {
        updates: before("updates"),
        turns: before("turns"),
        filesFolder,
        filesInUse: () => inUse,
        clock,
        log,
      },
      stopping.signal,
    );
  const file = async (name: string, age: number): Promise<void> => {
    await writeFile(join(filesFolder, name), "");
    const at = (clock.date() - age) / 1_000;
    await utimes(join(filesFolder, name), at, at);
  };
  return { filesFolder, inUse, clock, log, swept, stopping, sweeping, file };
}

test("what is old goes at the start, and files after thirty days", async () => {
  const { sweeping, stopping, swept, file, filesFolder, clock } = await setUp();
  await file("old.pdf", 30 * DAY + 1_000);
  await file("young.pdf", 30 * DAY - 1_000);
  const over = sweeping();
  await expect.poll(() => clock.sleepers).toBe(1);
  expect(swept).toEqual(["turns 30", "updates 3"]);
  expect(await readdir(filesFolder)).toEqual(["young.pdf"]);
  stopping.abort();
  await over;
  expect(clock.sleepers).toBe(0);
});

test("it goes on day by day, also after a day on which it failed", async () => {
  const { sweeping, stopping, swept, clock, log, filesFolder } = await setUp();
  await rm(filesFolder, { recursive: true });
  const over = sweeping();
  await expect.poll(() => clock.sleepers).toBe(1);
  expect(log.messages("warn")).toEqual(["not all that is old could be removed"]);
  await clock.advance(DAY);
  await expect.poll(() => swept.length).toBe(4);
  stopping.abort();
  await over;
});

test("a file that a prompt may still name stays, however old the clock says it is", async () => {
  const { sweeping, stopping, inUse, file, filesFolder, clock } = await setUp();
  await file("named.pdf", 40 * DAY);
  inUse.add(join(filesFolder, "named.pdf"));
  const over = sweeping();
  await expect.poll(() => clock.sleepers).toBe(1);
  expect(await readdir(filesFolder)).toEqual(["named.pdf"]);
  inUse.clear();
  await clock.advance(DAY);
  await expect.poll(() => readdir(filesFolder)).toEqual([]);
  stopping.abort();
  await over;
});
