import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, Message } from "../../src/domain/events.ts";
import { makeSessionId } from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import { applyEvent, endOf } from "../../src/domain/transcript.ts";
import { type SessionFrame, transcriptFrom } from "../../src/domain/wire.ts";
import { createSession } from "../../src/session/session.ts";
import { assistant, opens, said, says, toolStarts } from "../domain/events.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "./hand-agents.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";
import { stepEvents, turnStart } from "./step-events.ts";

const draft = (text: string): PromptDraft => ({
  ready: Promise.resolve({ text, images: [], files: [] }),
  release: () => undefined,
});

const question = { id: "q", kind: "confirm", title: "Sure?" } as const;

/** A session in which the agent has taken a prompt and said half of its answer, and all that its watcher is told. */
async function setUp() {
  const clock = createFakeClock();
  const { start, started } = createHandAgents();
  const id = makeSessionId();
  const record = { id, cwd: "/work", face: "deck", createdAt: 0, lastUsedAt: 0 } as const;
  const memory = createMemoryLedgers([record]);
  const log = createMemoryLog();
  const session = createSession({
    record,
    sessionFile: "/s.jsonl",
    startAgent: start,
    ledgers: memory.ledgers,
    answerAt: "http://deck",
    changed: () => undefined,
    clock,
    log,
  });
  const frames: SessionFrame[] = [];
  const observation = session.observe((frame) => frames.push(frame));
  const prompt = (text: string, mode: "queue" | "replace" = "queue") =>
    session.prompt(draft(text), { face: "deck", mode, requestId: text, text });
  const first = prompt("first");
  await clock.settle();
  const [agent] = started;
  agent?.getReady();
  await clock.settle();
  const [run] = agent?.runs ?? [];
  if (agent === undefined || run === undefined) throw new Error("no prompt was handed over");
  run.accept();
  const emit = (...events: readonly AgentEvent[]): void => events.forEach(agent.emit);
  emit(turnStart, opens("a"), says("a", "Half"));
  await clock.settle();
  const end = async (how: Parameters<typeof run.end>[0] = { type: "aborted" }): Promise<void> => {
    run.end(how);
    await clock.settle();
  };
  /** What a page shows that watched from the beginning on. */
  const watched = () =>
    frames
      .flatMap((frame) => (frame.type === "session_event" ? [frame.event] : []))
      .reduce(applyEvent, transcriptFrom(observation.snapshot, observation.seq));
  /** What a page shows that comes now. */
  const reloaded = () => {
    const { snapshot, seq, replay, detach } = session.observe(() => undefined);
    detach();
    return replay.reduce(applyEvent, transcriptFrom(snapshot, seq));
  };
  const stored = (): readonly Message[] => memory.messages.get(id) ?? [];
  return {
    clock,
    session,
    memory,
    log,
    frames,
    first,
    prompt,
    agent,
    run,
    emit,
    end,
    watched,
    reloaded,
    stored,
  };
}

const texts = ({ messages }: { readonly messages: readonly Message[] }): readonly string[] =>
  messages.map(({ afterStop, content }) => {
    const words = content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
    return afterStop === true ? `after: ${words}` : words;
  });

describe("a turn that is interrupted", () => {
  test("is final for everybody who watches, and its session is busy until the agent has ended", async () => {
    const { session, clock, emit, end, first, prompt, agent, frames, watched } = await setUp();
    expect(session.stop()).toBe(true);
    const seen = watched();
    expect(endOf(seen.turn)).toEqual({ type: "stopped" });
    expect(seen.messages).toMatchObject([{ content: [{ text: "Half" }], stopReason: "aborted" }]);
    expect(agent.aborts).toBe(1);

    frames.splice(0);
    emit(says("a", " of it"), toolStarts("1", "bash", "ls"), {
      type: "notice",
      notice: { type: "compacting" },
    });
    emit(said("a", "Half of it"), opens("b"), says("b", "And on"));
    const second = prompt("second");
    await clock.advance(4_000);
    // Nothing but that a prompt waits.
    expect(frames.map(({ type }) => type)).toEqual(["session_changed"]);
    expect(session.info().state).toBe("running");
    expect(agent.runs).toHaveLength(1);

    await end();
    expect(await first.ending).toEqual({ outcome: { type: "stopped" }, text: "Half" });
    expect(agent.runs.map((run) => run.prompt.text)).toEqual(["first", "second"]);
    const events = frames.flatMap((frame) => (frame.type === "session_event" ? [frame.event.type] : []));
    expect(events).toEqual(["agent_end", "agent_start"]);
    expect(second.turnId).not.toBe(first.turnId);
  });

  test.each([
    [{ type: "done" }],
    [{ type: "failed", failure: { type: "model_failed", reason: "500" } }],
  ] as const)(
    "ends as what everybody was told, with the text of then, when its agent ends as %j",
    async (how) => {
      const { session, emit, end, first, memory } = await setUp();
      session.stop();
      emit(said("a", "Half, and all the rest of it."));
      await end(how);
      expect(await first.ending).toEqual({ outcome: { type: "stopped" }, text: "Half" });
      expect(memory.turns.slice(-2)).toEqual(["ending stopped Half", "ended stopped Half"]);
    },
  );

  test("keeps in its record what the agent still says, apart from the answer, for who comes later", async () => {
    const { session, emit, end, stored, watched, reloaded } = await setUp();
    session.stop();
    emit(said("a", "Half of it."), { type: "turn_end" }, turnStart, said("b", "Deleted all."), opens("c"));
    emit(says("c", "And"));
    expect(texts(reloaded())).toEqual(["Half", "after:  of it.", "after: Deleted all."]);
    await end();
    const record = ["Half", "after:  of it.", "after: Deleted all.", "after: And"];
    expect([texts({ messages: stored() }), texts(reloaded())]).toEqual([record, record]);
    expect(texts(watched())).toEqual(["Half"]);
    expect(session.messagesBefore("c").messages).toHaveLength(3);
  });

  test("counts what its agent's last message has cost, once", async () => {
    const { session, emit, end, stored } = await setUp();
    session.stop();
    const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cost: 0.5 };
    const message = assistant("a", [{ type: "text", text: "Half" }], { stopReason: "aborted", usage });
    emit({ type: "message_end", key: "a", message });
    await end();
    expect(session.observe(() => undefined).snapshot.usage).toEqual(usage);
    expect(stored()).toEqual([message]);
  });

  test("asks nobody anything: an open question is closed, and a new one is answered as cancelled", async () => {
    const { session, agent, frames, reloaded, end } = await setUp();
    agent.options.ask(question);
    expect(session.info().state).toBe("waiting");
    session.stop();
    expect(agent.answers).toEqual([["q", null]]);
    frames.splice(0);
    agent.options.ask({ ...question, id: "q2" });
    expect(agent.answers).toEqual([
      ["q", null],
      ["q2", null],
    ]);
    expect(frames).toEqual([]);
    expect([reloaded().notice, reloaded().remarks]).toEqual([undefined, []]);
    await end();
  });

  test("by a prompt that replaces it gives way when its agent has ended, and stays what it was when that is stopped", async () => {
    const { session, prompt, emit, end, first, agent, clock, frames, watched } = await setUp();
    const second = prompt("second", "replace");
    expect(endOf(watched().turn)).toEqual({ type: "replaced", by: "deck" });
    emit(says("a", " more"));
    expect(session.stop()).toBe(true);
    await clock.advance(1_000);
    expect(await second.ending).toMatchObject({ outcome: { type: "stopped" } });
    expect(frames.filter(({ type }) => type === "session_event")).toHaveLength(5);
    await end();
    expect(await first.ending).toEqual({ outcome: { type: "stopped" }, text: "Half" });
    expect(endOf(watched().turn)).toEqual({ type: "replaced", by: "deck" });
    expect(agent.runs).toHaveLength(1);
  });

  test.each(["dismiss", "leave"] as const)("by its session's end (%s) is final as well", async (how) => {
    const { session, emit, agent, frames, watched, log } = await setUp();
    const gone = session[how]();
    expect(endOf(watched().turn)).toEqual({ type: "stopped" });
    frames.splice(0);
    emit(says("a", " more"), said("b", "And on"));
    agent.exit();
    await gone;
    expect(frames.flatMap((frame) => (frame.type === "session_event" ? [frame.event.type] : []))).toEqual([
      "agent_end",
    ]);
    expect(log.messages("error")).toEqual([]);
  });

  test("shows the same for ever, whatever its agent says or does until it has ended", async () => {
    await fc.assert(
      fc.asyncProperty(
        stepEvents,
        stepEvents,
        fc.constantFrom("stop", "replace"),
        async (before, after, how) => {
          const { session, prompt, emit, end, watched, frames } = await setUp();
          emit(...before);
          if (how === "stop") session.stop();
          else prompt("second", "replace");
          const seen = watched();
          const told = frames.filter(({ type }) => type === "session_event").length;
          emit(...after);
          expect(watched()).toEqual(seen);
          await end();
          const { turn: _turn, seq: _seq, tools: _tools, remarks: _remarks, ...shown } = watched();
          const { turn: _then, seq: _before, tools: _running, remarks: _told, ...first } = seen;
          expect(shown).toEqual(first);
          const types = frames.flatMap((frame) => (frame.type === "session_event" ? [frame.event.type] : []));
          expect(types.slice(told)).toEqual(how === "stop" ? ["agent_end"] : ["agent_end", "agent_start"]);
        },
      ),
      { numRuns: 40 },
    );
  });
});
