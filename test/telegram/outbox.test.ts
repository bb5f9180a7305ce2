import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollect } from "../../src/memory.ts";
import { createBudget } from "../../src/telegram/budget.ts";
import type { Answer } from "../../src/telegram/calls.ts";
import type { Speaker } from "../../src/telegram/speakers.ts";
import {
  type Arrival,
  type HandSpeaker,
  handSpeaker,
  HERE,
  type OutboxRig,
  startOutbox,
  text,
} from "./outbox-rig.ts";

const unreachable: Answer = { type: "unreachable", reason: "connect ECONNREFUSED" };
const done: Answer = { type: "done", messageId: 1 };

function say(speaker: HandSpeaker, words: string, urgency: "message" | "edit" | "typing", at = 0): void {
  speaker.words.push({ text: words, urgency, at });
}

describe("the order", () => {
  test("is replies, then sends and finals, then edits, then typing, one call at a time", async () => {
    const rig = startOutbox({ budget: createBudget({ perSecond: 10, burst: 10 }) });
    rig.latency = 50;
    const places = [1, 2, 3, 4].map((threadId) => ({ chatId: 7, threadId }));
    const [typist, editor, sender, first] = places.map(handSpeaker);
    for (const [speaker, words, urgency] of [
      [first, "under way", "message"],
      [typist, "", "typing"],
      [editor, "edit", "edit"],
      [sender, "final", "message"],
    ] as const) {
      if (speaker === undefined) throw new Error("no speaker");
      say(speaker, words, urgency);
      speaker.done = true;
    }
    if (first !== undefined) rig.outbox.join(first);
    await rig.clock.settle();
    for (const speaker of [typist, editor, sender]) if (speaker !== undefined) rig.outbox.join(speaker);
    rig.outbox.reply({ place: HERE, content: text("reply 1") });
    rig.outbox.reply({ place: HERE, content: text("reply 2") });
    await rig.clock.advance(1_000);
    expect(rig.said()).toEqual(["under way", "reply 1", "reply 2", "final", "edit", "typing"]);
    expect(rig.mostAtOnce).toBe(1);
  });

  test("leaves out a reply that is not wanted any more when its turn comes, and deletes one that was said", async () => {
    const rig = startOutbox();
    rig.answers.push({ type: "flood", retryAfter: 5 });
    const told: (number | undefined)[] = [];
    let isWanted = true;
    rig.outbox.reply({ place: HERE, content: text("stays"), told: (id) => told.push(id) });
    rig.outbox.reply({
      place: HERE,
      content: text("goes"),
      isWanted: () => isWanted,
      told: (id) => told.push(id),
    });
    rig.outbox.remove({ place: HERE, messageId: 5, told: () => told.push(undefined) });
    await rig.clock.settle();
    isWanted = false;
    await rig.clock.advance(6_000);
    expect(rig.arrivals.map(({ call }) => call)).toMatchObject([
      { type: "send", content: { text: "stays" } },
      { type: "send", content: { text: "stays" } },
      { type: "delete", messageId: 5 },
    ]);
    expect(told).toEqual([101, undefined]);
  });

  test("begins behind everything that is ready to run: a prompt goes to its agent before its placeholder is made", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    say(speaker, "placeholder", "message");
    rig.outbox.join(speaker);
    // More steps than lie between a flush and its prompt.
    for (let step = 0; step < 50; step += 1) await Promise.resolve();
    expect(rig.said()).toEqual([]);
    await rig.clock.settle();
    expect(rig.said()).toEqual(["placeholder"]);
  });

  test("of one thread is that of its turns: a later one says nothing before the earlier one has finished", async () => {
    const rig = startOutbox();
    const [earlier, later, elsewhere] = [
      handSpeaker(),
      handSpeaker(),
      handSpeaker({ chatId: 7, threadId: 9 }),
    ];
    say(later, "later", "message");
    say(elsewhere, "elsewhere", "message");
    rig.outbox.join(earlier);
    rig.outbox.join(later);
    rig.outbox.join(elsewhere);
    await rig.clock.advance(10_000);
    expect(rig.said()).toEqual(["elsewhere"]);
    say(earlier, "earlier", "message");
    earlier.done = true;
    rig.outbox.wake();
    await rig.clock.advance(10_000);
    expect(rig.said()).toEqual(["elsewhere", "earlier", "later"]);
  });

  test("gives each thread its turn, however much another has to say", async () => {
    const rig = startOutbox();
    const threads = [1, 2].map((threadId) => handSpeaker({ chatId: 7, threadId }));
    for (const [index, speaker] of threads.entries()) {
      for (let at = 0; at < 20_000; at += 1_000) say(speaker, `thread ${index + 1}`, "edit", at);
      rig.outbox.join(speaker);
    }
    await rig.clock.advance(11_000);
    const seconds = rig.said().filter((words) => words === "thread 2");
    expect(seconds.length).toBeGreaterThanOrEqual(5);
    expect(rig.said().length - seconds.length).toBeGreaterThanOrEqual(5);
  });

  test("asks a speaker only when its turn comes, so what it says is newest then", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    for (let reply = 0; reply < 5; reply += 1) {
      rig.outbox.reply({ place: HERE, content: text(`reply ${reply}`) });
    }
    say(speaker, "old", "message");
    rig.outbox.join(speaker);
    await rig.clock.advance(2_000);
    expect(speaker.asked).toBe(0);
    speaker.words[0] = { text: "new", urgency: "message", at: 0 };
    await rig.clock.advance(3_000);
    expect(rig.said().at(-1)).toBe("new");
    expect(speaker.asked).toBe(1);
  });

  test("keeps a wish for its moment, and takes it up when it comes nearer", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    say(speaker, "later", "edit", 60_000);
    rig.outbox.join(speaker);
    await rig.clock.advance(5_000);
    expect(rig.said()).toEqual([]);
    speaker.words[0] = { text: "sooner", urgency: "edit", at: 6_000 };
    rig.outbox.wake();
    await rig.clock.advance(999);
    expect(rig.said()).toEqual([]);
    await rig.clock.advance(1);
    expect(rig.said()).toEqual(["sooner"]);
  });

  test("a reply carries what it answers and rings", async () => {
    const rig = startOutbox();
    rig.outbox.reply({ place: { chatId: 7, threadId: 3 }, content: text("Stopped."), replyTo: 12 });
    await rig.clock.settle();
    expect(rig.arrivals).toEqual([
      {
        at: 0,
        place: { chatId: 7, threadId: 3 },
        call: { type: "send", content: text("Stopped."), silent: false, replyTo: 12 },
      },
    ]);
  });

  test("a reply that Telegram refuses is logged, and does not hold up the next", async () => {
    const rig = startOutbox();
    rig.answers.push({ type: "refused", description: "Bad Request: chat not found" });
    rig.outbox.reply({ place: HERE, content: text("one") });
    rig.outbox.reply({ place: HERE, content: text("two") });
    await rig.clock.settle();
    expect(rig.said()).toEqual(["one", "two"]);
    expect(rig.log.messages("warn")).toEqual(["a reply was refused by Telegram"]);
  });
});

describe("the budget", () => {
  test("lets three calls through at once and then one a second", async () => {
    const rig = startOutbox();
    for (let reply = 0; reply < 6; reply += 1)
      rig.outbox.reply({ place: HERE, content: text(`${reply}`), unasked: true });
    await rig.clock.advance(10_000);
    expect(rig.arrivals.map(({ at }) => at)).toEqual([0, 0, 0, 1_000, 2_000, 3_000]);
  });

  test("keeps its last token from edits, so that a reply need not wait", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    for (let edit = 0; edit < 30; edit += 1) say(speaker, "edit", "edit");
    rig.outbox.join(speaker);
    await rig.clock.advance(5_500);
    expect(rig.arrivals.map(({ at }) => at)).toEqual([0, 1_150, 2_300, 3_450, 4_600]);
    rig.outbox.reply({ place: HERE, content: text("at once") });
    await rig.clock.settle();
    expect(rig.arrivals.at(-1)).toMatchObject({ at: 5_500, call: { content: text("at once") } });
  });

  test("is counted from a call's answer: at Telegram a slow call has only just arrived", async () => {
    const rig = startOutbox({ budget: createBudget({ perSecond: 1, burst: 1 }) });
    rig.latency = 400;
    for (const words of ["one", "two"])
      rig.outbox.reply({ place: HERE, content: text(words), unasked: true });
    await rig.clock.advance(5_000);
    expect(rig.arrivals.map(({ at }) => at)).toEqual([0, 1_400]);
  });

  test("of all chats together holds each of them", async () => {
    const shared = createBudget({ perSecond: 1, burst: 1 });
    shared.spend(0);
    const rig = startOutbox({ shared });
    rig.outbox.reply({ place: HERE, content: text("one"), unasked: true });
    await rig.clock.advance(999);
    expect(rig.said()).toEqual([]);
    await rig.clock.advance(1);
    expect(rig.said()).toEqual(["one"]);
  });

  test("is not spent by typing", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    for (let sign = 0; sign < 10; sign += 1) say(speaker, "", "typing");
    for (let edit = 0; edit < 2; edit += 1) say(speaker, "edit", "edit");
    rig.outbox.join(speaker);
    await rig.clock.advance(1_150);
    expect(rig.said().slice(10)).toEqual(["edit", "edit"]);
  });

  /** A chat whose budget was just spent on lines that nobody waits for. */
  async function startSpent(...more: readonly string[]): Promise<OutboxRig> {
    const rig = startOutbox();
    for (const words of ["1", "2", "3", ...more])
      rig.outbox.reply({ place: HERE, content: text(words), unasked: true });
    await rig.clock.settle();
    return rig;
  }

  test("is overdrawn by what somebody waits for, and what nobody waits for pays it back", async () => {
    const rig = await startSpent();
    for (const words of ["help", "stop"]) rig.outbox.reply({ place: HERE, content: text(words) });
    rig.outbox.reply({ place: HERE, content: text("greeting"), unasked: true });
    await rig.clock.advance(10_000);
    expect(rig.arrivals.map(({ at }) => at)).toEqual([0, 0, 0, 0, 0, 3_000]);
  });

  test("lets nobody wait behind a line that nobody waits for, and keeps the order", async () => {
    const rig = await startSpent("a file is missing");
    rig.outbox.reply({ place: HERE, content: text("help") });
    await rig.clock.settle();
    expect(rig.said().slice(3)).toEqual(["a file is missing", "help"]);
  });

  test("lets the end of an answer that somebody stopped come at once", async () => {
    const rig = await startSpent();
    const speaker = handSpeaker();
    speaker.words.push({ text: "stopped", urgency: "message", at: 0, awaited: true });
    rig.outbox.join(speaker);
    await rig.clock.settle();
    expect(rig.said()).toEqual(["1", "2", "3", "stopped"]);
  });

  test("lets each command be answered within 300 ms, whenever it comes, and Telegram's minute is kept", async () => {
    const bursts = fc.uniqueArray(fc.record({ slot: fc.nat(19), count: fc.integer({ min: 1, max: 4 }) }), {
      selector: ({ slot }) => slot,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(
        bursts,
        fc.array(fc.nat(120_000), { maxLength: 10 }),
        fc.integer({ min: 1, max: 60 }),
        async (commands, sends, latency) => {
          const rig = startOutbox();
          rig.latency = latency;
          const [editor, sender] = [handSpeaker(), handSpeaker({ chatId: 7, threadId: 2 })];
          for (let edit = 0; edit < 150; edit += 1) say(editor, "edit", "edit");
          for (const at of sends.toSorted((a, b) => a - b)) say(sender, "send", "message", at);
          rig.outbox.join(editor);
          rig.outbox.join(sender);
          const asked = commands
            .flatMap(({ slot, count }) => Array.from({ length: count }, (_, at) => slot * 6_000 + at * 7))
            .toSorted((a, b) => a - b);
          for (const [index, at] of asked.entries()) {
            await rig.clock.advance(at - rig.clock.now());
            rig.outbox.reply({ place: HERE, content: text(`reply ${index}`) });
          }
          await rig.clock.advance(130_000 - rig.clock.now());
          const arrivalOf = new Map(
            rig.arrivals.map(({ at, call }) => ["content" in call ? call.content.text : "", at]),
          );
          for (const [index, at] of asked.entries())
            expect((arrivalOf.get(`reply ${index}`) ?? Infinity) - at).toBeLessThanOrEqual(300);
          for (const { at: first } of rig.arrivals) {
            const inMinute = rig.arrivals.filter(({ at }) => at >= first && at < first + 60_000);
            expect(inMinute.length).toBeLessThanOrEqual(60);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("a rest that Telegram asks for", () => {
  const flood: Answer = { type: "flood", retryAfter: 30 };

  test("is kept by everything, and afterwards everything is said in its newest form", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    rig.answers.push(flood);
    say(speaker, "old edit", "edit");
    rig.outbox.join(speaker);
    await rig.clock.settle();
    expect(rig.said()).toEqual(["old edit"]);
    expect(speaker.heardOf).toEqual([]);

    speaker.words[0] = { text: "final", urgency: "message", at: 0 };
    const typist = handSpeaker({ chatId: 7, threadId: 4 });
    say(typist, "", "typing");
    rig.outbox.join(typist);
    rig.outbox.reply({ place: HERE, content: text("reply") });
    for (let step = 0; step < 30; step += 1) {
      rig.outbox.wake();
      await rig.clock.advance(1_000);
    }
    expect(rig.said()).toEqual(["old edit"]);
    await rig.clock.advance(300);
    expect(rig.said()).toEqual(["old edit", "reply", "final", "typing"]);
    expect(rig.arrivals.map(({ at }) => at)).toEqual([0, 30_300, 30_300, 30_300]);
    expect(rig.log.messages("warn")).toEqual(["Telegram lets a chat rest"]);
  });

  test("may follow another one", async () => {
    const rig = startOutbox();
    rig.answers.push(flood, { type: "flood", retryAfter: 3_600 });
    rig.outbox.reply({ place: HERE, content: text("reply") });
    await rig.clock.advance(4_000_000);
    expect(rig.arrivals.map(({ at }) => at)).toEqual([0, 30_300, 30_300 + 3_600_300]);
  });
});

describe("a Telegram that does not answer", () => {
  test("is tried without limit, with waits that grow to five seconds and are short again after a success", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    rig.answers.push(...Array.from({ length: 9 }, () => unreachable));
    say(speaker, "edit", "edit");
    rig.outbox.join(speaker);
    await rig.clock.advance(200_000);
    const waits = rig.arrivals.map(({ at }, index) => at - (rig.arrivals[index - 1]?.at ?? 0));
    expect(waits.slice(0, 10)).toEqual([0, 1_150, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000]);
    expect(speaker.heardOf).toHaveLength(1);

    const before = rig.clock.now();
    rig.answers.push(unreachable);
    say(speaker, "again", "edit");
    rig.outbox.wake();
    await rig.clock.advance(10_000);
    expect(rig.arrivals.slice(-2).map(({ at }) => at - before)).toEqual([0, 1_150]);
  });

  test("keeps nobody waiting for longer than five seconds once it answers, after however long an outage", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300_000 }),
        fc.constantFrom("edit", "message", "reply"),
        fc.constantFrom("before", "meanwhile"),
        async (outage, kind, wished) => {
          const rig = startOutbox({ budget: createBudget({ perSecond: 10, burst: 10 }) });
          const speaker = handSpeaker();
          rig.outage = { until: outage };
          const wish = (): void => {
            if (kind === "reply") return rig.outbox.reply({ place: HERE, content: text("words") });
            say(speaker, "words", kind);
            rig.outbox.join(speaker);
          };
          if (wished === "meanwhile") {
            const earlier = handSpeaker({ chatId: 7, threadId: 2 });
            say(earlier, "earlier", "message");
            rig.outbox.join(earlier);
            await rig.clock.advance(outage / 2);
          }
          wish();
          await rig.clock.advance(outage + 10_000 - rig.clock.now());
          const heard = rig.arrivals.find(
            ({ at, call }) => at >= outage && "content" in call && call.content.text === "words",
          );
          expect(heard?.at).toBeLessThanOrEqual(outage + 5_000);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("is asked for a sign before a send is repeated, which may have arrived after all", async () => {
    const rig = startOutbox();
    rig.answers.push(unreachable, unreachable, unreachable, done, unreachable, done);
    rig.outbox.reply({ place: HERE, content: text("reply") });
    await rig.clock.advance(60_000);
    expect(rig.said()).toEqual(["reply", "probe", "probe", "probe", "reply", "probe", "reply"]);
    expect(rig.mostAtOnce).toBe(1);
  });

  test("is repeated an edit at once, which may be done twice", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    rig.answers.push(unreachable);
    say(speaker, "edit", "edit");
    rig.outbox.join(speaker);
    await rig.clock.advance(60_000);
    expect(rig.said()).toEqual(["edit", "edit"]);
  });

  test("holds nothing back when only a sign of life was lost", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    rig.answers.push(unreachable);
    say(speaker, "", "typing");
    say(speaker, "edit", "edit");
    rig.outbox.join(speaker);
    await rig.clock.settle();
    expect(rig.said()).toEqual(["typing", "edit"]);
  });
});

describe("a chat that blocks the bot", () => {
  test("hears nothing until it writes again, and then everything that was left to say", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    rig.answers.push({ type: "blocked" });
    say(speaker, "final", "message");
    speaker.done = true;
    rig.outbox.join(speaker);
    await rig.clock.settle();
    rig.outbox.reply({ place: HERE, content: text("reply") });
    rig.outbox.wake();
    await rig.clock.advance(3_600_000);
    expect(rig.said()).toEqual(["final"]);
    expect(rig.clock.sleepers).toBe(0);

    rig.outbox.revive();
    await rig.clock.settle();
    expect(rig.said()).toEqual(["final", "reply", "final"]);
  });

  test("and writes again before evie hears of the block is answered", async () => {
    const rig = startOutbox();
    rig.answers.push({ type: "blocked" });
    rig.latency = 2_000;
    rig.outbox.reply({ place: HERE, content: text("reply") });
    await rig.clock.advance(1_000);
    rig.outbox.revive();
    await rig.clock.advance(10_000);
    expect(rig.said()).toEqual(["reply", "reply"]);
  });

  test("keeps nobody waiting for what cannot be said", async () => {
    const rig = startOutbox();
    rig.answers.push({ type: "blocked" });
    rig.outbox.reply({ place: HERE, content: text("reply") });
    let idle = 0;
    void rig.outbox.idle().then(() => (idle += 1));
    await rig.clock.settle();
    void rig.outbox.idle().then(() => (idle += 1));
    await rig.clock.settle();
    expect(idle).toBe(2);
  });
});

describe("what is for a thread that is gone", () => {
  const thread = { chatId: 7, threadId: 3 };
  const places = (rig: OutboxRig) => rig.arrivals.map(({ place }) => place);

  test("goes into the chat itself, until the chat writes again", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker(thread);
    rig.answers.push({ type: "thread_gone" });
    say(speaker, "answer", "message");
    say(speaker, "more", "message");
    rig.outbox.join(speaker);
    await rig.clock.advance(10_000);
    expect(rig.said()).toEqual(["answer", "answer", "more"]);
    expect(places(rig)).toEqual([thread, HERE, HERE]);

    rig.outbox.revive();
    rig.outbox.reply({ place: thread, content: text("reply") });
    await rig.clock.settle();
    expect(places(rig).at(-1)).toEqual(thread);
  });

  test("is refused where the chat itself does not take it", async () => {
    const rig = startOutbox();
    rig.answers.push({ type: "thread_gone" }, { type: "thread_gone" });
    rig.outbox.reply({ place: thread, content: text("one") });
    rig.outbox.reply({ place: thread, content: text("two") });
    await rig.clock.advance(10_000);
    expect(rig.said()).toEqual(["one", "one", "two"]);
    expect(rig.log.messages("warn")).toEqual(["a thread is gone", "a reply was refused by Telegram"]);
  });
});

describe("a speaker with a fault", () => {
  const faulty = (fault: Partial<Speaker>): Speaker => ({
    place: HERE,
    finished: false,
    wishes: () => [{ urgency: "message", at: 0 }],
    speak: () => ({ type: "send", content: text("faulty"), silent: true }),
    heard: () => undefined,
    ...fault,
  });
  const thrown = (): never => {
    throw new Error("a fault");
  };

  test.each([
    ["wishes", faulty({ wishes: thrown }), []],
    ["speaks", faulty({ speak: thrown }), []],
    ["hears", faulty({ heard: thrown }), ["faulty"]],
  ])("that throws when it %s is dropped, and whoever stands behind it speaks", async (_, speaker, said) => {
    const rig = startOutbox();
    const behind = handSpeaker();
    say(behind, "behind", "message");
    behind.done = true;
    rig.outbox.reply({ place: HERE, content: text("reply") });
    rig.outbox.join(speaker);
    rig.outbox.join(behind);
    let idle = false;
    void rig.outbox.idle().then(() => (idle = true));
    await rig.clock.advance(10_000);
    expect(rig.said()).toEqual(["reply", ...said, "behind"]);
    expect(rig.log.messages("error")).toEqual(["an answer cannot be shown by a fault of evie's own"]);
    expect(idle).toBe(true);
  });

  test.each(["message", "edit", "typing"] as const)(
    "that always wants to %s and never says anything is asked a few times a second and not in a loop",
    async (urgency) => {
      const rig = startOutbox();
      let asked = 0;
      const speak = (): undefined => void (asked += 1);
      rig.outbox.join(faulty({ wishes: () => [{ urgency, at: 0 }], speak }));
      await rig.clock.advance(10_000);
      expect(asked).toBeGreaterThan(10);
      expect(asked).toBeLessThan(50);
      rig.outbox.reply({ place: HERE, content: text("reply") });
      await rig.clock.settle();
      expect(rig.said()).toEqual(["reply"]);
    },
  );

  test("that has said everything is held no longer, also when it had declined", async () => {
    const rig = startOutbox();
    const said = await (async () => {
      let declined = false;
      const speaker = {
        place: HERE,
        finished: false,
        wishes: () => (declined ? [] : [{ urgency: "edit" as const, at: 0 }]),
        speak: (): undefined => void (declined = speaker.finished = true),
        heard: () => undefined,
      };
      rig.outbox.join(speaker);
      await rig.clock.advance(10_000);
      return new WeakRef(speaker);
    })();
    // A reference that was followed holds its object until the next turn of the loop.
    await rig.clock.settle();
    createCollect()();
    expect(said.deref()).toBeUndefined();
  });

  test("that declines is asked again at once when somebody wakes the outbox", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    const decline = { ...speaker, wishes: () => [{ urgency: "message" as const, at: 0 }] };
    rig.outbox.join(decline);
    await rig.clock.settle();
    say(speaker, "now", "message");
    rig.outbox.wake();
    await rig.clock.settle();
    expect(rig.said()[0]).toBe("now");
    expect(rig.arrivals[0]?.at).toBe(0);
  });
});

describe("waking and ending", () => {
  test("no wake is lost, whatever the outbox is doing", async () => {
    const plenty = createBudget({ perSecond: 1_000, burst: 1_000 });
    const rig = startOutbox({ budget: plenty, shared: plenty });
    rig.latency = 7;
    const speaker = handSpeaker();
    rig.outbox.join(speaker);
    for (let word = 0; word < 40; word += 1) {
      say(speaker, `${word}`, "message", rig.clock.now());
      rig.outbox.wake();
      // Now in the middle of a call, now at its end, now when nothing is left.
      await rig.clock.advance(word % 15);
    }
    await rig.clock.advance(1_000);
    expect(rig.said()).toEqual(Array.from({ length: 40 }, (_, word) => `${word}`));
  });

  test("a wake in the very step in which the last call was answered is not lost", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    const { heard } = speaker;
    speaker.heard = (call, answer) => {
      heard(call, answer);
      queueMicrotask(() => {
        say(speaker, "late", "message");
        rig.outbox.wake();
      });
    };
    say(speaker, "first", "message");
    rig.outbox.join(speaker);
    await rig.clock.settle();
    expect(rig.said().slice(0, 2)).toEqual(["first", "late"]);
  });

  test("idle resolves when the last word was said, and not before", async () => {
    const rig = startOutbox();
    const speaker = handSpeaker();
    const seen: string[] = [];
    rig.outbox.join(speaker);
    for (let reply = 0; reply < 4; reply += 1) rig.outbox.reply({ place: HERE, content: text("reply") });
    void rig.outbox.idle().then(() => seen.push(`idle after ${rig.said().length}`));
    await rig.clock.advance(500);
    expect(seen).toEqual([]);
    await rig.clock.advance(5_000);
    expect(seen).toEqual([]);
    say(speaker, "final", "message");
    speaker.done = true;
    rig.outbox.wake();
    await rig.clock.settle();
    expect(seen).toEqual(["idle after 5"]);
    await rig.outbox.idle();
  });

  test("close drops what waits, wakes whoever sleeps, and leaves nothing to wait for", async () => {
    const rig = startOutbox();
    for (let reply = 0; reply < 6; reply += 1)
      rig.outbox.reply({ place: HERE, content: text("reply"), unasked: true });
    let idle = false;
    void rig.outbox.idle().then(() => (idle = true));
    await rig.clock.settle();
    rig.outbox.close();
    await rig.clock.settle();
    expect(idle).toBe(true);
    expect(rig.clock.sleepers).toBe(0);
    rig.outbox.reply({ place: HERE, content: text("after") });
    rig.outbox.join(handSpeaker());
    await rig.clock.advance(60_000);
    expect(rig.said()).toHaveLength(3);
    await rig.outbox.idle();
  });
});

describe("under any weather", () => {
  interface Event {
    readonly after: number;
    readonly what: "reply" | "line" | "edit" | "message" | "typing" | "wake";
  }
  const event = fc.record<Event>({
    after: fc.nat(2_500),
    what: fc.constantFrom("reply", "line", "edit", "message", "typing", "wake"),
  });
  const weather = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Answer>(done) },
    { weight: 1, arbitrary: fc.constant<Answer>(unreachable) },
    { weight: 1, arbitrary: fc.constant<Answer>({ type: "refused", description: "no" }) },
    { weight: 1, arbitrary: fc.nat(20).map<Answer>((retryAfter) => ({ type: "flood", retryAfter })) },
  );

  test("no schedule of wishes exceeds the budget, speaks into a rest, or loses a word", async () => {
    const schedule = fc.array(event, { maxLength: 40 });
    const run = async (events: readonly Event[], answers: readonly Answer[], latency: number) => {
      const rig = startOutbox();
      const given: Answer[] = [];
      rig.answers.push(...answers);
      rig.latency = latency;
      const speaker = handSpeaker();
      rig.outbox.join(speaker);
      const words: string[] = [];
      for (const [index, { after, what }] of events.entries()) {
        await rig.clock.advance(after);
        if (what !== "wake" && what !== "typing") words.push(`${what} ${index}`);
        const content = text(`${what} ${index}`);
        // A line of evie's that nobody waits for.
        if (what === "reply" || what === "line")
          rig.outbox.reply({ place: HERE, content, unasked: what === "line" });
        else if (what !== "wake") say(speaker, `${what} ${index}`, what, rig.clock.now());
        rig.outbox.wake();
      }
      speaker.done = true;
      await rig.clock.advance(3_600_000);
      await rig.outbox.idle();

      const spent = rig.arrivals.filter(({ call }) => call.type !== "typing" && call.type !== "probe");
      // A reply may overdraw the budget, or bring a line along; whatever comes then waits until that is paid back.
      const mayOverdraw = ({ call }: Arrival): boolean =>
        "content" in call && /^(?:reply|line)/.test(call.content.text);
      for (const [index, { at: first }] of spent.entries()) {
        for (const [later, arrival] of spent.slice(index).entries()) {
          if (mayOverdraw(arrival)) continue;
          expect(later + 1).toBeLessThanOrEqual(3 + (arrival.at - first) / 1_000 + 1e-6);
        }
        const inMinute = spent.slice(index).filter(({ at }) => at < first + 60_000);
        expect(inMinute.length).toBeLessThanOrEqual(60);
      }
      for (const [index, { at }] of rig.arrivals.entries()) {
        const answer = answers[index] ?? done;
        given.push(answer);
        const next = rig.arrivals[index + 1];
        if (answer.type === "flood" && next !== undefined) {
          expect(next.at).toBeGreaterThanOrEqual(at + latency + answer.retryAfter * 1_000);
        }
      }
      expect(rig.mostAtOnce).toBeLessThanOrEqual(1);
      expect(new Set(rig.said().filter((said) => /\d/.test(said)))).toEqual(new Set(words));
      const lost = given.filter(({ type }) => type === "flood" || type === "unreachable").length;
      expect(spent.length).toBeLessThanOrEqual(words.length + lost);
    };
    await fc.assert(fc.asyncProperty(schedule, fc.array(weather, { maxLength: 30 }), fc.nat(300), run), {
      numRuns: 40,
    });
    expect.hasAssertions();
  });
});
