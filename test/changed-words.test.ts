import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEBOUNCE_WINDOW } from "../src/telegram/timing.ts";
import { ASK_ANEW, labels, replies } from "../src/telegram/words.ts";
import { createMidTurnRig } from "./mid-turn-rig.ts";
import { commandMark } from "./telegram/updates.ts";
import { drain } from "./fakes/drain.ts";

/*
 * Messages whose authors change them after their burst was flushed: what the agent gets, and what the chat says.
 */

type Rig = Awaited<ReturnType<typeof createMidTurnRig>>;

/** Lets the burst that waits be flushed, and what evie says of it arrive. */
const flush = (rig: Rig) => rig.clock.advance(DEBOUNCE_WINDOW + 5);

/** Lets agents work until nothing is left to do. */
async function finish(rig: Rig): Promise<void> {
  for (let round = 0; round < 200 && (await rig.step()); round += 1);
  await rig.clock.advance(5);
}

/** The lines that say that the agent has the words of before. */
const oldWords = (rig: Rig) => [...rig.lines.values()].filter(({ text }) => text === replies.oldWords);

const pressLast = (rig: Rig) => rig.press(oldWords(rig).at(-1)?.button ?? "no such button");

/** A message that an agent works on. */
async function underWay(rig: Rig, ...texts: readonly string[]): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const text of texts) ids.push(await rig.say(text));
  await flush(rig);
  await rig.step();
  expect(rig.taken).toEqual([texts.join("\n\n")]);
  return ids;
}

const unspent = (rig: Rig) => rig.store.updates.unspent();

describe("a message that is changed while an agent works on it", () => {
  test("is told of in one line below it, and asked anew when its button is pressed", async () => {
    using rig = await createMidTurnRig();
    const [first = 0, second = 0] = await underWay(rig, "fix the tset", "and the docs");
    await rig.edit(first, { text: "fix the test" });
    await rig.clock.advance(5);
    expect([...rig.lines.values()]).toEqual([
      { text: replies.oldWords, button: expect.stringMatching(/^edited:/), replyTo: first },
    ]);
    await rig.edit(second, { text: "and the documents" });
    await rig.clock.advance(5);
    expect(oldWords(rig)).toHaveLength(1);
    await pressLast(rig);
    await finish(rig);
    expect(rig.taken.slice(1)).toEqual([`${labels.edited}\n\nfix the test\n\nand the documents`]);
    expect([rig.presses, unspent(rig)]).toEqual([[replies.askedAnew], []]);
  });

  test("is asked as it was changed last, also after the line and after the turn's end", async () => {
    using rig = await createMidTurnRig();
    const [id = 0] = await underWay(rig, "one");
    await rig.edit(id, { text: "two" });
    await rig.edit(id, { text: "one" });
    await rig.clock.advance(5);
    await finish(rig);
    await rig.edit(id, { text: "three" });
    await rig.clock.advance(5);
    expect(oldWords(rig)).toHaveLength(1);
    await pressLast(rig);
    await pressLast(rig);
    await finish(rig);
    expect(rig.taken).toEqual(["one", `${labels.edited}\n\nthree`]);
    expect(rig.presses).toEqual([replies.askedAnew, replies.doneAgainAlready]);
  });

  test("is told of again when it is changed while the agent works on the new words", async () => {
    using rig = await createMidTurnRig();
    const [id = 0] = await underWay(rig, "one");
    await rig.edit(id, { text: "two" });
    await rig.clock.advance(5);
    await pressLast(rig);
    await rig.step();
    await rig.step();
    expect(rig.taken).toHaveLength(2);
    await rig.edit(id, { text: "three" });
    await rig.clock.advance(5);
    expect(oldWords(rig)).toHaveLength(2);
    await pressLast(rig);
    await finish(rig);
    expect(rig.taken.at(-1)).toBe(`${labels.edited}\n\nthree`);
  });

  test("in nothing that the agent sees says nothing", async () => {
    using rig = await createMidTurnRig();
    const [id = 0] = await underWay(rig, "see example.com");
    const bold = { type: "bold", offset: 0, length: 3 };
    await rig.edit(id, { text: "see example.com", link_preview_options: { url: "https://example.com" } });
    await rig.edit(id, { text: "see example.com", entities: [bold] });
    await rig.clock.advance(5);
    expect([[...rig.lines], unspent(rig)]).toEqual([[], []]);
  });

  test("in where a link leads is told of: the agent sees that", async () => {
    using rig = await createMidTurnRig();
    const [id = 0] = await underWay(rig, "read this");
    await rig.edit(id, {
      text: "read this",
      entities: [{ type: "text_link", offset: 5, length: 4, url: "https://example.com/" }],
    });
    await rig.clock.advance(5);
    expect(oldWords(rig)).toHaveLength(1);
  });

  test("into a command runs none", async () => {
    using rig = await createMidTurnRig();
    const [id = 0] = await underWay(rig, "one");
    await rig.edit(id, { text: "/clear", entities: [commandMark("/clear")] });
    await rig.clock.advance(5);
    expect([...rig.lines.values()].map(({ text }) => text)).toEqual([replies.oldWords]);
    expect(rig.running()).toHaveLength(1);
    await pressLast(rig);
    await finish(rig);
    expect(rig.taken.at(-1)).toBe(`${labels.edited}\n\n/clear`);
  });

  test("is asked anew after a crash as well, and what was changed at its side", async () => {
    using rig = await createMidTurnRig();
    const [first = 0, second = 0] = await underWay(rig, "one", "two");
    await rig.edit(first, { text: "ONE" });
    await rig.clock.advance(5);
    const button = oldWords(rig)[0]?.button ?? "";
    await rig.kill();
    await rig.edit(second, { text: "TWO" });
    await rig.press(button);
    await finish(rig);
    expect(rig.taken.slice(1)).toEqual([`${labels.edited}\n\nONE\n\nTWO`]);
    expect(rig.presses).toEqual([replies.askedAnew]);
  });

  test("and is asked anew is told to be asked a second time when evie dies over it", async () => {
    using rig = await createMidTurnRig();
    const [id = 0] = await underWay(rig, "one");
    await rig.edit(id, { text: "two" });
    await rig.clock.advance(5);
    await pressLast(rig);
    for (let round = 0; round < 3 && rig.taken.length < 2; round += 1) await rig.step();
    await rig.kill();
    await rig.clock.advance(5);
    const report = [...rig.lines.values()].find(({ text }) => text === replies.interrupted);
    await rig.press(report?.button ?? "no such button");
    await finish(rig);
    expect(rig.taken.slice(1)).toEqual([`${labels.edited}\n\ntwo`, `${labels.again}\n\ntwo`]);
  });

  test("is said to be gone once it is not kept any more", async () => {
    using rig = await createMidTurnRig();
    const [id = 0] = await underWay(rig, "one");
    await rig.edit(id, { text: "two" });
    await rig.clock.advance(5);
    await finish(rig);
    const month = 40 * 24 * 3_600_000;
    drain(rig.store.old.turns(rig.clock.date() + month, 0));
    drain(rig.store.old.updates(rig.clock.date() + month));
    await pressLast(rig);
    expect([rig.presses, rig.taken]).toEqual([[replies.nothingToRepeat], ["one"]]);
  });

  test("says nothing once its turn has ended, is being stopped, or gives way to the next message", async () => {
    using rig = await createMidTurnRig();
    const [id = 0] = await underWay(rig, "one");
    await finish(rig);
    await rig.edit(id, { text: "two" });
    const stopped = await rig.say("stopped");
    await flush(rig);
    await rig.step();
    await rig.command("/stop");
    await rig.edit(stopped, { text: "changed" });
    await finish(rig);
    const replaced = await rig.say("replaced");
    await flush(rig);
    await rig.step();
    await rig.say("next");
    await flush(rig);
    await rig.edit(replaced, { text: "changed" });
    await finish(rig);
    expect([oldWords(rig), unspent(rig)]).toEqual([[], []]);
    expect(rig.taken).toEqual(["one", "stopped", "replaced", "next"]);
  });
});

describe("a message that is changed before an agent has it", () => {
  test("is asked as it is now, without a word, while its agent starts", async () => {
    using rig = await createMidTurnRig();
    const id = await rig.say("one");
    await flush(rig);
    await rig.edit(id, { text: "two" });
    await rig.edit(id, { text: "three" });
    await finish(rig);
    expect([rig.taken, [...rig.lines], unspent(rig)]).toEqual([["three"], [], []]);
  });

  test("is asked as it is now while it waits behind a turn from elsewhere, in its place", async () => {
    using rig = await createMidTurnRig();
    await underWay(rig, "hello");
    await finish(rig);
    const ending = rig.request("elsewhere");
    await rig.step();
    const first = await rig.say("one");
    await flush(rig);
    await rig.say("two");
    await flush(rig);
    await rig.edit(first, { text: "ONE" });
    await rig.kill();
    void ending;
    await rig.clock.advance(5);
    await rig.edit(first, { text: "One." });
    await finish(rig);
    expect(rig.taken.at(-1)).toBe("One.\n\ntwo");
    expect([oldWords(rig), unspent(rig)]).toEqual([[], []]);
  });

  test("is asked as it is now when a later message takes its place, and keeps its label", async () => {
    using rig = await createMidTurnRig();
    const first = await rig.say("x".repeat(4_000));
    await flush(rig);
    await rig.step();
    const late = await rig.say("the rest");
    await flush(rig);
    await rig.edit(late, { text: "THE REST" });
    await rig.say("more");
    await flush(rig);
    await finish(rig);
    expect(first).toBeGreaterThan(0);
    expect(rig.taken.slice(1)).toEqual([`${labels.continues}\nTHE REST\n\nmore`]);
  });

  test("is what it was changed to after a crash", async () => {
    using rig = await createMidTurnRig();
    const id = await rig.say("one");
    await flush(rig);
    await rig.edit(id, { text: "two" });
    await rig.kill();
    await finish(rig);
    expect([rig.taken, unspent(rig)]).toEqual([["two"], []]);
  });

  test("is asked once with the new words when the agent was given it and refused", async () => {
    using rig = await createMidTurnRig();
    const id = await rig.say("one");
    await flush(rig);
    await rig.giveOut();
    await rig.edit(id, { text: "two" });
    await rig.say("next");
    await flush(rig);
    await rig.step(true);
    await finish(rig);
    expect([rig.taken, oldWords(rig), unspent(rig)]).toEqual([["two\n\nnext"], [], []]);
  });

  test("is told of when the agent was given it and takes it", async () => {
    using rig = await createMidTurnRig();
    const id = await rig.say("one");
    await flush(rig);
    await rig.giveOut();
    await rig.edit(id, { text: "two" });
    await rig.clock.advance(5);
    expect([oldWords(rig), unspent(rig).length]).toEqual([[], 1]);
    await rig.step();
    await rig.clock.advance(5);
    expect([rig.taken, oldWords(rig).length, unspent(rig)]).toEqual([["one"], 1, []]);
    await pressLast(rig);
    await finish(rig);
    expect(rig.taken.slice(1)).toEqual([`${labels.edited}\n\ntwo`]);
  });
});

/** What may happen, in words that say what it does. */
type Step =
  | { readonly do: "say" | "request" | "kill" }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "edit"; readonly which: number }
  | { readonly do: "step"; readonly refuses: boolean };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("say" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("request" as const, "kill" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(100, DEBOUNCE_WINDOW + 5) }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("edit" as const), which: fc.nat(9) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("step" as const), refuses: fc.boolean() }) },
);

test("whatever is changed whenever: each message is asked once, and with every change that no agent was too early for", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 30 }), async (script) => {
      using rig = await createMidTurnRig();
      await rig.say("begin");
      await flush(rig);
      await finish(rig);
      /** Of each message its number, how often it was changed, and how often before any agent was given it. */
      const messages: { id: number; word: string; version: number; inTime: number }[] = [];
      const isGiven = (word: string): boolean =>
        [...rig.taken, ...rig.running().map(([run]) => run.prompt.text)].some((text) => text.includes(word));

      for (const [index, step] of script.entries()) {
        switch (step.do) {
          case "say": {
            const word = `word-${index}-`;
            messages.push({ id: await rig.say(`${word}0`), word, version: 0, inTime: 0 });
            break;
          }
          case "edit": {
            const message = messages[step.which % Math.max(1, messages.length)];
            if (message === undefined) break;
            message.version += 1;
            if (!isGiven(message.word)) message.inTime = message.version;
            await rig.edit(message.id, { text: `${message.word}${message.version}` });
            break;
          }
          case "request":
            void rig.request(`request-${index}`);
            break;
          case "wait":
            await rig.clock.advance(step.ms);
            break;
          case "step":
            await rig.step(step.refuses);
            break;
          case "kill":
            await rig.kill();
        }
        await rig.clock.settle();
      }
      await flush(rig);
      await finish(rig);
      expect(unspent(rig)).toEqual([]);
      const asked = rig.taken.flatMap((text) => text.match(/word-\d+-\d+/g) ?? []);
      for (const { word, version, inTime } of messages) {
        const versions = asked
          .filter((each) => each.startsWith(word))
          .map((each) => +each.slice(word.length));
        expect(versions, `${word} is asked once`).toHaveLength(1);
        expect(versions[0]).toBeGreaterThanOrEqual(inTime);
        expect(versions[0]).toBeLessThanOrEqual(version);
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);

test("the button says what it does, and its line is one", () => {
  expect(ASK_ANEW).toBe("Ask with the new words");
  expect(replies.oldWords).not.toContain("\n");
});
