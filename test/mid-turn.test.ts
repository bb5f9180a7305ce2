import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEBOUNCE_WINDOW } from "../src/telegram/timing.ts";
import { labels, replies } from "../src/telegram/words.ts";
import { createMidTurnRig } from "./mid-turn-rig.ts";

type Rig = Awaited<ReturnType<typeof createMidTurnRig>>;

/** Lets the burst that waits be flushed, and what evie says of it arrive. */
const flush = (rig: Rig) => rig.clock.advance(DEBOUNCE_WINDOW + 5);

/** Lets agents work until nothing is left to do, and what evie says of it arrive. */
async function finish(rig: Rig): Promise<void> {
  for (let round = 0; round < 200 && (await rig.step()); round += 1);
  await rig.clock.advance(5);
}

/** A session of the chat's in which a turn of HTTP's runs, whose prompt the agent has. */
async function besideAForeignTurn(rig: Rig) {
  await rig.say("hello");
  await flush(rig);
  await finish(rig);
  const ending = rig.request("elsewhere");
  await rig.step();
  expect(rig.taken).toEqual(["hello", "elsewhere"]);
  rig.taken.length = 0;
  return { ending };
}

const full = "x".repeat(4_095);

describe("while a turn from elsewhere runs", () => {
  test("a paste and its late rest become one prompt, which is not held up by itself", async () => {
    using rig = await createMidTurnRig();
    await besideAForeignTurn(rig);
    await rig.say(full);
    await rig.clock.advance(900);
    await rig.say("the rest");
    await flush(rig);
    await rig.press(rig.waitsLines().at(-1)?.[1].button ?? "");
    await finish(rig);
    expect(rig.taken).toEqual([`${full}\n\nthe rest`]);
    expect(rig.session().info().state).toBe("idle");
  });

  test("two corrections become one prompt with one answer, below one line", async () => {
    using rig = await createMidTurnRig();
    const { ending } = await besideAForeignTurn(rig);
    await rig.say("one");
    await flush(rig);
    const first = rig.waitsLines();
    const second = await rig.say("two");
    await flush(rig);
    expect(rig.waitsLines().map(([, { replyTo }]) => replyTo)).toEqual([second]);
    expect(first).toHaveLength(1);
    await finish(rig);
    expect((await ending).outcome).toEqual({ type: "done" });
    expect([rig.taken, rig.waitsLines()]).toEqual([["one\n\ntwo"], []]);
  });

  test.each(["the older line", "the newer line"])(
    "the button of %s lets everything in, once",
    async (which) => {
      using rig = await createMidTurnRig();
      const { ending } = await besideAForeignTurn(rig);
      await rig.say("one");
      await flush(rig);
      const older = rig.waitsLines().at(-1)?.[1].button ?? "";
      await rig.say("two");
      await flush(rig);
      const newer = rig.waitsLines().at(-1)?.[1].button ?? "";
      await rig.press(which === "the older line" ? older : newer);
      await rig.press(newer);
      await finish(rig);
      expect((await ending).outcome).toEqual({ type: "replaced", by: "telegram" });
      expect([rig.taken, rig.presses]).toEqual([["one\n\ntwo"], [replies.hurried, replies.waitsNoMore]]);
    },
  );

  test("what the chat wrote is the same after a crash, and its line and its button work", async () => {
    using rig = await createMidTurnRig();
    await rig.say("hello");
    await flush(rig);
    await finish(rig);
    // No agent has it: it runs again, in front of the chat's.
    void rig.request("elsewhere");
    await rig.say("one");
    await flush(rig);
    await rig.say("two");
    await flush(rig);
    const [older] = rig.waitsLines();
    await rig.kill();
    await rig.clock.advance(5);
    expect(rig.waitsLines().map(([id]) => id)).not.toContain(older?.[0]);
    expect(rig.waitsLines()).toHaveLength(1);
    await rig.say("three");
    await flush(rig);
    expect(rig.waitsLines()).toHaveLength(1);
    await rig.step();
    await rig.press(older?.[1].button ?? "");
    await finish(rig);
    expect([rig.taken, rig.presses]).toEqual([
      ["hello", "elsewhere", "one\n\ntwo\n\nthree"],
      [replies.hurried],
    ]);
    expect(rig.waitsLines()).toEqual([]);
  });

  test("a chat is told when its message is dropped elsewhere, once", async () => {
    using rig = await createMidTurnRig();
    await besideAForeignTurn(rig);
    await rig.say("one");
    await flush(rig);
    rig.session().stop();
    await finish(rig);
    expect([...rig.lines.values()].map(({ text }) => text)).toEqual([replies.takenBack]);
    await rig.say("two");
    await flush(rig);
    await finish(rig);
    expect(rig.taken).toEqual(["two"]);
  });

  test("a prompt that replaces the chat's before the agent has it lets that wait, and says so in the chat", async () => {
    using rig = await createMidTurnRig();
    const message = await rig.say("mine");
    await flush(rig);
    const ending = rig.request("now", "replace");
    await rig.step(true);
    await rig.clock.advance(5);
    expect(rig.waitsLines().map(([, { replyTo }]) => replyTo)).toEqual([message]);
    await rig.say("more");
    await flush(rig);
    await finish(rig);
    expect((await ending).outcome).toEqual({ type: "done" });
    expect([rig.taken, rig.waitsLines()]).toEqual([["now", "mine\n\nmore"], []]);
  });
});

/** What may happen, in words that say what it does. */
type Step =
  | { readonly do: "say"; readonly isCut: boolean; readonly wait: number }
  | { readonly do: "request"; readonly mode: "queue" | "replace" | "steer" }
  | { readonly do: "step"; readonly refuses: boolean }
  | { readonly do: "now"; readonly which: number }
  | { readonly do: "withdraw"; readonly which: number }
  | { readonly do: "stop" | "abort" | "clear" | "kill" };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      isCut: fc.boolean(),
      wait: fc.constantFrom(0, 100, DEBOUNCE_WINDOW + 5, 900),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("request" as const),
      mode: fc.constantFrom("queue" as const, "queue" as const, "replace" as const, "steer" as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("step" as const), refuses: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("now" as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraw" as const), which: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("stop" as const, "abort" as const, "clear" as const, "kill" as const),
    }),
  },
);

test("whatever is written and done on both sides: each prompt is asked once, in order, and none waits for ever", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 30 }), async (script) => {
      using rig = await createMidTurnRig();
      await rig.say("begin");
      await flush(rig);
      /** The chat's words in order, and the requests. */
      const written = ["begin"];
      const requests: string[] = [];
      const unanswered = new Set<string>();
      /** What a person gave up before an agent had it for certain. */
      const dropped = new Set<string>();
      const buttons: string[] = [];
      const isTaken = (word: string): boolean => rig.taken.some((text) => text.split(/\s+/).includes(word));
      const drop = (words: readonly string[]): void => {
        for (const word of words) if (!isTaken(word)) dropped.add(word);
      };

      for (const [index, step] of script.entries()) {
        switch (step.do) {
          case "say": {
            const word = `chat-${index}`;
            written.push(word);
            await rig.say(step.isCut ? `${word} ${"x".repeat(4_000)}` : word);
            await rig.clock.advance(step.wait);
            break;
          }
          case "request":
            requests.push(`request-${index}`);
            unanswered.add(`request-${index}`);
            void rig.request(`request-${index}`, step.mode).then(() => unanswered.delete(`request-${index}`));
            break;
          case "step":
            await rig.step(step.refuses);
            break;
          case "now": {
            const button = buttons[step.which % Math.max(1, buttons.length)];
            if (button !== undefined) await rig.press(button);
            break;
          }
          case "withdraw": {
            const { queue } = rig.session().observe(() => undefined).snapshot;
            const waiting = queue[step.which % Math.max(1, queue.length)];
            if (waiting === undefined) break;
            // What waits is shown by its beginning alone.
            drop(requests.includes(waiting.requestId) ? [waiting.requestId] : written);
            rig.session().withdraw(waiting.requestId);
            break;
          }
          case "stop":
            drop([...written, ...requests]);
            await rig.command("/stop");
            break;
          case "clear":
            drop([...written, ...requests]);
            await rig.command("/clear");
            await rig.exitDismissed();
            break;
          case "abort":
            // A burst that has no turn yet is the chat's own affair.
            drop([...written, ...requests]);
            rig.session().stop();
            break;
          case "kill":
            await rig.kill();
            // Who waited for these is gone with that evie.
            unanswered.clear();
        }
        await rig.clock.advance(5);
        const lines = rig.waitsLines();
        const waits = rig.session().waitingTurn !== undefined;
        expect(lines.length, `after ${step.do}`).toBe(waits ? 1 : 0);
        buttons.push(...lines.flatMap(([, { button }]) => button ?? []));
      }

      await flush(rig);
      await finish(rig);
      expect([rig.running(), [...unanswered]]).toEqual([[], []]);
      expect(rig.session().observe(() => undefined).snapshot).toMatchObject({ queue: [] });
      expect([rig.session().upcomingFace, rig.waitsLines()]).toEqual([undefined, []]);

      const asked = rig.taken
        .flatMap((text) => text.split(/\s+/))
        .filter((word) => /^(?:chat|request|begin)/.test(word));
      expect(asked, "nothing is asked twice").toEqual([...new Set(asked)]);
      expect(asked.filter((word) => written.includes(word))).toEqual(
        written.filter((word) => asked.includes(word)),
      );
      for (const word of written) if (!dropped.has(word)) expect(asked).toContain(word);
      for (const id of requests) {
        const prompt = rig.taken.find((text) => text.split(/\s+/).includes(id));
        if (prompt !== undefined) expect(prompt, "a request is a prompt of its own").toBe(id);
      }
      for (const text of rig.taken)
        if (text.includes(labels.continues)) expect(rig.taken.indexOf(text)).toBeGreaterThan(0);
    }),
    { numRuns: 25 },
  );
}, 120_000);
