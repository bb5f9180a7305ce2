import { statSync } from "node:fs";
import type { Agent, StartAgent } from "../domain/agent.ts";
import type { Clock } from "../domain/clock.ts";
import type { AgentEvent, Face, TurnEvent } from "../domain/events.ts";
import type { TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Prompt, PromptDraft } from "../domain/prompt.ts";
import type { Question } from "../domain/question.ts";
import { type ObservedSession, SessionRemovedError } from "../domain/sessions.ts";
import { createAgentBerth } from "./agent-berth.ts";
import { type AgentPlaces, createAgentPlaces } from "./agent-places.ts";
import { placeOf } from "./facts.ts";
import type { Ledgers, SessionRecord } from "./ledger.ts";
import { newestWithin, SNAPSHOT_BYTES, SNAPSHOT_MESSAGES } from "./bounds.ts";
import { createMirror } from "./mirror.ts";
import { createPictured } from "./pictured.ts";
import { createPrompts } from "./prompts.ts";
import { createQuestions } from "./questions.ts";
import { checkRoom, type Load, loadOf } from "./room.ts";
import { createTurnRunner } from "./turn-runner.ts";
import { release } from "./waiting-turn.ts";

export interface SessionOptions {
  readonly record: SessionRecord;
  readonly sessionFile: string;
  readonly startAgent: StartAgent;
  /** How many agents run at once, shared by all sessions; without it there is no bound. */
  readonly places?: AgentPlaces | undefined;
  readonly ledgers: Ledgers;
  /** How much waits in all sessions; without it this one is all there are. */
  readonly inEvie?: () => Load;
  /** Where a person answers what the agent asks; undefined when nobody can, and each question is cancelled at once. */
  readonly answerAt: string | undefined;
  /** Called when the session's line in a list is another one. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A session as the registry holds it. */
export interface OwnedSession extends ObservedSession {
  /** How much of it waits for an agent. */
  readonly load: Load;
  /** True while something runs, waits or is asked in it, its agent is there, or somebody looks at it in a browser. */
  readonly isInUse: boolean;
  /**
   * Has a turn that no agent had when evie was last ended run under its own name and for its own request, behind all
   * others. Throws when it cannot be written down.
   */
  resume(turn: TurnId, face: Face, drafts: readonly PromptDraft[]): void;
  /** Dismisses it because evie ends: what is not answered yet is left to the next start. */
  leave(): Promise<void>;
  /**
   * Dismisses it for good. From the call on it takes no prompt and starts no agent; resolves when its agent was seen to exit
   * and its turns have ended.
   */
  remove(): Promise<void>;
}

/** One conversation: its agent, its turns, and whoever watches. */
export function createSession(options: SessionOptions): OwnedSession {
  const { record, sessionFile, startAgent, ledgers, answerAt, clock, log } = options;
  const { id, cwd, face } = record;
  let updatedAt = record.lastUsedAt;
  /** The turn that began last. */
  let begun: TurnId | undefined;
  /** What detaches those who look at it in a browser. */
  const observers = new Set<() => void>();
  /** Its end has begun, and it will not come back in this process. */
  let end: "removed" | "left" | undefined;

  const questions = createQuestions({
    clock,
    opened: (question) => {
      mirror.tell({ type: "question", sessionId: id, question });
      mirror.refresh();
    },
    closed: ({ id: questionId }, reason) => {
      mirror.tell({ type: "question_closed", sessionId: id, questionId, reason });
      mirror.refresh();
    },
  });
  const runner = createTurnRunner({
    agent: async () => {
      const ready = await berth.ready();
      return "type" in ready ? ready : asHeld(ready);
    },
    emit: emitTurn,
    ledger: {
      flushed: (turn, instead) => ledgers.turns.flushed({ ...turn, sessionId: id }, instead),
      handed: (turn) => ledgers.turns.handed(turn, sizeOf(sessionFile)),
      accepted: (turn) => ledgers.turns.accepted(turn),
      ending: (turn, reason) => ledgers.turns.ending(turn, reason, saidIn(turn)),
      ended: (turn, outcome) => ledgers.turns.ended(turn, outcome, saidIn(turn)),
    },
    fault: (error) => log.error({ err: error, session: id }, "a turn failed by a fault of evie's own"),
    queueChanged: () => prompts.refresh(),
  });
  const prompts = createPrompts({
    id,
    runner,
    ledger: ledgers.requests,
    checkOpen,
    checkRoom: checkOwnRoom,
    queueChanged: () => mirror.refresh(),
    clock,
    log,
  });
  const mirror = createMirror({
    id,
    cwd,
    facts: record,
    messages: ledgers.messages,
    note: (facts) => ledgers.sessions.note(id, facts),
    questions: () => questions.open,
    queue: () => prompts.queue,
    changed: options.changed,
    clock,
    log,
  });
  const pictured = createPictured({ id, ledger: ledgers.pictures, log });
  const berth = createAgentBerth({
    session: id,
    start: () => {
      const started = startAgent({ sessionFile, cwd, emit, ask: (question) => ask(question, started) });
      return started;
    },
    busy: () => runner.busy,
    places: options.places ?? createAgentPlaces(Number.POSITIVE_INFINITY),
    heldUp: (most) => emit({ type: "notice", notice: { type: "waiting_for_agent", most } }),
    clock,
    log,
  });

  function checkOpen(): void {
    if (end === "removed") throw new SessionRemovedError(id);
  }

  function load(): Load {
    return loadOf(runner.unsaid);
  }

  function checkOwnRoom(draft: PromptDraft): void {
    checkRoom(draft, load(), options.inEvie ?? load);
  }

  /** Does what a draft is for, or releases it and throws. */
  function taking<Value>(drafts: readonly PromptDraft[], work: () => Value): Value {
    try {
      checkOpen();
    } catch (error) {
      release(drafts);
      throw error;
    }
    return work();
  }

  function saidIn(turn: TurnId): readonly string[] {
    return turn === begun ? mirror.said : [];
  }

  function emit(event: AgentEvent): void {
    mirror.emit(pictured.add(event));
  }

  function emitTurn(event: TurnEvent): void {
    updatedAt = clock.date();
    if (event.type === "agent_start") {
      begun = event.turnId;
      prompts.began(event.turnId);
      mirror.emit(event);
      return;
    }
    // Before the abort: an agent that waits for an answer would not hear of it.
    questions.cancelAll();
    mirror.emit(event);
    if (event.type === "agent_interrupted") return;
    prompts.ended(event.turnId, { outcome: event.outcome, text: mirror.lastText });
    berth.turnEnded({ goesOn: event.outcome.type === "replaced" });
  }

  /** The agent as the turns hold it: what it is asked and told to stop passes by here. */
  function asHeld(ready: Agent): Agent {
    return {
      ...ready,
      run(prompt: Prompt) {
        pictured.expect(prompt);
        return ready.run(prompt);
      },
    };
  }

  function ask(question: Question, asking: Agent): void {
    // It does not heed the stop yet. Nobody is to be asked for a turn that is over for them.
    if (runner.running?.interruption !== undefined) return asking.answer(question.id, null);
    const title = question.title.replace(/\s+/g, " ").trim();
    if (answerAt === undefined) {
      asking.answer(question.id, null);
      emit({ type: "notice", notice: { type: "question_cancelled", title } });
      return;
    }
    questions.ask(question, (value) => asking.answer(question.id, value));
    emit({ type: "notice", notice: { type: "question_open", title, answerAt } });
  }

  return {
    id,
    get name() {
      return mirror.name;
    },
    cwd,
    attach: (sink, changed) => mirror.listen(sink, changed),
    observe(observer) {
      const observation = mirror.observe(observer);
      observers.add(observation.detach);
      const detach = (): void => {
        observers.delete(observation.detach);
        observation.detach();
      };
      return { ...observation, detach };
    },
    get load() {
      return load();
    },
    get isInUse() {
      const isBusy = mirror.state === "running" || mirror.state === "waiting" || load().prompts > 0;
      return isBusy || berth.isTaken || observers.size > 0;
    },
    get isRemoved() {
      return end === "removed";
    },
    run: (draft, face) =>
      taking([draft], () => {
        checkOwnRoom(draft);
        return runner.run(draft, face);
      }),
    prompt: (draft, how) => prompts.take(draft, how),
    enqueue: (draft, from) =>
      taking([draft], () => {
        checkOwnRoom(draft);
        return runner.enqueue([draft], from);
      }),
    resume: (turn, from, drafts) => taking(drafts, () => prompts.resume(turn, from, drafts)),
    withdraw: (waiting) => prompts.withdraw(waiting),
    amend: (source, draft) => runner.amend(source, draft),
    hurry: (waiting) => prompts.hurry(waiting),
    get waiting() {
      return runner.queue.length;
    },
    get waitingTurn() {
      return runner.waitingTurn;
    },
    get upcomingFace() {
      return runner.upcomingFace;
    },
    get turnSoFar() {
      return mirror.turnSoFar;
    },
    answer: (questionId, value) => questions.answer(questionId, value),
    rename(name) {
      checkOpen();
      mirror.rename(name);
    },
    replacedBy: (by) => mirror.tell({ type: "session_replaced", sessionId: id, by }),
    chatChanged: options.changed,
    info() {
      const chat = ledgers.chatOf(id);
      return {
        id,
        name: mirror.name,
        cwd,
        face,
        state: mirror.state,
        updatedAt,
        ...(chat === undefined ? {} : { chat: placeOf(chat) }),
      };
    },
    messagesBefore(before) {
      const page = ledgers.messages.page(id, SNAPSHOT_MESSAGES, before, SNAPSHOT_BYTES);
      const { messages } = newestWithin(page.messages, SNAPSHOT_BYTES);
      const oldest = page.more ? messages[0]?.key : undefined;
      return { messages, ...(oldest === undefined ? {} : { before: oldest }) };
    },
    message: (key) => mirror.message(key),
    wake() {
      if (end === undefined) berth.wake();
    },
    stop: () => runner.stop(),
    idle: () => runner.idle(),
    async dismiss() {
      runner.stop();
      await berth.clear();
      mirror.letGo();
    },
    async remove() {
      end = "removed";
      runner.stop();
      await berth.clear();
      await runner.idle();
      mirror.letGo();
    },
    async leave() {
      end ??= "left";
      prompts.leave();
      runner.stop({ leaving: true });
      await berth.clear();
      mirror.letGo();
    },
  };
}

/** Bytes; 0 for a file that is not there yet, or that cannot be seen: then all of it is looked at after a crash. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
