import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDiskWatch, isDiskFull, tryDisk, withoutRepeats } from "../src/disk-watch.ts";
import { createFakeClock } from "./fakes/fake-clock.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";

const full = (): Error => Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
const vague = (): Error => Object.assign(new Error("disk I/O error"), { errcode: 4_874 });

function setUp() {
  const clock = createFakeClock();
  const log = createMemoryLog();
  const state = { takes: false, isFull: false, tries: 0 };
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const disk = createDiskWatch({
    where: "/data",
    tryDisk() {
      state.tries += 1;
      return state.takes ? Promise.resolve() : Promise.reject(full());
    },
    isFull: () => state.isFull,
    clock,
    log,
    stopped: stopping.signal,
  });
  return { clock, log, state, disk, stopping };
}

test("an outage is one from its first error until the disk takes data again, and is logged at both ends", async () => {
  const { clock, log, state, disk } = setUp();
  const outage = disk.notice(full());
  expect(outage).toMatchObject({
    trouble: "full",
    sentence: "The disk that holds /data is full. Make room on it.",
  });
  await clock.advance(60_000);
  expect(disk.notice(full())).toBe(outage);
  expect(log.messages("error")).toEqual([
    `${outage?.sentence} evie goes on, and takes up what waits when that is done`,
  ]);
  state.takes = true;
  await clock.advance(10_000);
  expect(log.messages("info")).toEqual(["the disk takes data again"]);
  expect(clock.sleepers).toBe(0);
  const second = disk.notice(full());
  expect(second).not.toBe(outage);
  expect(log.messages("error")).toHaveLength(2);
});

test("other errors are none, also where SQLite says nothing of why and there is room", () => {
  const { disk, state, log } = setUp();
  expect([disk.notice(new Error("no")), disk.notice(undefined), disk.notice(vague())]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  state.isFull = true;
  expect(disk.notice(vague())?.trouble).toBe("full");
  expect(log.messages("error")).toHaveLength(1);
});

test("a stop ends the looks", async () => {
  const { disk, stopping, state, clock } = setUp();
  disk.notice(full());
  stopping.abort();
  await clock.advance(60_000);
  expect([clock.sleepers, state.tries]).toEqual([0, 0]);
});

test("what else is logged of an outage is for who looks closer; all other lines stay", () => {
  const { disk, log } = setUp();
  const folded = withoutRepeats(log, disk);
  folded.error({ err: full() }, "one thing failed");
  folded.warn({ err: full() }, "another thing failed");
  folded.error({ err: new Error("no") }, "a fault of another kind");
  folded.warn({}, "a line without an error");
  expect(log.messages("error")).toEqual([expect.stringContaining("is full"), "a fault of another kind"]);
  expect(log.messages("warn")).toEqual(["a line without an error"]);
  expect(log.messages("debug")).toEqual(["one thing failed", "another thing failed"]);
});

test("the disk is tried by writing, which leaves nothing behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "evie-disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await tryDisk(folder);
  expect(readdirSync(folder)).toEqual([]);
  expect(isDiskFull(folder)).toBe(false);
  await expect(tryDisk(join(folder, "gone"))).rejects.toThrow("ENOENT");
  expect(isDiskFull(join(folder, "gone"))).toBe(false);
});
