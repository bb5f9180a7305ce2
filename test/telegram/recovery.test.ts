import { hereRendering } from "./here-rendering.ts";
import { describe, expect, test } from "vitest";
import type { Update } from "grammy/types";
import { makeTurnId, type TurnId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import { createBackoff } from "../../src/telegram/backoff.ts";
import type { Answer, Call } from "../../src/telegram/calls.ts";
import { createDrafts } from "../../src/telegram/drafts.ts";
import { createInbox } from "../../src/telegram/inbox.ts";
import { createParts } from "../../src/telegram/parts.ts";
import { type Leftover, recover } from "../../src/telegram/recovery.ts";
import type { Speaker } from "../../src/telegram/speakers.ts";
import { withLines } from "../../src/telegram/view.ts";
import { labels, replies } from "../../src/telegram/words.ts";
import { CHAT, createConversationRig, createHandAttachment } from "./chat-rig.ts";
import { createMemoryUpdates } from "./memory-turns.ts";
import { ada, commandMark, commandUpdate, messageUpdate, rawUpdate, stranger } from "./updates.ts";

function setUp() {
  const rig = createConversationRig();
  const { clock, log, outboxes, conversations, memory } = rig;
  const kept = createMemoryUpdates();
  const inbox = createInbox({ store: kept.updates, clock, log, backoff: createBackoff(() => 0.5) });
  const parts = createParts({
    recipient: { username: "evie_bot", isAllowed: (id) => id === ada.id },
    fetchAttachment: createHandAttachment,
    tell: () => undefined,
  });
  const keep = (...updates: readonly Update[]) =>
    updates.map((update, index) => {
      kept.bodies.set(index + 1, JSON.stringify({ ...update, update_id: index + 1 }));
      return index + 1;
    });
  const shows = (id: TurnId, ...texts: readonly string[]): void =>
    memory.turns.keep(
      id,
      CHAT,
      texts.map((text, index) => ({
        messageId: 100 + index,
        content: JSON.stringify({ text, entities: [], plain: false }),
      })),
    );
  const takeUp = (...leftovers: readonly Leftover[]) =>
    recover(leftovers, {
      rendering: hereRendering,
      turns: memory.turns,
      inbox,
      parts,
      drafts: createDrafts(),
      conversations,
      outboxes,
      clock,
      log,
    });
  return { ...rig, kept, keep, shows, takeUp, outbox: outboxes(7) };
}

/** Lets a speaker say everything, and gives it. */
function hearOut(speaker: Speaker | undefined, answer: Answer = { type: "done" }): readonly Call[] {
  const calls: Call[] = [];
  for (let round = 0; round < 10; round += 1) {
    const call = speaker?.finished === false ? speaker.speak("message", 0) : undefined;
    if (speaker === undefined || call === undefined) break;
    calls.push(call);
    speaker.heard(call, answer);
  }
  return calls;
}

const text = (said: string, fields: object = {}) => messageUpdate({ text: said, ...fields });

describe("a turn that runs again", () => {
  test("is asked as it was at its flush, edits included, and its old placeholder goes", async () => {
    const { keep, shows, takeUp, session, memory, outbox } = setUp();
    const id = makeTurnId();
    const sources = keep(
      text("one"),
      messageUpdate({ text: "one!" }, "edited_message"),
      text("two", { message_id: 10 }),
    );
    memory.add(id, { sources });
    shows(id, "…");
    takeUp({ id, chat: CHAT, sources, verdict: { type: "run" } });
    const [draft] = session(0).drafts;
    expect((await draft?.ready)?.text).toBe("one!\n\ntwo");
    expect(draft?.sources).toEqual([1, 2, 3]);
    expect(memory.known.get(id)?.sources).toEqual([]);
    expect(hearOut(outbox.speakers[0])).toEqual([{ type: "delete", messageId: 100 }]);
    expect(memory.known.get(id)?.delivered).toBe(true);
  });

  test("has the words behind a command that was done, and the whole of a slash word that was a piece of a paste", async () => {
    const { keep, takeUp, session } = setUp();
    const done = { ...commandUpdate("/new fix the tset"), taken_as: "words" };
    const sources = keep(
      done,
      messageUpdate({ text: "/new fix the test", entities: [commandMark("/new")] }, "edited_message"),
      commandUpdate("/usr is full", { message_id: 10 }),
    );
    takeUp({ id: makeTurnId(), chat: CHAT, sources, verdict: { type: "run" } });
    expect((await session(0).drafts[0]?.ready)?.text).toBe("fix the test\n\n/usr is full");
  });

  test("says again that it is a second time, when it was", async () => {
    const { keep, takeUp, session } = setUp();
    const message = { message_id: 5, chat: { id: 7, type: "private" } };
    const press = rawUpdate({ callback_query: { id: "p", from: ada, data: "again:t-1", message } });
    const sources = keep(press, text("do it"));
    takeUp({ id: makeTurnId(), chat: CHAT, sources, verdict: { type: "run" } });
    expect((await session(0).drafts[0]?.ready)?.text).toBe(`${labels.again}\n\ndo it`);
  });
});

test("a line that it waits goes with the turn that waited when evie was killed", () => {
  const { keep, shows, takeUp, outbox } = setUp();
  const id = makeTurnId();
  const sources = keep(text("one"));
  shows(id, replies.waits);
  takeUp({ id, chat: CHAT, sources, verdict: { type: "run" } });
  expect(hearOut(outbox.speakers[0])).toEqual([{ type: "delete", messageId: 100 }]);
});

describe("a turn that runs under its own name", () => {
  test("is given drafts of its updates, and its old placeholder goes", async () => {
    const { keep, shows, takeUp, hand, memory, outbox } = setUp();
    const id = makeTurnId();
    const sources = keep(text("one"), text("two", { message_id: 10 }));
    memory.add(id, { sources });
    shows(id, "…");
    const drafts: (PromptDraft | undefined)[] = [];
    const resume: Leftover["resume"] = (draftOf) =>
      void drafts.push(draftOf([1]), draftOf([2]), draftOf([99]));
    takeUp({ id, chat: CHAT, sources, verdict: { type: "run" }, resume });
    expect(await Promise.all(drafts.map(async (draft) => (await draft?.ready)?.text))).toEqual([
      "one",
      "two",
      undefined,
    ]);
    expect(hand.created).toHaveLength(0);
    expect(hearOut(outbox.speakers[0])).toEqual([{ type: "delete", messageId: 100 }]);
    // It is still to be shown.
    expect(memory.known.get(id)).toMatchObject({ sources, delivered: false });
    expect(memory.known.get(id)?.outcome).toBeUndefined();
  });

  test("is given its drafts also where its old placeholder cannot be looked up", () => {
    const { keep, takeUp, memory } = setUp();
    const sources = keep(text("one"));
    const of = memory.turns.of.bind(memory.turns);
    let times = 0;
    memory.turns.of = () => {
      throw new Error("the disk is broken");
    };
    takeUp({
      id: makeTurnId(),
      chat: CHAT,
      sources,
      verdict: { type: "run" },
      resume: () => void (times += 1),
    });
    memory.turns.of = of;
    expect(times).toBe(1);
  });

  test("runs in no chat as well, and says nothing where nothing was said", () => {
    const { takeUp, outbox } = setUp();
    let times = 0;
    const resume = (): void => void (times += 1);
    takeUp({ id: makeTurnId(), sources: [], verdict: { type: "run" }, resume });
    takeUp({ id: makeTurnId(), chat: CHAT, sources: [], verdict: { type: "run" }, resume });
    expect(times).toBe(2);
    expect(outbox.speakers).toEqual([]);
  });
});

describe("a turn that an agent may have done a part of", () => {
  test("keeps what it had said with a mark, and is reported with a button below its message", () => {
    const { keep, shows, takeUp, hand, memory, outbox } = setUp();
    const id = makeTurnId();
    const sources = keep(text("delete everything"));
    shows(id, "I have deleted");
    takeUp({ id, chat: CHAT, sources, verdict: { type: "report" } });
    expect(hand.created).toHaveLength(0);
    expect(outbox.replies).toEqual([]);
    expect(hearOut(outbox.speakers[0])).toEqual([
      {
        type: "edit",
        messageId: 100,
        content: {
          text: "I have deleted\n\n(cut off)",
          entities: [{ type: "italic", offset: 16, length: 9 }],
        },
      },
    ]);
    const [report] = outbox.replies;
    expect(report).toMatchObject({
      content: { text: replies.interrupted },
      replyTo: 9,
      button: { text: "Try again", data: `again:${id}` },
    });
    // Until it was told it is still to be told, whatever dies.
    expect(memory.known.get(id)?.outcome).toBeUndefined();
    report?.told?.();
    expect(memory.known.get(id)).toMatchObject({ outcome: { type: "stopped" }, delivered: true });
  });

  test.each<[string, readonly string[], readonly string[], unknown]>([
    [
      "a tool",
      ["So far."],
      ["🔧 bash: npm test, 2 min"],
      { type: "edit", content: { text: "So far.\n\n(cut off)" } },
    ],
    [
      "a rest that does not come",
      ["So far."],
      ["(The rest will follow as a file.)", "🖼 Left out.", "💭 Thinking…"],
      { type: "edit", content: { text: "So far.\n\n🖼 Left out.\n\n(cut off)" } },
    ],
    ["nothing but a thought", [], ["💭 Thinking…"], { type: "delete" }],
  ])("does not keep what was going on: %s", (_, said, lines, call) => {
    const { keep, takeUp, memory, outbox } = setUp();
    const id = makeTurnId();
    const [message] = withLines(
      said.map((text) => ({ text, entities: [] })),
      lines,
      true,
    );
    const content = JSON.stringify({ ...message, plain: false });
    memory.turns.keep(id, CHAT, [{ messageId: 100, content }]);
    takeUp({ id, chat: CHAT, sources: keep(text("go on")), verdict: { type: "report" } });
    expect(hearOut(outbox.speakers[0])).toMatchObject([call]);
  });

  test.each([
    "(stopped)",
    "(interrupted by your next message)",
    "(interrupted by a prompt from the deck)",
    "(cut off)",
  ])("is not marked a second time where its chat says %s already", (mark) => {
    const { keep, takeUp, memory, outbox } = setUp();
    const id = makeTurnId();
    const [message] = withLines([{ text: "So far.", entities: [] }], [mark], true);
    memory.turns.keep(id, CHAT, [{ messageId: 100, content: JSON.stringify({ ...message, plain: false }) }]);
    takeUp({ id, chat: CHAT, sources: keep(text("go on")), verdict: { type: "report" } });
    // What it was last known to show may have been under way: the same once more, and nothing else.
    expect(hearOut(outbox.speakers[0])).toMatchObject([
      { type: "edit", content: { text: `So far.\n\n${mark}` } },
    ]);
    expect(outbox.replies).toHaveLength(1);
  });

  test("whose prompt is not kept any more is reported without a button", () => {
    const { takeUp, outbox } = setUp();
    takeUp({ id: makeTurnId(), chat: CHAT, sources: [99], verdict: { type: "report" } });
    hearOut(outbox.speakers[0]);
    expect(outbox.replies).toEqual([expect.not.objectContaining({ button: expect.anything() })]);
  });
});

test("a turn that was being ended anyway is closed as what it was, without a report", () => {
  const { shows, takeUp, memory, outbox } = setUp();
  const id = makeTurnId();
  shows(id, "Half an");
  takeUp({ id, chat: CHAT, sources: [], verdict: { type: "close", outcome: { type: "replaced" } } });
  expect(hearOut(outbox.speakers[0])).toMatchObject([
    { type: "edit", content: { text: "Half an\n\n(interrupted by your next message)" } },
  ]);
  expect(memory.known.get(id)).toMatchObject({ outcome: { type: "replaced" }, delivered: true });
  expect(outbox.replies).toEqual([]);
});

test("a turn of somebody who may not ask any more does not run", () => {
  const { keep, takeUp, hand, memory, outbox } = setUp();
  const id = makeTurnId();
  const sources = keep(text("let me in", { from: stranger }));
  takeUp({ id, chat: CHAT, sources, verdict: { type: "run" } });
  hearOut(outbox.speakers[0]);
  expect(hand.created).toHaveLength(0);
  expect(memory.known.get(id)).toMatchObject({ outcome: { type: "stopped" }, delivered: true });
});

test("a turn of no chat is over", () => {
  const { takeUp, memory, outbox } = setUp();
  const id = makeTurnId();
  takeUp({ id, sources: [], verdict: { type: "report" } });
  expect(memory.known.get(id)).toMatchObject({ outcome: { type: "stopped" }, delivered: true });
  const closed = makeTurnId();
  takeUp({ id: closed, sources: [], verdict: { type: "close", outcome: { type: "replaced" } } });
  expect(memory.known.get(closed)).toMatchObject({ outcome: { type: "replaced" }, delivered: true });
  expect(outbox.speakers).toEqual([]);
});

test("an answer that did not reach its chat whole is brought there, into the messages that are there", () => {
  const { shows, takeUp, memory, outbox } = setUp();
  const id = makeTurnId();
  shows(id, "First", "left over");
  memory.turns.ended(id, { type: "done" }, ["First **words**.", "And more."]);
  takeUp();
  expect(hearOut(outbox.speakers[0])).toEqual([
    {
      type: "edit",
      messageId: 100,
      content: { text: "First words.\n\nAnd more.", entities: [{ type: "bold", offset: 6, length: 5 }] },
    },
    { type: "delete", messageId: 101 },
  ]);
  expect(memory.known.get(id)?.delivered).toBe(true);
  expect(memory.turns.of(id).map(({ messageId }) => messageId)).toEqual([100]);
});

test("an answer to what was asked elsewhere is brought below the line that says what that was", () => {
  const { takeUp, memory, outbox } = setUp();
  const id = makeTurnId();
  const question = "In the deck: hello";
  const quoted = [{ type: "blockquote", offset: 0, length: question.length }];
  const bubble = (messageId: number, said: string, entities: readonly object[]) => ({
    messageId,
    content: JSON.stringify({ text: said, entities, plain: false }),
  });
  memory.turns.keep(id, CHAT, [bubble(100, question, quoted), bubble(101, "Good", [])]);
  memory.turns.ended(id, { type: "done" }, ["Good day."]);
  takeUp();
  expect(hearOut(outbox.speakers[0])).toEqual([
    { type: "edit", messageId: 101, content: { text: "Good day.", entities: [] } },
  ]);
});

test("one turn that cannot be taken up does not keep the others", () => {
  const { keep, takeUp, hand, log, memory, outbox } = setUp();
  const sources = keep(text("one"));
  hand.state.full = true;
  const other = makeTurnId();
  takeUp(
    { id: makeTurnId(), chat: CHAT, sources, verdict: { type: "run" } },
    { id: other, chat: CHAT, sources: [], verdict: { type: "close", outcome: { type: "stopped" } } },
  );
  expect(log.messages("error")).toEqual(["a turn that was left could not be taken up"]);
  hearOut(outbox.speakers[1]);
  expect(memory.known.get(other)?.delivered).toBe(true);
});
