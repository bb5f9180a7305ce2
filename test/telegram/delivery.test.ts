import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/domain/events.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import type { Answer, Call } from "../../src/telegram/calls.ts";
import { renderMarkdown } from "../../src/telegram/markdown.ts";
import { paginate } from "../../src/telegram/paginate.ts";
import { EMPTY_ANSWER, outcomeLine, PLACEHOLDER, THINKING } from "../../src/telegram/words.ts";
import { asked, end, opens, said, says, thinks, toolEnds, toolStarts } from "../domain/events.ts";
import { type DeliveryRig, startDelivery } from "./delivery-rig.ts";

const done: TurnOutcome = { type: "done" };
const stopped: TurnOutcome = { type: "stopped" };
const replaced: TurnOutcome = { type: "replaced" };
const STOPPED = "(stopped)";

/** When the calls of one type came. */
function moments({ chat }: DeliveryRig, type: Call["type"]): readonly number[] {
  return chat.calls.filter(({ call }) => call.type === type).map(({ at }) => at);
}

/** Text in lines, `units` long, that says where it is. */
function long(units: number): string {
  let text = "";
  for (let line = 1; text.length < units; line += 1) text += `${line} of a long answer\n`;
  return text.slice(0, units);
}

async function stream(rig: DeliveryRig, key: string, ms: number, every = 50): Promise<void> {
  for (let word = 0; word * every < ms; word += 1) {
    await rig.tell(says(key, `w${word} `));
    await rig.clock.advance(every);
  }
}

describe("while a turn runs", () => {
  test("the placeholder comes at once and silently, and the first words take its place at once", async () => {
    const rig = await startDelivery();
    expect(rig.chat.calls[0]).toEqual({
      at: 0,
      call: { type: "send", content: { text: "…", entities: [] }, silent: true },
    });
    await rig.clock.advance(321);
    await rig.tell(opens("a"), says("a", "Hel"));
    expect(rig.chat.texts()).toEqual(["Hel"]);
    expect(moments(rig, "edit")).toEqual([321]);
  });

  test("first words that come while the placeholder is on its way follow right behind it, and do not wait for the next", async () => {
    const rig = await startDelivery({ latency: 500 });
    await rig.tell(opens("a"), says("a", "One"));
    await rig.clock.advance(500);
    expect(rig.chat.calls.filter(({ call }) => call.type === "edit")).toMatchObject([
      { at: 500, call: { content: { text: "One" } } },
    ]);
    await rig.clock.advance(1_000);
    await rig.tell(says("a", " two"));
    await rig.clock.advance(2_000);
    expect(rig.chat.texts()).toEqual(["One two"]);
  });

  test("first words never wait for an edit that is due later: they are asked for as soon as the way is free", async () => {
    const before: readonly AgentEvent[] = [
      thinks("a", "hm"),
      says("a", "\n"),
      toolStarts("1", "bash", "ls"),
      { type: "notice", notice: { type: "compacting" } },
      { type: "notice", notice: { type: "extension_message", text: "hello" } },
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 900 }),
        fc.array(fc.record({ event: fc.constantFrom(...before), gap: fc.integer({ min: 0, max: 700 }) }), {
          maxLength: 6,
        }),
        async (latency, story) => {
          const rig = await startDelivery({ latency });
          await rig.tell(opens("a"));
          for (const { event, gap } of story) {
            await rig.clock.advance(gap);
            await rig.tell(event);
          }
          const saidAt = rig.clock.now();
          await rig.tell(says("a", "Words", 5));
          await rig.clock.advance(5_000);
          const shown = rig.chat.calls.find(
            ({ call }) => "content" in call && call.content.text.includes("Words"),
          );
          // A call may be under way, and an edit before may have taken what this one needs.
          const edits = rig.chat.calls.filter(
            (each) => each !== shown && each.call.type === "edit" && each.at <= saidAt,
          );
          const affordableAt = (edits.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + latency + 1_150;
          expect(shown?.at).toBeLessThanOrEqual(Math.max(saidAt + 2 * latency, affordableAt + latency));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("then there is an edit a second, a little less until a token is saved up, each with the newest words", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"));
    await stream(rig, "a", 10_000);
    expect(moments(rig, "edit")).toEqual([0, 1_150, 2_300, 3_450, 4_600, 5_750, 6_900, 8_050, 9_200]);
    expect(rig.chat.texts()[0]).toMatch(/^w0 w1 .* w183$/);
  });

  test("in a group there is an edit every three seconds, until its budget is spent", async () => {
    const rig = await startDelivery({ place: { chatId: -7 } });
    await rig.tell(opens("a"));
    await stream(rig, "a", 10_000, 100);
    expect(moments(rig, "edit")).toEqual([0, 3_000, 6_000, 10_000]);
  });

  test("after a minute there are half as many", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"));
    await stream(rig, "a", 80_000, 250);
    const late = moments(rig, "edit").filter((at) => at > 61_000);
    for (const [index, at] of late.entries()) {
      if (index > 0) expect(at - (late[index - 1] ?? 0)).toBe(2_000);
    }
    expect(late.length).toBeGreaterThan(7);
  });

  test("words that change nothing that can be seen cost no call", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"), says("a", "word"));
    const before = rig.chat.said().length;
    for (let space = 0; space < 5; space += 1) {
      await rig.tell(says("a", " "));
      await rig.clock.advance(1_500);
    }
    expect(rig.chat.said()).toHaveLength(before);
    expect(rig.delivery.wishes(rig.clock.now()).map(({ urgency }) => urgency)).toEqual(["typing"]);
  });

  test("a tool's line shows how long it has run, though nothing else happens", async () => {
    const rig = await startDelivery();
    await rig.tell(toolStarts("1", "bash", "npm test"));
    await rig.clock.advance(1_000);
    expect(rig.chat.texts()).toEqual(["🔧 bash: npm test"]);
    await rig.clock.advance(5_000);
    expect(rig.chat.texts()).toEqual(["🔧 bash: npm test, 5 s"]);
    await rig.clock.advance(5_000);
    expect(rig.chat.texts()).toEqual(["🔧 bash: npm test, 10 s"]);
    await rig.clock.advance(110_000);
    expect(rig.chat.texts()).toEqual(["🔧 bash: npm test, 2 min"]);
    const before = rig.chat.said().length;
    await rig.clock.advance(50_000);
    expect(rig.chat.said()).toHaveLength(before);
  });

  test("the time that a tool has run is shown after a rest as well", async () => {
    const rig = await startDelivery();
    await rig.tell(toolStarts("1", "bash", "sleep"));
    await rig.clock.advance(2_000);
    rig.chat.fault = (call) => (call.type === "edit" ? { type: "flood", retryAfter: 12 } : undefined);
    await rig.clock.advance(5_000);
    rig.chat.fault = () => undefined;
    await rig.clock.advance(12_000);
    expect(rig.chat.texts()).toEqual(["🔧 bash: sleep, 15 s"]);
  });

  test("a tool's line leaves no trace in the final answer", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"), thinks("a", "hm"));
    await rig.clock.advance(1_500);
    expect(rig.chat.texts()).toEqual([THINKING]);
    await rig.tell(said("a", "One moment."), toolStarts("1", "bash", "ls"));
    await rig.clock.advance(7_000);
    expect(rig.chat.texts()[0]).toContain("bash: ls");
    await rig.tell(toolEnds("1"), said("b", "Here it is."));
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual(["One moment.\n\nHere it is."]);
  });

  test("typing is shown every four seconds, and never after the final", async () => {
    const rig = await startDelivery();
    await rig.clock.advance(20_000);
    expect(moments(rig, "typing")).toEqual([0, 4_000, 8_000, 12_000, 16_000, 20_000]);
    await rig.tell(said("a", "Done."));
    await rig.finish(done);
    expect(rig.chat.calls.filter(({ at, call }) => at > 20_000 && call.type === "typing")).toEqual([]);
    expect(rig.clock.sleepers).toBe(0);
  });

  test("typing goes on while words stream", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"));
    await stream(rig, "a", 20_000, 100);
    expect(moments(rig, "typing").length).toBeGreaterThanOrEqual(5);
  });

  test("an answer of which nothing can be seen keeps its placeholder", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"), says("a", "```\n```\n"));
    await rig.clock.advance(10_000);
    expect(rig.chat.texts()).toEqual(["…"]);
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual([EMPTY_ANSWER]);
  });
});

describe("an answer whose pages are made in another thread", () => {
  test("shows them when they are there, though words come all the time, and whole at the end", async () => {
    const rig = await startDelivery({ renderMs: 700 });
    await rig.tell(opens("a"));
    await stream(rig, "a", 6_000);
    const edits = rig.chat.calls.flatMap(({ call }) => (call.type === "edit" ? [call.content.text] : []));
    expect(edits.length).toBeGreaterThanOrEqual(3);
    expect(edits.every((text, at) => at === 0 || text.length > (edits[at - 1] ?? "").length)).toBe(true);
    const text = Array.from({ length: 120 }, (_, word) => `w${word}`).join(" ");
    await rig.tell(said("a", text));
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual([text]);
    expect(rig.chat.wasted).toBe(0);
    expect(rig.delivery.finished).toBe(true);
  });

  test("says nothing of its beginning any more when its end came while that was being rendered", async () => {
    const rig = await startDelivery({ renderMs: 700 });
    await rig.tell(opens("a"), says("a", "the beginning"));
    await rig.clock.advance(300);
    await rig.tell(said("a", "the beginning and the end"), end(done));
    await rig.clock.advance(60_000);
    const texts = rig.chat.calls.flatMap(({ call }) => ("content" in call ? [call.content.text] : []));
    expect(texts).toEqual([PLACEHOLDER, "the beginning and the end"]);
  });
});

describe("a turn that was begun elsewhere", () => {
  test("shows what was asked, quoted on one line, and then its answer, and rings never", async () => {
    const rig = await startDelivery({ face: "deck" });
    await rig.clock.advance(5_000);
    expect(rig.chat.said()).toEqual([]);
    await rig.tell(asked(`Mend **it**,\n\nplease. ${"And on. ".repeat(40)}`));
    const [question, placeholder] = rig.chat.texts();
    expect(question).toMatch(/^In the deck: Mend \*\*it\*\*, please\. And on\. [^\n]*…$/);
    expect(placeholder).toBe(PLACEHOLDER);
    await rig.tell(opens("a"), says("a", "Mended."));
    await rig.clock.advance(600_000);
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual([question, "Mended."]);
    expect([...rig.chat.shown.values()][0]?.entities).toEqual([
      { type: "blockquote", offset: 0, length: question?.length },
    ]);
    expect(rig.chat.calls.filter(({ call }) => call.type === "send" && !call.silent)).toEqual([]);
  });

  test("shows the first words of its answer at once", async () => {
    const rig = await startDelivery({ face: "http" });
    await rig.tell(asked("hello"), opens("a"), says("a", "Good"));
    expect(rig.chat.texts()).toEqual(["By HTTP: hello", "Good"]);
  });

  test("shows nothing when it is stopped before it left a trace, and its fault when it failed", async () => {
    const rig = await startDelivery({ face: "deck" });
    await rig.tell(asked("hello"));
    await rig.finish(stopped);
    expect(rig.chat.texts()).toEqual([]);
    const failed = await startDelivery({ face: "deck" });
    await failed.finish({ type: "failed", message: "No agent." });
    expect(failed.chat.texts()).toEqual(["⚠️ No agent."]);
  });

  test("with a picture alone says so", async () => {
    const rig = await startDelivery({ face: "deck" });
    await rig.tell(asked({ type: "image", mimeType: "image/png", url: "/p" }));
    expect(rig.chat.texts()[0]).toBe("In the deck: (a picture)");
  });
});

describe("a turn that comes to the chat while it runs", () => {
  test("is sent as its pages are, and edited only when something happens in it", async () => {
    const text = "word ".repeat(1_500);
    const rig = await startDelivery({ face: "http", so: [asked("count"), opens("a"), says("a", text)] });
    await rig.clock.advance(60_000);
    expect(rig.chat.said().map((call) => call.slice(0, 9))).toEqual(["send By H", "send word", "send word"]);
    expect(rig.chat.texts().join("").match(/word/g)).toHaveLength(1_500);
    await rig.tell(says("a", "and the last."));
    expect(rig.chat.said().slice(3)).toEqual([expect.stringMatching(/^edit word/)]);
    await rig.finish(done);
    expect(rig.chat.texts()).toHaveLength(3);
    expect(rig.chat.texts().at(-1)).toMatch(/word and the last\.$/);
  });

  test("shows how long its tool has run, and counts on only when something happens", async () => {
    const rig = await startDelivery({ so: [toolStarts("1", "bash", "npm test")] });
    await rig.clock.advance(60_000);
    expect(rig.chat.said()).toEqual(["send 🔧 bash: npm test"]);
    await rig.tell(toolStarts("2", "read", "a.txt"));
    await rig.clock.advance(5_000);
    expect(rig.chat.texts()).toEqual(["🔧 read: a.txt and 1 more, 5 s"]);
    expect(rig.chat.calls.filter(({ call }) => call.type === "typing").length).toBeGreaterThan(10);
  });

  test("is shown as it is when its turn to be sent has come", async () => {
    const so = [opens("a"), says("a", "one")];
    const rig = await startDelivery({ so, fault: () => ({ type: "flood", retryAfter: 5 }) });
    await rig.tell(says("a", " two"));
    rig.chat.fault = () => undefined;
    await rig.clock.advance(10_000);
    expect(rig.chat.said().filter((call) => call.startsWith("edit"))).toEqual([]);
    expect(rig.chat.texts()).toEqual(["one two"]);
  });
});

describe("at its end", () => {
  test("the final comes at once, whatever the throttle, and everything is over", async () => {
    const rig = await startDelivery();
    await rig.clock.advance(5_000);
    await rig.tell(opens("a"), says("a", "Par"));
    await rig.tell(says("a", "tial"));
    await rig.tell(said("a", "Whole."), { type: "turn_end" });
    expect(rig.chat.texts()).toEqual(["Par"]);
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual(["Whole."]);
    expect(moments(rig, "edit")).toEqual([5_000, 5_000]);
    expect(rig.delivery.finished).toBe(true);
    await rig.outbox.idle();
  });

  test.each<[string, TurnOutcome, readonly string[], readonly string[]]>([
    ["is done", done, ["Words."], ["Words."]],
    ["is done without a word", done, [], [EMPTY_ANSWER]],
    ["is stopped", stopped, ["Words."], [`Words.\n\n${STOPPED}`]],
    ["is stopped before any word", stopped, [], []],
    ["is replaced", replaced, ["Words."], [`Words.\n\n${outcomeLine(replaced) ?? ""}`]],
    ["is replaced before any word", replaced, [], []],
    ["fails", { type: "failed", message: "It broke." }, ["Words."], ["Words.\n\n⚠️ It broke."]],
    ["fails before any word", { type: "failed", message: "It broke." }, [], ["⚠️ It broke."]],
  ])("a turn that %s leaves what it should", async (_, outcome, words, left) => {
    const rig = await startDelivery();
    await rig.clock.advance(1_234);
    if (words.length > 0) await rig.tell(opens("a"), ...words.map((word) => says("a", word)));
    await rig.finish(outcome);
    expect(rig.chat.texts()).toEqual(left);
    expect(rig.delivery.finished).toBe(true);
  });

  test("a turn that ends before its placeholder was sent shows its end alone", async () => {
    const down = await startDelivery({ fault: () => ({ type: "unreachable", reason: "down" }) });
    await down.tell(said("a", "Words."));
    down.chat.fault = () => undefined;
    await down.finish(done);
    expect(down.chat.said()).toEqual(["send …", "probe", "send Words."]);

    const stillborn = await startDelivery({ fault: () => ({ type: "flood", retryAfter: 5 }) });
    stillborn.chat.fault = () => undefined;
    await stillborn.finish(stopped);
    expect(stillborn.chat.said()).toEqual(["send …"]);
    expect(stillborn.chat.texts()).toEqual([]);
    expect(stillborn.delivery.finished).toBe(true);
  });

  test("nothing that comes after the end changes what is shown", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"), says("a", "Words."));
    await rig.finish(stopped);
    await rig.tell(says("a", " Ghost."), said("b", "Ghost."));
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual([`Words.\n\n${STOPPED}`]);
  });

  test("a cut closes what was said as stopped, and nothing more is taken", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"), says("a", "Words."));
    await rig.tell(says("a", " And"), says("a", " more."));
    rig.delivery.cut();
    rig.delivery.cut();
    await rig.tell(says("a", " Ghost."));
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual([`Words. And more.\n\n${STOPPED}`]);
  });

  test("what is said while a call is under way is shown, also when nothing follows it", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"), says("a", "One"));
    let isFirst = true;
    rig.chat.fault = () => {
      if (isFirst) void rig.tell(says("a", " three."));
      isFirst = false;
      return undefined;
    };
    await rig.tell(says("a", " two"));
    await rig.clock.advance(5_000);
    expect(rig.chat.texts()).toEqual(["One two three."]);
  });

  test("a cut after the end changes nothing", async () => {
    const rig = await startDelivery();
    await rig.tell(said("a", "Words."));
    await rig.finish(done);
    rig.delivery.cut();
    rig.outbox.wake();
    await rig.clock.advance(5_000);
    expect(rig.chat.texts()).toEqual(["Words."]);
  });
});

describe("an answer of several messages", () => {
  test("grows by silent sends, and its full pages are not touched again", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"));
    const words = long(13_000);
    for (let at = 0; at < words.length; at += 500) {
      await rig.tell(says("a", words.slice(at, at + 500)));
      await rig.clock.advance(1_000);
    }
    const [first = Number.NaN] = rig.chat.shown.keys();
    await rig.finish(done);
    expect(rig.chat.texts().join("\n")).toBe(words.trimEnd());
    expect(rig.chat.texts()).toHaveLength(4);
    const sends = rig.chat.calls.flatMap(({ call }) => (call.type === "send" ? [call] : []));
    expect(sends).toHaveLength(4);
    expect(sends.every(({ silent }) => silent)).toBe(true);

    const edits = rig.chat.calls.flatMap(({ at, call }) => (call.type === "edit" ? [{ at, call }] : []));
    const ofFirst = edits.filter(({ call }) => call.messageId === first).map(({ at }) => at);
    const second = rig.chat.calls.filter(({ call }) => call.type === "send")[1]?.at ?? 0;
    expect(ofFirst.every((at) => at <= second)).toBe(true);
  });

  test("that comes all at once is sent as fast as the chat may take it, in order", async () => {
    const rig = await startDelivery();
    await rig.tell(said("a", long(20_000)));
    await rig.finish(done);
    const pages = paginate(renderMarkdown(long(20_000), { streaming: false }));
    expect(rig.chat.texts()).toEqual(pages.map(({ text }) => text));
    expect(rig.chat.calls.filter(({ call }) => call.type === "send").map(({ at }) => at)).toEqual([
      0, 0, 1_000, 2_000, 3_000,
    ]);
  });

  test("loses its last pages when the agent takes back what it said", async () => {
    const rig = await startDelivery();
    await rig.tell(said("a", long(9_000)));
    await rig.clock.advance(10_000);
    expect(rig.chat.texts()).toHaveLength(3);
    expect(moments(rig, "send")).toEqual([0, 0, 1_000]);
    await rig.tell({ type: "message_discard", key: "a" }, said("b", "Short."));
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual(["Short."]);
  });

  test("takes no last token for the edits of a step, which a reply may need", async () => {
    const rig = await startDelivery();
    await rig.tell(said("a", long(11_000)));
    await rig.clock.advance(10_000);
    const before = rig.chat.said().length;
    await rig.tell({ type: "message_discard", key: "a" }, said("b", `# Other\n\n${long(11_000)}`));
    expect(rig.chat.said()).toHaveLength(before + 1);
    rig.outbox.reply({ place: { chatId: 7 }, content: { text: "reply", entities: [] } });
    await rig.clock.settle();
    expect(rig.chat.said().at(-1)).toBe("send reply");
    await rig.finish(done);
    expect(rig.chat.said()).toHaveLength(before + 4);
  });
});

describe("entities that Telegram refuses", () => {
  const refusing = (call: Call): Answer | undefined =>
    "content" in call && call.content.entities.length > 0
      ? { type: "entities_refused", description: "Bad Request: can't parse entities" }
      : undefined;

  test("make the message plain while it streams, without asking again", async () => {
    const rig = await startDelivery();
    rig.chat.fault = refusing;
    await rig.tell(opens("a"), says("a", "**bold** "));
    await stream(rig, "a", 5_000);
    expect(rig.chat.texts()[0]).toMatch(/^bold w0 /);
    const formatted = rig.chat.calls.filter(
      ({ call }) => "content" in call && call.content.entities.length > 0,
    );
    expect(formatted).toHaveLength(1);
    expect(rig.log.messages("warn")).toEqual(["Telegram refused an answer's entities"]);
  });

  test("cost a message no more than its links, when those are what Telegram does not take", async () => {
    const rig = await startDelivery();
    rig.chat.fault = (call) =>
      "content" in call && call.content.entities.some(({ type }) => type === "text_link")
        ? { type: "entities_refused", description: "Bad Request: entity URL 'x' is invalid: Wrong URL host" }
        : undefined;
    await rig.tell(opens("a"), says("a", "**bold** [words](https://example.com/a)"));
    await rig.clock.advance(3_000);
    await rig.tell(says("a", " more"));
    await rig.finish(done);
    expect([...rig.chat.shown.values()]).toEqual([
      {
        text: "bold words more",
        entities: [{ type: "bold", offset: 0, length: 4 }],
      },
    ]);
    const linked = rig.chat.calls.filter(
      ({ call }) => "content" in call && call.content.entities.some(({ type }) => type === "text_link"),
    );
    expect(linked).toHaveLength(2);
    expect(rig.delivery.finished).toBe(true);
  });

  test("are tried once more with the final", async () => {
    const rig = await startDelivery();
    rig.chat.fault = refusing;
    await rig.tell(opens("a"), says("a", "**bold**"));
    await rig.clock.advance(3_000);
    rig.chat.fault = () => undefined;
    await rig.finish(done);
    expect([...rig.chat.shown.values()]).toEqual([
      { text: "bold", entities: [{ type: "bold", offset: 0, length: 4 }] },
    ]);
  });

  test("are tried once more with the final and then given up for good", async () => {
    const rig = await startDelivery();
    rig.chat.fault = refusing;
    await rig.tell(opens("a"), says("a", "**bold**"));
    await rig.clock.advance(3_000);
    await rig.tell(says("a", " and **more**"));
    await rig.finish(done);
    expect([...rig.chat.shown.values()]).toEqual([{ text: "bold and more", entities: [] }]);
    const formatted = rig.chat.calls.filter(
      ({ call }) => "content" in call && call.content.entities.length > 0,
    );
    expect(formatted).toHaveLength(2);
    expect(rig.delivery.finished).toBe(true);
  });

  test("of an edit under way when the turn ends are still tried with the final", async () => {
    const rig = await startDelivery();
    let release = (): void => undefined;
    rig.chat.fault = (call) => {
      if (call.type !== "edit") return undefined;
      rig.chat.fault = () => undefined;
      release();
      return refusing(call);
    };
    release = () => rig.delivery.cut();
    await rig.tell(opens("a"), says("a", "**bold**"));
    await rig.clock.advance(60_000);
    expect([...rig.chat.shown.values()][0]?.entities).toHaveLength(2);
  });

  test("are not tried again when the message is sent anew", async () => {
    const rig = await startDelivery();
    rig.chat.fault = refusing;
    await rig.tell(opens("a"), says("a", "**bold** "));
    await rig.clock.advance(3_000);
    rig.chat.wipe();
    await rig.tell(says("a", "and **more** "));
    await rig.clock.advance(3_000);
    expect(rig.chat.texts()).toEqual(["bold and more"]);
    const formatted = rig.chat.calls.filter(
      ({ call }) => "content" in call && call.content.entities.length > 0,
    );
    expect(formatted).toHaveLength(1);
  });

  test("that are refused without there being any are not tried for ever", async () => {
    const rig = await startDelivery();
    rig.chat.fault = (call) =>
      call.type === "edit" ? { type: "entities_refused", description: "entities?" } : undefined;
    await rig.tell(said("a", "Words."));
    await rig.finish(done);
    expect(rig.chat.said()).toEqual(["send …", "edit Words.", "document"]);
    expect(rig.delivery.finished).toBe(true);
  });

  test("do not keep a new page from being sent", async () => {
    const rig = await startDelivery();
    rig.chat.fault = refusing;
    await rig.tell(said("a", `**bold** ${long(5_000)} **bold**`));
    await rig.finish(done);
    expect(rig.chat.texts()).toHaveLength(2);
    expect([...rig.chat.shown.values()].every(({ entities }) => entities.length === 0)).toBe(true);
  });
});

describe("what goes wrong on the way", () => {
  test("a message that the person deleted is sent anew, once, with what is newest", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"), says("a", "One "));
    rig.chat.wipe();
    await rig.tell(says("a", "two "));
    await rig.clock.advance(2_000);
    expect(rig.chat.texts()).toEqual(["One two"]);
    await rig.tell(says("a", "three "));
    await rig.clock.advance(2_000);
    rig.chat.wipe();
    await stream(rig, "a", 10_000);
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual([]);
    expect(rig.chat.calls.filter(({ call }) => call.type === "send")).toHaveLength(2);
    expect(rig.delivery.finished).toBe(true);
    expect(rig.log.messages("error")).toEqual([]);
  });

  test("what is sent anew is what is newest when the chat may speak again", async () => {
    const rig = await startDelivery();
    await rig.tell(opens("a"), says("a", "Old "));
    rig.chat.wipe();
    rig.chat.fault = (call) => (call.type === "send" ? { type: "flood", retryAfter: 20 } : undefined);
    await rig.tell(says("a", "words "));
    await rig.clock.advance(5_000);
    rig.chat.fault = () => undefined;
    await rig.tell(says("a", "and new."));
    await rig.finish(done);
    expect(
      rig.chat
        .said()
        .filter((call) => call.startsWith("send"))
        .slice(-1),
    ).toEqual(["send Old words and new."]);
    expect(rig.chat.texts()).toEqual(["Old words and new."]);
  });

  test("what is refused for good is not tried for ever", async () => {
    const rig = await startDelivery();
    rig.chat.fault = (call) =>
      call.type === "edit" ? { type: "refused", description: "Bad Request: no" } : undefined;
    await rig.tell(said("a", "Refused."));
    await rig.clock.advance(20_000);
    expect(rig.chat.said()).toEqual(["send …", "edit Refused."]);
    await rig.finish(done);
    expect(rig.chat.said().slice(0, 2)).toEqual(["send …", "edit Refused."]);
    expect(rig.delivery.finished).toBe(true);
    expect(rig.log.messages("error")).toEqual(["Telegram refused a part of an answer"]);
  });

  test("an answer of which Telegram refuses a page comes whole as a file", async () => {
    const rig = await startDelivery();
    rig.chat.fault = (call) =>
      call.type === "edit" ? { type: "refused", description: "Bad Request: no" } : undefined;
    await rig.tell(said("a", "**Refused**."), said("b", "- as well"));
    await rig.finish(done);
    expect(rig.chat.calls.at(-1)?.call).toEqual({
      type: "document",
      name: "answer.md",
      text: "**Refused**.\n\n- as well",
    });
    expect(rig.delivery.finished).toBe(true);
  });

  test("an answer whose refused page Telegram takes in the end needs no file", async () => {
    const rig = await startDelivery();
    rig.chat.fault = (call) =>
      call.type === "edit" ? { type: "refused", description: "Bad Request: no" } : undefined;
    await rig.tell(opens("a"), says("a", "Half "));
    await rig.clock.advance(2_000);
    rig.chat.fault = () => undefined;
    await rig.tell(says("a", "and whole."));
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual(["Half and whole."]);
    expect(rig.chat.calls.map(({ call }) => call.type)).not.toContain("document");
  });

  test("a refused send is tried again when there is something new to say, and not in between", async () => {
    const rig = await startDelivery({
      fault: ({ type }) => (type === "typing" ? undefined : { type: "refused", description: "no" }),
    });
    await rig.tell(opens("a"), says("a", "Soon "));
    await rig.clock.advance(20_000);
    expect(rig.chat.said()).toEqual(["send …", "send Soon"]);
    rig.chat.fault = () => undefined;
    await rig.tell(says("a", "better."));
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual(["Soon better."]);
  });

  test("a placeholder that was never taken is not deleted either", async () => {
    const rig = await startDelivery({
      fault: ({ type }) => (type === "typing" ? undefined : { type: "refused", description: "no" }),
    });
    await rig.finish(stopped);
    expect(rig.chat.said()).toEqual(["send …"]);
    expect(rig.delivery.finished).toBe(true);
  });

  test("an answer that was delivered while its acknowledgement was lost is not doubled by edits", async () => {
    const rig = await startDelivery();
    let lost = 0;
    rig.chat.fault = (call) =>
      call.type === "edit" && (lost += 1) < 4 ? { type: "unreachable", reason: "reset" } : undefined;
    await rig.tell(said("a", "Once."));
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual(["Once."]);
  });
});

describe("whatever happens", () => {
  type Step = { readonly after: number; readonly event: AgentEvent | "discard" };
  const words = fc.constantFrom(
    "word ",
    "**bold** ",
    "`code` ",
    "\n\n",
    "# head\n",
    "- item\n",
    "||x|| ",
    "😀 ",
  );
  const step = fc.record<Step>({
    after: fc.nat(1_800),
    event: fc.oneof(
      { weight: 8, arbitrary: words.map((text): AgentEvent => says("a", text)) },
      { weight: 2, arbitrary: fc.nat(3_000).map((units): AgentEvent => says("a", long(units))) },
      { weight: 1, arbitrary: fc.constant<AgentEvent>(toolStarts("1", "bash", "ls")) },
      { weight: 1, arbitrary: fc.constant<AgentEvent>(toolEnds("1")) },
      { weight: 1, arbitrary: fc.constant<"discard">("discard") },
    ),
  });
  const answer = fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant<"entities">("entities") },
    { weight: 1, arbitrary: fc.nat(9).map<Answer>((retryAfter) => ({ type: "flood", retryAfter })) },
    { weight: 1, arbitrary: fc.constant<Answer>({ type: "unreachable", reason: "refused" }) },
  );
  const outcome = fc.constantFrom<TurnOutcome>(done, stopped, replaced, { type: "failed", message: "Oh." });

  test("what is shown in the end is the final view, each page once and in order", async () => {
    const run = async (
      steps: readonly Step[],
      answers: readonly (Answer | "entities" | undefined)[],
      end: TurnOutcome,
    ) => {
      const rig = await startDelivery();
      const left = [...answers];
      let unheard = 0;
      rig.chat.fault = (call) => {
        const next = call.type === "typing" ? undefined : left.shift();
        if (typeof next === "object" && call.type === "edit") unheard += 1;
        if (next !== "entities") return typeof next === "object" ? next : undefined;
        const formatted = "content" in call && call.content.entities.length > 0;
        return formatted ? { type: "entities_refused", description: "no" } : undefined;
      };
      await rig.tell(opens("a"));
      let text = "";
      for (const { after, event } of steps) {
        await rig.clock.advance(after);
        if (event === "discard") {
          text = "";
          await rig.tell({ type: "message_discard", key: "a" }, opens("a"));
        } else {
          if (event.type === "message_update") text += event.delta.text;
          await rig.tell(event);
        }
      }
      await rig.finish(end);

      const line = outcomeLine(end);
      const seen = renderMarkdown(text, { streaming: false }).text.trim();
      const silent = seen === "" && (end.type === "stopped" || end.type === "replaced");
      const below = line ?? (seen === "" ? EMPTY_ANSWER : "");
      const squeeze = (all: string): string => all.replaceAll(/\s+/g, "");
      expect(squeeze(rig.chat.texts().join(""))).toBe(silent ? "" : squeeze(seen + below));
      expect(rig.delivery.finished).toBe(true);
      expect(rig.clock.sleepers).toBe(0);
      // An edit that nobody heard of is made once more, whatever the page should read by then.
      expect(rig.chat.wasted).toBeLessThanOrEqual(unheard);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.array(answer, { maxLength: 25 }), outcome, run),
      { numRuns: 30 },
    );
    expect.hasAssertions();
  });
});

describe("the close of an answer", () => {
  test("is one message that rings, where the turn took long", async () => {
    const rig = await startDelivery();
    await rig.tell(said("a", "At last."));
    await rig.clock.advance(40_000);
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual(["At last.", "Done, 40 s"]);
    expect(rig.chat.calls.at(-1)?.call).toMatchObject({ type: "send", silent: false });
    expect(rig.delivery.finished).toBe(true);
  });

  test("that Telegram refuses is not tried for ever", async () => {
    const rig = await startDelivery();
    await rig.tell(said("a", "At last."));
    await rig.clock.advance(40_000);
    rig.chat.fault = (call) =>
      "content" in call && call.content.text.startsWith("Done")
        ? { type: "refused", description: "no" }
        : undefined;
    await rig.finish(done);
    expect(rig.chat.texts()).toEqual(["At last."]);
    expect(rig.delivery.finished).toBe(true);
  });

  test("of more than eight pages is the whole of it as a file, and the eighth page says so", async () => {
    const rig = await startDelivery();
    await rig.tell(said("a", long(60_000)));
    await rig.clock.advance(20_000);
    expect(rig.chat.texts()).toHaveLength(8);
    const before = rig.chat.texts();
    await rig.finish(done);
    expect(rig.chat.texts()).toHaveLength(8);
    expect(rig.chat.texts().slice(0, 7)).toEqual(before.slice(0, 7));
    expect(before[7]).toMatch(/\(The rest will follow as a file\.\)$/);
    expect(rig.chat.texts()[7]).toBe(before[7]?.replace("will follow as a file", "is in the file below"));
    expect(rig.chat.calls.at(-1)?.call).toEqual({ type: "document", name: "answer.md", text: long(60_000) });
  });
});
