import { hereRendering } from "./here-rendering.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/domain/events.ts";
import { type ChatKey, makeChatKey, parseChatKey, type SessionId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import { createSessions } from "../../src/session/sessions.ts";
import type { Answer, Call } from "../../src/telegram/calls.ts";
import { createConversations } from "../../src/telegram/conversations.ts";
import { createBudget, GLOBAL_BUDGET } from "../../src/telegram/budget.ts";
import { createOutboxes } from "../../src/telegram/outboxes.ts";
import { asked, opens, said, says, toolStarts } from "../domain/events.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "../session/hand-agents.ts";
import { createMemoryLedgers } from "../session/memory-ledgers.ts";
import { stepEvents, turnStart } from "../session/step-events.ts";
import { createMemoryTurns } from "./memory-turns.ts";

const chatId = 7;
const key: ChatKey = makeChatKey({ chatId });

const draft = (text: string): PromptDraft => ({
  ready: Promise.resolve({ text, images: [], files: [] }),
  release: () => undefined,
});

/** A chat on real sessions and a real outbox; agents are worked by hand, and the calls that come are kept. */
function setUp() {
  const clock = createFakeClock();
  const log = createMemoryLog();
  const { start, started } = createHandAgents();
  const memory = createMemoryLedgers();
  const sessions = createSessions({
    ledgers: memory.ledgers,
    folder: "/nowhere",
    workspace: "/work",
    startAgent: start,
    answerAt: () => "http://deck",
    clock,
    log,
  });
  const calls: Call[] = [];
  const texts = new Map<number, string>();
  let lastId = 100;
  const outboxes = createOutboxes({
    shared: createBudget(GLOBAL_BUDGET),
    clock,
    log,
    random: () => 0.5,
    async perform(_place, call): Promise<Answer> {
      calls.push(call);
      await clock.sleep(50);
      if (call.type === "send") texts.set((lastId += 1), call.content.text);
      if (call.type === "edit") texts.set(call.messageId, call.content.text);
      if (call.type === "delete") texts.delete(call.messageId);
      return { type: "done", ...(call.type === "send" ? { messageId: lastId } : {}) };
    },
  });
  const pointed = new Map<ChatKey, SessionId>();
  const turns = createMemoryTurns();
  const conversations = createConversations({
    rendering: hereRendering,
    sessions,
    outboxes,
    turns: turns.turns,
    pointers: {
      sessionOf: (each) => pointed.get(each),
      point: (each, id) => void pointed.set(each, id),
      chatOf: (id) => [...pointed].flatMap(([each, to]) => (to === id ? [parseChatKey(each)] : []))[0],
      keys: () => [...pointed.keys()],
    },
    clock,
    log,
  });
  const chat = conversations(key);
  const agent = (index: number) => {
    const one = started[index];
    if (one === undefined) throw new Error(`no agent ${index} was started`);
    return one;
  };
  /** Lets the agent take the prompt that it was handed. */
  const accept = async (): Promise<void> => {
    await clock.settle();
    agent(started.length - 1).getReady();
    await clock.settle();
    agent(started.length - 1)
      .runs.at(-1)
      ?.accept();
    await clock.advance(2_000);
  };
  const session = () => sessions.open(pointed.get(key) as SessionId);
  /** The calls that came since, but for signs of life of a turn that runs. */
  const spoken = (): readonly Call[] => calls.filter(({ type }) => type !== "typing");
  return { clock, log, chat, agent, accept, calls, spoken, texts, session, sessions, memory, turns };
}

type Rig = ReturnType<typeof setUp>;

/** How a turn of a chat is interrupted, each with the last line that stays below what was said. */
const interruptions: readonly (readonly [string, string, (rig: Rig) => void])[] = [
  ["/stop", "(stopped)", ({ chat }) => void chat.stop()],
  ["/clear", "(stopped)", ({ chat }) => chat.clear()],
  ["the next message", "(interrupted by your next message)", ({ chat }) => void chat.run(draft("two"), 2)],
  ["the deck's or a program's abort", "(stopped)", ({ session }) => void session()?.stop()],
  [
    "a prompt of the deck's that replaces it",
    "(interrupted by a prompt from the deck)",
    ({ session }) =>
      void session()?.prompt(draft("two"), { face: "deck", mode: "replace", requestId: "r", text: "two" }),
  ],
  ["evie's end", "(stopped)", ({ sessions }) => void sessions.leaveAll()],
];

const notices: readonly AgentEvent[] = [
  { type: "notice", notice: { type: "compacting" } },
  { type: "notice", notice: { type: "extension_message", text: "still here" } },
  { type: "notice", notice: { type: "image_omitted" } },
];

describe.each(interruptions)("after %s", (_, mark, interrupt) => {
  test("the chat shows at once what was said, with its mark, and nothing of what its agent says until it has ended", async () => {
    const rig = setUp();
    const { clock, agent, accept, chat, texts, calls, spoken } = rig;
    chat.run(draft("one"), 1);
    await accept();
    const { emit, options } = agent(0);
    for (const event of [asked("one"), turnStart, opens("a"), says("a", "So far")]) emit(event);
    await clock.advance(3_000);
    expect([...texts.values()]).toEqual(["So far"]);
    emit(toolStarts("1", "bash", "sleep 60"));
    await clock.advance(1_500);

    calls.splice(0);
    interrupt(rig);
    await clock.advance(300);
    expect(texts.get(101)).toBe(`So far\n\n${mark}`);
    for (let second = 0; second < 5; second += 1) {
      for (const event of [says("a", " and on"), ...notices, toolStarts(`t${second}`, "bash", "ls")])
        emit(event);
      options.ask({ id: `q${second}`, kind: "confirm", title: "Sure?" });
      await clock.advance(1_000);
    }
    emit(said("a", "So far and on"));
    await clock.advance(1_000);
    expect(texts.get(101)).toBe(`So far\n\n${mark}`);
    expect(spoken()).toMatchObject([{ type: "edit", messageId: 101 }]);
    expect(calls.filter(({ type }) => type === "typing")).toEqual([]);
    expect(agent(0).answers.map(([, value]) => value)).toEqual([null, null, null, null, null]);
    agent(0).exit();
    await clock.advance(10_000);
    expect(texts.get(101)).toBe(`So far\n\n${mark}`);
    expect(rig.log.messages("error")).toEqual([]);
  });

  test("no call concerns the turn but those that make it final, whatever its agent emits", async () => {
    await fc.assert(
      fc.asyncProperty(
        stepEvents,
        stepEvents,
        fc.integer({ min: 0, max: 1_500 }),
        fc.integer({ min: 0, max: 200 }),
        async (before, after, pause, gap) => {
          const rig = setUp();
          const { clock, agent, accept, chat, texts, spoken } = rig;
          chat.run(draft("one"), 1);
          await accept();
          const { emit } = agent(0);
          for (const event of [asked("one"), turnStart, ...before]) emit(event);
          await clock.advance(pause);
          interrupt(rig);
          const looks: (readonly string[])[] = [];
          await clock.advance(6_000);
          const calls = spoken().length;
          for (const event of [...after, ...notices]) {
            emit(event);
            await clock.advance(gap);
            looks.push([...texts.values()]);
          }
          await clock.advance(6_000);
          expect(spoken()).toHaveLength(calls);
          expect(new Set(looks.map((look) => look.join("|"))).size).toBe(1);
          expect([...texts.values()].join("\n")).not.toMatch(
            /^(?:🔧 bash|💭 Thinking…|🗜 Making|❓ The agent asks|…$)/mu,
          );
        },
      ),
      { numRuns: 12 },
    );
  });
});

test("the next turn's placeholder comes when the replaced one's agent has ended, and not before", async () => {
  const { clock, agent, accept, chat, texts } = setUp();
  chat.run(draft("one"), 1);
  await accept();
  chat.run(draft("two"), 2);
  await clock.advance(4_000);
  expect([...texts.values()]).toEqual([]);
  agent(0).runs[0]?.end({ type: "aborted" });
  await clock.advance(1_000);
  expect([...texts.values()]).toEqual(["…"]);
  expect(agent(0).runs.map(({ prompt }) => prompt.text)).toEqual(["one", "two"]);
});

test("what a late piece replaces leaves the chat, also while its agent does not end", async () => {
  const { clock, agent, accept, chat, texts, spoken } = setUp();
  const first = chat.run(draft("one"), 1);
  await accept();
  for (const event of [asked("one"), turnStart, opens("a"), says("a", "Half")]) agent(0).emit(event);
  await clock.advance(2_000);
  expect([...texts.values()]).toEqual(["Half"]);
  chat.run(draft("the rest"), 2, first);
  await clock.advance(1_000);
  expect([...texts.values()]).toEqual([]);
  const calls = spoken().length;
  agent(0).emit(says("a", " and on"));
  await clock.advance(4_000);
  expect(spoken()).toHaveLength(calls);
});

test("a chat may be switched to another session as soon as its turn is stopped", async () => {
  const { clock, agent, accept, chat, texts, sessions } = setUp();
  const other = sessions.create({ face: "deck", name: "Other" });
  chat.run(draft("one"), 1);
  await accept();
  expect(chat.switchTo(other.id)).toEqual({ type: "busy" });
  for (const event of [asked("one"), turnStart, opens("a"), says("a", "Half")]) agent(0).emit(event);
  await clock.advance(2_000);
  chat.stop();
  expect(chat.switchTo(other.id)).toEqual({ type: "switched", name: "Other" });
  chat.watch();
  agent(0).emit(says("a", " and on"));
  await clock.advance(4_000);
  expect([...texts.values()]).toEqual(["Half\n\n(stopped)"]);
});

test("a chat that comes to a session whose turn was stopped is shown nothing of it", async () => {
  const { clock, agent, chat, texts, sessions } = setUp();
  const other = sessions.create({ face: "deck" });
  other.prompt(draft("one"), { face: "deck", mode: "queue", requestId: "r", text: "one" });
  await clock.settle();
  agent(0).getReady();
  await clock.settle();
  agent(0).runs[0]?.accept();
  for (const event of [asked("one"), turnStart, opens("a"), says("a", "Half")]) agent(0).emit(event);
  other.stop();
  expect(chat.switchTo(other.id)).toMatchObject({ type: "switched" });
  chat.watch();
  agent(0).emit(said("a", "Half and on"));
  agent(0).runs[0]?.end({ type: "done" });
  await clock.advance(5_000);
  expect([...texts.values()]).toEqual([]);
});
