import { describe, expect, test } from "vitest";
import type { KeptDraft, Prompt, PromptDraft } from "../../src/domain/prompt.ts";
import type { AgentEvent } from "../../src/domain/events.ts";
import { makeSessionId, makeTurnId } from "../../src/domain/ids.ts";
import type { PromptMode, SessionFrame } from "../../src/domain/wire.ts";
import { RequestIdError } from "../../src/domain/sessions.ts";
import { REQUEST_KEPT } from "../../src/session/prompts.ts";
import { NEVER_REACHED } from "../../src/session/running-turn.ts";
import { REST_AFTER } from "../../src/session/agent-berth.ts";
import { LIST_BYTES } from "../../src/session/bounds.ts";
import { createSession } from "../../src/session/session.ts";
import { said, opens } from "../domain/events.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "./hand-agents.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";

function setUp({ canAnswer = true, memory = createMemoryLedgers() } = {}) {
  const clock = createFakeClock();
  const { start, started } = createHandAgents();
  const log = createMemoryLog();
  const id = makeSessionId();
  const open = () =>
    createSession({
      record: { id, cwd: "/work", face: "deck", createdAt: 0, lastUsedAt: 0 },
      sessionFile: "/s.jsonl",
      startAgent: start,
      ledgers: memory.ledgers,
      answerAt: canAnswer ? "http://here" : undefined,
      changed: () => undefined,
      clock,
      log,
    });
  const session = open();
  const frames: SessionFrame[] = [];
  session.observe((frame) => frames.push(frame));
  const prompt = (requestId: string, mode: PromptMode = "queue", to = session) =>
    to.prompt(draft(requestId), { face: "deck", mode, requestId, text: requestId });
  const settle = () => clock.settle();
  /** The agent, once it was started and got ready. */
  const agent = async () => {
    await settle();
    const newest = started.at(-1);
    if (newest === undefined) throw new Error("no agent was started");
    newest.getReady();
    await settle();
    return newest;
  };
  const queue = () => session.observe(() => undefined).snapshot.queue.map(({ requestId }) => requestId);
  return { id, session, open, frames, prompt, agent, settle, clock, started, memory, queue, log };
}

function draft(text: string, released: string[] = []): PromptDraft {
  return {
    whole: { text, images: [] },
    ready: Promise.resolve({ text, images: [], files: [] }),
    release: () => void released.push(text),
  };
}

const asked = (agent: { readonly runs: readonly { readonly prompt: { readonly text: string } }[] }) =>
  agent.runs.map(({ prompt }) => prompt.text);

const answer = (key: string, text: string): readonly AgentEvent[] => [opens(key), said(key, text)];

describe("a prompt", () => {
  test("ends with what the agent said last", async () => {
    const { prompt, agent, settle } = setUp();
    const taken = prompt("r1");
    const hand = await agent();
    for (const event of answer("a", "42")) hand.emit(event);
    hand.runs[0]?.end();
    await settle();
    expect(await taken.ending).toEqual({ outcome: { type: "done" }, text: "42" });
  });

  test("waits its turn behind the running one, in order, and is not joined to others", async () => {
    const { prompt, agent, settle, queue } = setUp();
    for (const id of ["r1", "r2", "r3"]) prompt(id);
    const hand = await agent();
    expect([asked(hand), queue()]).toEqual([["r1"], ["r2", "r3"]]);
    hand.runs[0]?.end();
    await settle();
    expect([asked(hand), queue()]).toEqual([["r1", "r2"], ["r3"]]);
    hand.runs[1]?.end();
    await settle();
    expect([asked(hand), queue(), hand.aborts]).toEqual([["r1", "r2", "r3"], [], 0]);
  });

  test("that replaces ends the running turn and leaves those that wait in order", async () => {
    const { prompt, agent, settle, queue } = setUp();
    const first = prompt("r1");
    prompt("r2");
    const hand = await agent();
    hand.runs[0]?.accept();
    prompt("now", "replace");
    expect(hand.aborts).toBe(1);
    hand.runs[0]?.end({ type: "aborted" });
    await settle();
    expect((await first.ending).outcome).toEqual({ type: "replaced", by: "deck" });
    expect([asked(hand), queue()]).toEqual([["r1", "now"], ["r2"]]);
  });

  test("that steers is said into the running turn and ends with it", async () => {
    const { prompt, agent, settle } = setUp();
    const first = prompt("r1");
    const hand = await agent();
    hand.runs[0]?.accept();
    await settle();
    const steering = prompt("look left", "steer");
    await settle();
    expect(hand.runs[0]?.steered.map(({ text }) => text)).toEqual(["look left"]);
    for (const event of answer("a", "Left.")) hand.emit(event);
    hand.runs[0]?.end();
    await settle();
    expect(steering.turnId).toBe(first.turnId);
    expect(await steering.ending).toEqual({ outcome: { type: "done" }, text: "Left." });
    expect(asked(hand)).toEqual(["r1"]);
  });

  test("that steers has a turn of its own when nothing runs that could hear it", async () => {
    const { prompt, agent, settle, queue } = setUp();
    prompt("r1", "steer");
    prompt("r2", "steer");
    const hand = await agent();
    expect([asked(hand), queue()]).toEqual([["r1"], ["r2"]]);
    hand.runs[0]?.end();
    await settle();
    expect(asked(hand)).toEqual(["r1", "r2"]);
  });

  test("that waits can be taken back, and everybody is told what waits", async () => {
    const { session, prompt, agent, frames, queue } = setUp();
    prompt("r1");
    const second = prompt("r2");
    await agent();
    expect(session.withdraw("r2")).toBe(true);
    expect(session.withdraw("r2")).toBe(false);
    expect(session.withdraw("r1")).toBe(false);
    expect((await second.ending).outcome).toEqual({ type: "stopped" });
    expect(queue()).toEqual([]);
    const queues = frames.flatMap((frame) => (frame.type === "session_changed" ? [frame.change.queue] : []));
    expect(queues.filter((each) => each !== undefined)).toEqual([[{ requestId: "r2", text: "r2" }], []]);
  });

  test("that waits can be let in now, in front of the others", async () => {
    const { session, prompt, agent, settle, queue } = setUp();
    for (const id of ["r1", "r2", "r3"]) prompt(id);
    const hand = await agent();
    hand.runs[0]?.accept();
    expect(session.hurry("r3")).toBe(true);
    hand.runs[0]?.end({ type: "aborted" });
    await settle();
    expect([asked(hand), queue()]).toEqual([["r1", "r3"], ["r2"]]);
  });

  test("is shown by its beginning, and of many those that come next", async () => {
    const { session, prompt, agent, settle } = setUp();
    for (let n = 0; n < 90; n += 1) {
      const text = `${n} ${"😀".repeat(100_000)}`;
      session.prompt(draft(text), { face: "deck", mode: "queue", requestId: `r${n}`, text });
    }
    prompt("last");
    await agent();
    await settle();
    const { queue } = session.observe(() => undefined).snapshot;
    expect(Buffer.byteLength(JSON.stringify(queue))).toBeLessThanOrEqual(LIST_BYTES);
    expect(queue[0]).toEqual({ requestId: "r1", text: expect.stringMatching(/^1 (?:😀){498}…$/u) });
    expect(queue.at(-1)?.requestId).toBe(`r${queue.length}`);
  });

  test("without a request waits too, joined with the next one, is shown with its words, and can be let in", async () => {
    const { session, prompt, agent, settle } = setUp();
    prompt("r1");
    const one = session.enqueue(draft("one"), "telegram");
    prompt("r2");
    expect(session.enqueue(draft("two"), "telegram")).toBe(one);
    const hand = await agent();
    expect([session.upcomingFace, session.waitingTurn]).toEqual(["deck", one.id]);
    expect(session.observe(() => undefined).snapshot.queue).toEqual([
      { requestId: one.id, text: "one\n\ntwo" },
      { requestId: "r2", text: "r2" },
    ]);
    hand.runs[0]?.accept();
    expect(session.hurry(one.id)).toBe(true);
    expect(session.hurry(one.id)).toBe(false);
    hand.runs[0]?.end({ type: "aborted" });
    await settle();
    expect(asked(hand)).toEqual(["r1", "one\n\ntwo"]);
    expect([session.upcomingFace, session.waitingTurn]).toEqual(["telegram", undefined]);
  });

  test("without a request can be taken back, with everything that it was joined with", async () => {
    const { session, prompt, agent, queue } = setUp();
    prompt("r1");
    const waiting = session.enqueue(draft("one"), "telegram");
    session.enqueue(draft("two"), "telegram");
    await agent();
    expect(session.withdraw(waiting.id)).toBe(true);
    expect(await waiting.ended).toEqual({ type: "stopped" });
    expect([queue(), session.waitingTurn]).toEqual([[], undefined]);
  });

  test("that waits goes when the session is stopped", async () => {
    const { session, prompt, agent, settle, queue } = setUp();
    const endings = ["r1", "r2", "r3"].map((id) => prompt(id).ending);
    const hand = await agent();
    hand.runs[0]?.accept();
    session.stop();
    hand.runs[0]?.end({ type: "aborted" });
    await settle();
    expect((await Promise.all(endings)).map(({ outcome }) => outcome.type)).toEqual([
      "stopped",
      "stopped",
      "stopped",
    ]);
    expect([asked(hand), queue()]).toEqual([["r1"], []]);
  });

  test("that somebody sends while they hear of a turn's end waits behind those that waited before", async () => {
    const { session, prompt, agent, settle, queue } = setUp();
    prompt("r1");
    prompt("r2");
    const hand = await agent();
    let once = true;
    session.attach((event) => {
      if (event.type !== "agent_end" || !once) return;
      once = false;
      prompt("r3");
    });
    hand.runs[0]?.end();
    await settle();
    expect([asked(hand), queue()]).toEqual([["r1", "r2"], ["r3"]]);
  });
});

/** A session whose agent works on the first of three prompts, and that session as the next evie opens it. */
async function waiting(requestIds: readonly string[] = ["r1", "r2", "r3"]) {
  const rig = setUp();
  const taken = requestIds.map((requestId) => rig.prompt(requestId));
  const hand = await rig.agent();
  hand.runs[0]?.accept();
  await rig.settle();
  const next = rig.open();
  const resume = () => {
    for (const { turnId } of taken.slice(1))
      next.resume(turnId, "http", memoryDrafts(rig.memory.prompts.get(turnId)));
  };
  return { ...rig, taken, next, resume };
}

const memoryDrafts = (kept: readonly KeptDraft[] | undefined): readonly PromptDraft[] =>
  (kept ?? []).map((each) => draft("text" in each ? each.text : ""));

describe("a request", () => {
  test("that is sent again runs once: while it runs and after it ended", async () => {
    const { prompt, agent, settle } = setUp();
    const first = prompt("r1");
    const hand = await agent();
    const again = prompt("r1");
    expect([first.known, again.known, again.turnId]).toEqual([false, true, first.turnId]);
    for (const event of answer("a", "42")) hand.emit(event);
    hand.runs[0]?.end();
    await settle();
    const after = prompt("r1");
    expect(after).toMatchObject({ known: true, turnId: first.turnId });
    expect(await Promise.all([again.ending, after.ending])).toEqual([await first.ending, await first.ending]);
    expect(asked(hand)).toEqual(["r1"]);
  });

  test("releases the prompt that it does not run again", () => {
    const { session, prompt } = setUp();
    prompt("r1");
    const released: string[] = [];
    session.prompt(draft("r1", released), { face: "deck", mode: "queue", requestId: "r1", text: "r1" });
    expect(released).toEqual(["r1"]);
  });

  test("that ended before evie was restarted gives the same end", async () => {
    const { open, prompt, agent, settle } = setUp();
    const first = prompt("r1");
    (await agent()).runs[0]?.end();
    await settle();
    const again = prompt("r1", "queue", open());
    expect(again.known).toBe(true);
    expect(await again.ending).toEqual(await first.ending);
  });

  test("that was under way when evie ended is not run again, and says so", async () => {
    const { open, prompt, agent, started } = setUp();
    prompt("r1");
    await agent();
    const again = prompt("r1", "queue", open());
    expect(again.known).toBe(true);
    expect((await again.ending).outcome).toMatchObject({
      type: "failed",
      message: expect.stringMatching(/evie was stopped .* under another id/),
    });
    expect(started).toHaveLength(1);
  });

  test("of which there was no turn yet when evie died runs when it is sent again", () => {
    const { memory, prompt, open } = setUp();
    memory.state.noTurns = true;
    expect(() => prompt("r1")).toThrow("the disk is full");
    memory.state.noTurns = false;
    expect(memory.requests.size).toBe(1);
    expect(prompt("r1", "queue", open()).known).toBe(false);
  });

  test("is forgotten after a day", async () => {
    const { id, prompt, memory, clock } = setUp();
    const at = clock.date() - REQUEST_KEPT - 1;
    memory.ledgers.requests.add(id, "r1", { turnId: makeTurnId(), body: "another", at, oldest: 0 });
    memory.ledgers.requests.begin(id, "r1");
    expect(prompt("r1").known).toBe(false);
  });

  test.each<[string, Partial<{ said: string; mode: PromptMode; data: string }>]>([
    ["words", { said: "other" }],
    ["mode", { mode: "replace" }],
    ["pictures", { data: "BBBB" }],
  ])(
    "that comes again with other %s is refused: while it runs, after its end, and by the next evie",
    async (_, other) => {
      const { session, open, agent, settle } = setUp();
      const released: string[] = [];
      const send = (
        to: typeof session,
        {
          said = "r1",
          mode = "queue",
          data = "AAAA",
        }: Partial<{ said: string; mode: PromptMode; data: string }> = {},
      ) =>
        to.prompt(
          { ...draft(said, released), whole: { text: said, images: [{ mimeType: "image/png", data }] } },
          { face: "http", mode, requestId: "r1", text: said },
        );
      send(session);
      const hand = await agent();
      expect(() => send(session, other)).toThrow(/request id "r1" was used for another prompt/);
      hand.runs[0]?.end();
      await settle();
      expect(() => send(session, other)).toThrow(RequestIdError);
      expect(() => send(open(), other)).toThrow(RequestIdError);
      expect(send(open()).known).toBe(true);
      expect(hand.runs).toHaveLength(1);
      expect(released).toHaveLength(5);
    },
  );

  test("that an earlier evie took, and nobody knows with which words, is answered as it was", async () => {
    const { id, memory, prompt, agent, settle } = setUp();
    prompt("r1");
    (await agent()).runs[0]?.end();
    await settle();
    const { body: _, ...stored } = memory.requests.get(`${id} r1`) ?? {
      turnId: makeTurnId(),
      at: 0,
      begun: true,
    };
    memory.requests.set(`${id} r1`, stored);
    expect(prompt("r1", "replace").known).toBe(true);
  });

  test("that is resumed after a restart is refused with other words, too", async () => {
    const { prompt, agent, taken, next, resume } = await waiting(["r1", "r2"]);
    resume();
    expect(() => prompt("r2", "replace", next)).toThrow(RequestIdError);
    expect(prompt("r2", "queue", next)).toMatchObject({ known: true, turnId: taken[1]?.turnId });
    expect(asked(await agent())).toEqual(["r2"]);
  });

  test("that steers and is not heard can be taken back under its id while it waits", async () => {
    const { session, prompt, agent, settle, queue } = setUp();
    prompt("r1");
    const hand = await agent();
    hand.runs[0]?.accept();
    await settle();
    const ready = Promise.withResolvers<Prompt>();
    const slow = session.prompt(
      { ready: ready.promise, release: () => undefined },
      { face: "deck", mode: "steer", requestId: "slow", text: "slow" },
    );
    prompt("r2");
    hand.runs[0]?.end();
    await settle();
    ready.resolve({ text: "slow", images: [], files: [] });
    await settle();
    expect(queue()).toEqual(["slow"]);
    expect(session.withdraw("slow")).toBe(true);
    expect((await slow.ending).outcome).toEqual({ type: "stopped" });
  });

  test("that cannot be written down is refused, and nothing runs", async () => {
    const { session, memory, started, settle } = setUp();
    memory.state.broken = true;
    const released: string[] = [];
    const options = { face: "deck", mode: "queue", requestId: "r1", text: "" } as const;
    expect(() => session.prompt(draft("x", released), options)).toThrow("the disk is full");
    await settle();
    expect([started.length, released]).toEqual([0, ["x"]]);
  });
});

describe("what no agent had when evie ended", () => {
  test("runs in order, under the turns of before, for those who ask again", async () => {
    const { prompt, agent, settle, memory, taken, next, resume } = await waiting();
    const faces: (string | undefined)[] = [];
    next.attach((event) => event.type === "agent_start" && faces.push(event.face));
    resume();
    expect(next.observe(() => undefined).snapshot.queue).toEqual([{ requestId: "r3", text: "r3" }]);
    const [second, third] = [prompt("r2", "queue", next), prompt("r3", "queue", next)];
    expect([second, third]).toMatchObject(taken.slice(1).map(({ turnId }) => ({ known: true, turnId })));
    const hand = await agent();
    expect(asked(hand)).toEqual(["r2"]);
    for (const event of answer("a", "Two.")) hand.emit(event);
    hand.runs[0]?.end();
    await settle();
    expect(await second.ending).toEqual({ outcome: { type: "done" }, text: "Two." });
    for (const event of answer("b", "Three.")) hand.emit(event);
    hand.runs[1]?.end();
    await settle();
    expect(await third.ending).toEqual({ outcome: { type: "done" }, text: "Three." });
    expect(asked(hand)).toEqual(["r2", "r3"]);
    expect(faces).toEqual(["http", "http"]);
    expect([...memory.requests.values()].map(({ ending }) => ending?.text)).toEqual([
      undefined,
      "Two.",
      "Three.",
    ]);
  });

  test("can be taken back or let in now, like anything that waits", async () => {
    const { settle, agent, next, resume } = await waiting(["r1", "r2", "r3", "r4"]);
    resume();
    expect(next.withdraw("r3")).toBe(true);
    const hand = await agent();
    hand.runs[0]?.accept();
    expect(next.hurry("r4")).toBe(true);
    hand.runs[0]?.end({ type: "aborted" });
    await settle();
    expect(asked(hand)).toEqual(["r2", "r4"]);
  });

  test("is left to the next start where it cannot be written down, and does not run when it is sent again", async () => {
    const { prompt, memory, next, taken, started } = await waiting(["r1", "r2"]);
    memory.state.noTurns = true;
    const released: string[] = [];
    const resume = () => next.resume(taken[1]?.turnId ?? makeTurnId(), "http", [draft("r2", released)]);
    expect(resume).toThrow("the disk is full");
    expect(released).toEqual(["r2"]);
    memory.state.noTurns = false;
    const again = prompt("r2", "queue", next);
    expect(again.known).toBe(true);
    expect((await again.ending).outcome).toMatchObject({ message: expect.stringContaining("next start") });
    expect(started).toHaveLength(1);
  });

  test("has no end when evie ends; what the agent worked on is stopped", async () => {
    const { session, prompt, memory, started, taken, queue } = await waiting();
    const left = session.leave();
    // Nobody is told that it is gone.
    expect(queue()).toEqual(["r2", "r3"]);
    started[0]?.exit();
    await left;
    const endings = await Promise.all(taken.map(({ ending }) => ending));
    const kept = { type: "failed", message: expect.stringContaining("It runs after evie's next start") };
    expect(endings.map(({ outcome }) => outcome)).toEqual([{ type: "stopped" }, kept, kept]);
    const again = prompt("r2");
    expect([again.known, await again.ending]).toEqual([true, endings[1]]);
    expect([...memory.requests.values()].map(({ ending }) => ending?.outcome.type)).toEqual([
      "stopped",
      undefined,
      undefined,
    ]);
  });

  test("has an end when it was replaced: it does not run after the next start", async () => {
    const { session, prompt, agent, settle, started } = setUp();
    const first = prompt("r1");
    const hand = await agent();
    const second = prompt("r2", "replace");
    const left = session.leave();
    hand.runs[0]?.accept(false);
    hand.runs[0]?.end({ type: "aborted" });
    await settle();
    started[0]?.exit();
    await left;
    expect((await first.ending).outcome).toEqual({ type: "replaced", message: NEVER_REACHED });
    expect((await second.ending).outcome).toMatchObject({ message: expect.stringContaining("next start") });
  });

  test("has no end either when its agent was not there yet", async () => {
    const { session, prompt, memory, settle, started } = setUp();
    const { ending } = prompt("r1");
    await settle();
    const left = session.leave();
    started[0]?.exit();
    await left;
    expect((await ending).outcome.type).toBe("failed");
    expect([...memory.requests.values()]).toEqual([
      expect.not.objectContaining({ ending: expect.anything() }),
    ]);
  });
});

describe("a question of the agent", () => {
  const question = { id: "q", kind: "select", title: "Which\n colour?", options: ["Red"] } as const;
  const kinds = (frames: readonly SessionFrame[]) =>
    frames.flatMap((frame) =>
      frame.type === "question" || frame.type === "question_closed"
        ? [frame.type === "question" ? "asked" : frame.reason]
        : frame.type === "session_event" && frame.event.type === "notice"
          ? [frame.event.notice.type]
          : [],
    );

  test("is held open, told to everybody and answered once from any face", async () => {
    const { session, prompt, agent, frames } = setUp();
    prompt("r1");
    const hand = await agent();
    hand.options.ask(question);
    expect(session.info().state).toBe("waiting");
    expect(session.observe(() => undefined).questions).toEqual([question]);
    expect(session.answer("q", "Red")).toBe("taken");
    expect(session.answer("q", "Green")).toBe("already answered");
    expect(hand.answers).toEqual([["q", "Red"]]);
    expect(session.info().state).toBe("running");
    expect(kinds(frames)).toEqual(["asked", "question_open", "answered"]);
  });

  test("says in the chat where it is answered", async () => {
    const { session, prompt, agent } = setUp();
    prompt("r1");
    (await agent()).options.ask(question);
    expect(session.observe(() => undefined).snapshot.notice).toEqual({
      type: "question_open",
      title: "Which colour?",
      answerAt: "http://here",
    });
  });

  test("is cancelled at once where nobody can answer, and the person is told", async () => {
    const { session, prompt, agent, frames } = setUp({ canAnswer: false });
    prompt("r1");
    const hand = await agent();
    hand.options.ask(question);
    expect(hand.answers).toEqual([["q", null]]);
    expect(kinds(frames)).toEqual(["question_cancelled"]);
    expect(session.info().state).toBe("running");
  });

  test("is cancelled before the agent is told to abort", async () => {
    const { session, prompt, agent, frames } = setUp();
    prompt("r1");
    const hand = await agent();
    hand.options.ask(question);
    const order: string[] = [];
    session.observe((frame) => {
      if (frame.type === "question_closed")
        order.push(`closed, ${hand.answers.length} answers, ${hand.aborts} aborts`);
    });
    session.stop();
    expect(order).toEqual(["closed, 1 answers, 0 aborts"]);
    expect(hand.aborts).toBe(1);
    expect(kinds(frames).at(-1)).toBe("cancelled");
  });

  test.each(["end", "exit"] as const)("is over with the %s of what asked it", async (how) => {
    const { session, prompt, agent, settle, frames } = setUp();
    prompt("r1");
    const hand = await agent();
    hand.options.ask(question);
    if (how === "end") hand.runs[0]?.end();
    else hand.exit();
    await settle();
    expect(kinds(frames).at(-1)).toBe("cancelled");
    expect(session.answer("q", "Red")).toBe("closed");
    expect(session.info().state).toBe(how === "end" ? "idle" : "failed");
  });

  test("keeps the agent awake for as long as it waits; somebody who only watches does not", async () => {
    const { prompt, agent, clock, settle } = setUp();
    prompt("r1");
    const hand = await agent();
    hand.options.ask(question);
    await clock.advance(3 * REST_AFTER);
    expect(hand.dismissals).toBe(0);
    hand.runs[0]?.end();
    await settle();
    await clock.advance(REST_AFTER);
    expect(hand.dismissals).toBe(1);
  });
});

describe("a prompt's pictures", () => {
  const image = { mimeType: "image/png", path: "/tmp/a.png" } as const;
  const message = { key: "u", role: "user", at: 0, content: [{ type: "text", text: "look" }] } as const;

  async function withPicture(memory = createMemoryLedgers()) {
    const rig = setUp({ memory });
    const ready = Promise.resolve({ text: "look", images: [image], files: [] });
    rig.session.run({ ready, release: () => undefined }, "telegram");
    const hand = await rig.agent();
    hand.emit({ type: "message_start", key: "u", message });
    hand.emit({ type: "message_end", key: "u", message });
    return { ...rig, hand };
  }

  test("are kept, and stand in the person's message as addresses", async () => {
    const { id, memory } = await withPicture();
    expect(memory.pictures.map(({ session, image }) => [session, image])).toEqual([[id, image]]);
    expect(memory.messages.get(id)?.[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "image", mimeType: "image/png", url: `/api/sessions/${id}/pictures/picture-1` },
    ]);
  });

  test("are in that message alone", async () => {
    const { id, memory, hand } = await withPicture();
    hand.emit({ type: "message_end", key: "v", message: { ...message, key: "v" } });
    expect(memory.messages.get(id)?.[1]?.content).toHaveLength(1);
  });

  test("are left out when they cannot be kept, and the prompt goes on", async () => {
    const memory = createMemoryLedgers();
    memory.state.broken = true;
    const { hand, log } = await withPicture(memory);
    expect(asked(hand)).toEqual(["look"]);
    expect(log.messages("warn")).toContain("a picture could not be kept");
  });
});
