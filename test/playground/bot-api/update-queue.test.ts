import { describe, expect, test } from "vitest";
import { createUpdateQueue } from "../../../src/playground/bot-api/update-queue.ts";
import type { UpdateQueue } from "../../../src/playground/bot-api/update-queue.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import type { FakeClock } from "../../fakes/fake-clock.ts";

const never = new AbortController().signal;

function startQueue(): {
  queue: UpdateQueue;
  clock: FakeClock;
  ids: (request?: object) => Promise<number[]>;
} {
  const clock = createFakeClock();
  const queue = createUpdateQueue(clock, 100, () => undefined);
  const ids = async (request: object = {}): Promise<number[]> =>
    (await queue.poll(request, never)).map(({ update_id }) => update_id);
  return { queue, clock, ids };
}

function fill(queue: UpdateQueue, count: number): void {
  for (let index = 0; index < count; index += 1) queue.add("message", { index });
}

describe("what getUpdates answers", () => {
  test("what is there comes at once, and again until it is confirmed by a higher offset", async () => {
    const { queue, ids } = startQueue();
    fill(queue, 3);
    expect(await ids({ offset: 0, timeout: 50 })).toEqual([100, 101, 102]);
    expect(await ids({ offset: 1, timeout: 50 })).toEqual([100, 101, 102]);
    expect(await ids({ offset: 102, timeout: 50 })).toEqual([102]);
    expect(queue.pending.map(({ update_id }) => update_id)).toEqual([102]);
  });

  test("a negative offset counts from the end and drops what is before it", async () => {
    const { queue, ids } = startQueue();
    fill(queue, 5);
    expect(await ids({ offset: -2 })).toEqual([103, 104]);
    expect(queue.pending).toHaveLength(2);
  });

  test("an offset of another life of the queue, far ahead, confirms nothing", async () => {
    const { queue, ids } = startQueue();
    fill(queue, 2);
    expect(await ids({ offset: 500 })).toEqual([100, 101]);
  });

  test.each([
    [0, 1],
    [-5, 1],
    [1000, 100],
    [7, 7],
  ])("limit %i gives %i", async (limit, expected) => {
    const { queue, ids } = startQueue();
    fill(queue, 120);
    expect(await ids({ limit })).toHaveLength(expected);
  });

  test("an answer stops short of 4 MiB", async () => {
    const { queue, ids } = startQueue();
    for (let index = 0; index < 3; index += 1) queue.add("message", "x".repeat(2 * 1024 * 1024 - 100));
    expect(await ids()).toEqual([100, 101]);
  });

  test("what is a day old is gone", async () => {
    const { queue, clock, ids } = startQueue();
    fill(queue, 1);
    await clock.advance(24 * 3_600_000);
    fill(queue, 1);
    expect(await ids()).toEqual([101]);
  });

  test("the same offset again within half a second gets one update, later all", async () => {
    const { queue, clock, ids } = startQueue();
    fill(queue, 3);
    expect(await ids({ offset: 5 })).toHaveLength(3);
    expect(await ids({ offset: 5 })).toHaveLength(1);
    await clock.advance(500);
    expect(await ids({ offset: 5 })).toHaveLength(3);
  });

  test("the same offset again within three seconds waits three seconds", async () => {
    const { clock, ids } = startQueue();
    expect(await ids({ offset: 5, timeout: 0 })).toEqual([]);
    let answered = false;
    const again = ids({ offset: 5, timeout: 0 }).then((found) => {
      answered = true;
      return found;
    });
    await clock.advance(2_999);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect(await again).toEqual([]);
  });
});

describe("a waiting poll", () => {
  test.each([
    [30, 30],
    [1000, 50],
  ])("with timeout %i ends empty after %i seconds", async (timeout, seconds) => {
    const { queue, clock, ids } = startQueue();
    const poll = ids({ timeout });
    await clock.advance(seconds * 1000 - 1);
    expect(queue.waiting).toBe(true);
    await clock.advance(1);
    expect(queue.waiting).toBe(false);
    expect(await poll).toEqual([]);
  });

  test("is woken at once by an update", async () => {
    const { queue, clock, ids } = startQueue();
    const poll = ids({ timeout: 30 });
    fill(queue, 1);
    expect(await poll).toEqual([100]);
    await clock.settle();
    expect(clock.sleepers).toBe(0);
  });

  test("fails with a conflict when another poll comes, which takes its place", async () => {
    const { queue, ids } = startQueue();
    const older = ids({ offset: 1, timeout: 30 });
    const newer = ids({ offset: 2, timeout: 30 });
    await expect(older).rejects.toMatchObject({
      code: 409,
      message:
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    fill(queue, 1);
    expect(await newer).toEqual([100]);
  });

  test("learns of a second conflict only after three seconds", async () => {
    const { clock, ids } = startQueue();
    const ends: string[] = [];
    const polls = [1, 2, 3].map(async (offset) => {
      await ids({ offset, timeout: 30 }).catch(() => undefined);
      ends.push(`poll ${offset} after ${clock.now()} ms`);
    });
    await clock.advance(2_999);
    expect(ends).toEqual(["poll 1 after 0 ms"]);
    await clock.advance(30_000);
    await Promise.all(polls);
    expect(ends[1]).toBe("poll 2 after 3000 ms");
  });

  test("that is given up loses no update", async () => {
    const { queue, ids } = startQueue();
    const gone = new AbortController();
    const poll = queue.poll({ timeout: 30 }, gone.signal);
    gone.abort();
    expect(await poll).toEqual([]);
    fill(queue, 1);
    expect(await ids({ offset: 1, timeout: 30 })).toEqual([100]);
  });
});

describe("which updates are wanted", () => {
  const KINDS = ["message", "edited_message", "chat_member", "message_reaction", "message_reaction_count"];
  const kinds = (queue: UpdateQueue): string[] =>
    queue.pending.flatMap((update) => Object.keys(update).filter((key) => key !== "update_id"));

  test.each([
    ["nothing said", undefined, ["message", "edited_message"]],
    ["an empty list", [], ["message", "edited_message"]],
    ["some", ["message", "message_reaction"], ["message", "message_reaction"]],
  ])("%s", async (_, allowedUpdates, expected) => {
    const { queue, ids } = startQueue();
    await ids({ allowedUpdates });
    for (const kind of KINDS) queue.add(kind, {});
    expect(kinds(queue)).toEqual(expected);
  });

  test("the choice holds until another is made", async () => {
    const { queue, ids } = startQueue();
    await ids({ allowedUpdates: ["edited_message"] });
    await ids({ offset: 5 });
    queue.add("message", {});
    expect(kinds(queue)).toEqual([]);
    await ids({ offset: 6, allowedUpdates: [] });
    queue.add("message", {});
    expect(kinds(queue)).toEqual(["message"]);
  });

  test("a raw update comes whatever is wanted, and the numbering goes on from its id", async () => {
    const { queue, ids } = startQueue();
    await ids({ allowedUpdates: ["message"] });
    expect(queue.addRaw({ weather: {} })).toBe(100);
    expect(queue.addRaw({ update_id: 5, weather: {} })).toBe(5);
    queue.add("message", {});
    expect(await ids({ offset: 1, timeout: 1 })).toEqual([100, 5, 6]);
  });
});

test("a webhook refuses polls, ends the waiting one, and lets them through when it is gone", async () => {
  const { queue, clock, ids } = startQueue();
  const waiting = ids({ offset: 1, timeout: 30 });
  queue.setWebhook("https://example.com/");
  await expect(waiting).rejects.toThrow("Conflict: terminated by setWebhook request");
  await clock.advance(3_000);
  await expect(ids({ offset: 2 })).rejects.toThrow(
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  );
  queue.setWebhook("");
  expect(await ids({ offset: 3 })).toEqual([]);
});
