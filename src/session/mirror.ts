import type { Clock } from "../domain/clock.ts";
import type { AgentEvent, Face, Message, SessionEvent, TurnEvent } from "../domain/events.ts";
import type { Log } from "../domain/log.ts";
import type { Question } from "../domain/question.ts";
import type { Observation, TurnSoFar } from "../domain/sessions.ts";
import { type Delta, joinDeltas, MOST_DELTAS } from "../domain/deltas.ts";
import { applyEvent, emptyTranscript, isPending, type Transcript, upsert } from "../domain/transcript.ts";
import type { QueuedPrompt, SessionFrame, SessionPhase } from "../domain/wire.ts";
import { createAfterStop } from "./after-stop.ts";
import { createScale, SNAPSHOT_MESSAGES } from "./bounds.ts";
import { createCappedBuffer, type CappedBuffer, fitEvents } from "./capped-buffer.ts";
import { createFanOut } from "./fan-out.ts";
import { type BookkeeperOptions, createBookkeeper } from "./bookkeeper.ts";
import { earlierThan } from "./earlier.ts";
import { phaseOf, textOf } from "./facts.ts";
import { type Changeable, differences, snapshotOf } from "./snapshot.ts";
import { condenseForReplay, entryOf } from "./turn-buffer.ts";
import { turnSoFar } from "./turn-so-far.ts";

export interface MirrorOptions extends BookkeeperOptions {
  readonly cwd: string;
  readonly questions: () => readonly Question[];
  readonly queue: () => readonly QueuedPrompt[];
  /** Called when the name or the state is another one, before anybody is told. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is known of one session in memory: what is going on, whole, and what was said before as long as somebody looks at it. */
export interface Mirror {
  /**
   * Numbers and dates an event, folds it, keeps what has to be kept, and tells everybody. After the interruption of a turn
   * nobody is told what its agent says: that is only kept.
   */
  emit(event: AgentEvent | TurnEvent): void;
  /** Tells everybody who observes. */
  tell(frame: SessionFrame): void;
  /** Lets go of what was said before at once, unless a turn runs. It comes from the store again when somebody looks. */
  letGo(): void;
  /** To be called when the questions or the queue are others. */
  refresh(): void;
  rename(name: string): void;
  /** Calls `sink` with each event from now on, and `queueChanged` when the queue is another one. Returns what ends that. */
  listen(sink: (event: SessionEvent) => void, queueChanged?: () => void): () => void;
  observe(observer: (frame: SessionFrame) => void): Observation;
  /** A message that has ended, whole; undefined for an unknown key. */
  message(key: string): Message | undefined;
  readonly turnSoFar: TurnSoFar | undefined;
  readonly state: SessionPhase;
  readonly name: string;
  /** What the agent said last in the turn that ended last, or that runs. */
  readonly lastText: string;
  /** Everything that it said in that turn, a text a message. */
  readonly said: readonly string[];
}

/** Bytes of JSON that the running step may have on its way to somebody who comes late. */
const REPLAY_BYTES = 512 * 2 ** 10;

/** Milliseconds after its last use that a session without a running turn keeps what was said before in memory. */
export const LET_GO_AFTER = 30_000;

/**
 * Mirrors one session. The agent's own list of messages leaves out the one in flight, and holds those of the running
 * step: a face that attached to it would miss the first and show the others twice. Here the snapshot is what was so
 * before the running step, and the step's buffer holds the rest.
 */
export function createMirror(options: MirrorOptions): Mirror {
  const { id, cwd, messages: ledger, clock, log } = options;
  const fanOut = createFanOut<SessionFrame>((error) =>
    log.error({ err: error, session: id }, "a face failed while it heard of a session and was detached"),
  );
  const weigh = createScale();
  /**
   * Everything so far, but for the deltas that nobody has looked at yet. What was said before the running turn is in it
   * only once somebody has looked: a chat that nobody watches needs none of it.
   */
  let live: Transcript = emptyTranscript;
  let deltas: Delta[] = [];
  /** What was so before the running step. */
  let base = live;
  let step: CappedBuffer | undefined;
  let hasOlder = false;
  /** What was said before is in memory. */
  let isRecalled = false;
  /** Something of it is nowhere else. */
  let isUnstored = false;
  let quiet = new AbortController();
  /** Where the last turn was begun. */
  let face: Face | undefined;
  const bookkeeper = createBookkeeper(options);
  const afterStop = createAfterStop({
    keep(message) {
      live = withinBounds({ ...live, messages: upsert(live.messages, message) });
      store(() => bookkeeper.keepAfterStop(message));
      refresh();
    },
    forget(key) {
      live = { ...live, messages: live.messages.filter((message) => message.key !== key) };
      store(() => ledger.forget(id, key));
    },
  });
  let told = changeable();

  function emit(event: AgentEvent | TurnEvent): void {
    if (afterStop.takes(event, clock.date())) return;
    const numbered: SessionEvent = { ...event, seq: newest() + 1, at: clock.date() };
    if (numbered.type === "message_update") {
      deltas.push(numbered);
      if (deltas.length === MOST_DELTAS) foldDeltas();
      // Of the hundreds in a second none has to be kept, or changes what a list shows.
      return tell({ type: "session_event", sessionId: id, event: numbered });
    }
    foldDeltas();
    const before = live;
    live = applyEvent(live, numbered);
    switch (numbered.type) {
      case "agent_start":
        ({ face } = numbered);
        break;
      case "turn_start":
        base = withinBounds(before);
        live = { ...live, messages: base.messages };
        step = createCappedBuffer();
        break;
      case "agent_interrupted":
        afterStop.begin(before.messages.filter(isPending));
        step = undefined;
        live = withinBounds(live);
        break;
      case "turn_end":
      case "agent_end":
        step = undefined;
        live = withinBounds(live);
        break;
      default:
    }
    buffer(numbered);
    store(() => bookkeeper.keep(numbered, live.messages));
    if (numbered.type === "agent_end") letGoLater();
    tell({ type: "session_event", sessionId: id, event: numbered });
    refresh();
  }

  /** A full disk must not keep a turn from ending, nor anybody from seeing it. Returns whether it was written. */
  function store(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      isUnstored = true;
      log.error({ err: error, session: id }, "what was said could not be stored");
      return false;
    }
  }

  /** Puts what was said before, as it is stored, in front of what is held. */
  function recall(): void {
    if (isRecalled) return;
    const { earlier, more } = earlierThan(live.messages, id, ledger);
    isRecalled = true;
    hasOlder = more;
    const recalled = (state: Transcript): Transcript =>
      withinBounds({ ...state, messages: [...earlier, ...state.messages] });
    base = recalled(base);
    live = recalled(live);
  }

  function isRunning(): boolean {
    return live.turn !== undefined && live.turn.outcome === undefined;
  }

  function letGo(): void {
    quiet.abort();
    if (isRunning()) return;
    // What a full disk did not take is tried once more, and kept as long as that fails.
    if (isUnstored) isUnstored = !store(() => live.messages.forEach((message) => ledger.save(id, message)));
    if (isUnstored) return;
    live = { ...live, messages: [], tools: live.tools.map((tool) => ({ ...tool, output: "" })) };
    base = live;
    isRecalled = false;
  }

  function letGoLater(): void {
    quiet.abort();
    if (live.messages.length === 0) return;
    quiet = new AbortController();
    const { signal } = quiet;
    void clock.sleep(LET_GO_AFTER, signal).then(() => {
      if (!signal.aborted) letGo();
    });
  }

  function newest(): number {
    return deltas.at(-1)?.seq ?? live.seq;
  }

  function foldDeltas(): void {
    for (const delta of joinDeltas(deltas)) {
      live = applyEvent(live, delta);
      buffer(delta);
    }
    deltas = [];
  }

  function buffer(event: SessionEvent): void {
    const entry = step === undefined ? undefined : entryOf(event, live.messages);
    if (entry !== undefined) step?.append(entry);
  }

  function withinBounds(transcript: Transcript): Transcript {
    if (transcript.messages.length <= SNAPSHOT_MESSAGES) return transcript;
    hasOlder = true;
    return { ...transcript, messages: transcript.messages.slice(-SNAPSHOT_MESSAGES) };
  }

  function changeable(): Changeable {
    const { name, model, usage, failed } = bookkeeper.facts;
    return {
      name,
      state: phaseOf(live.turn, options.questions().length > 0, failed),
      queue: options.queue(),
      ...(model === undefined ? {} : { model }),
      ...(usage === undefined ? {} : { usage }),
    };
  }

  function tell(frame: SessionFrame): void {
    fanOut.tell(frame);
  }

  function refresh(): void {
    const now = changeable();
    const change = differences(told, now);
    told = now;
    if (change.name !== undefined || change.state !== undefined) options.changed();
    if (Object.keys(change).length > 0) tell({ type: "session_changed", sessionId: id, change });
  }

  function said(): readonly string[] {
    foldDeltas();
    return live.messages
      .filter(({ key, role }) => role === "assistant" && bookkeeper.ofTurn.has(key))
      .map(textOf);
  }

  return {
    emit,
    tell,
    letGo,
    refresh,
    rename(wanted) {
      bookkeeper.rename(wanted);
      refresh();
    },
    listen: (sink, queueChanged) =>
      fanOut.add((frame) => {
        if (frame.type === "session_changed" && frame.change.queue !== undefined) queueChanged?.();
        // A live event is never a replayed one.
        if (frame.type === "session_event") sink(frame.event as SessionEvent);
      }),
    observe(observer) {
      foldDeltas();
      recall();
      if (!isRunning()) letGoLater();
      const from = step === undefined ? live : base;
      return {
        snapshot: snapshotOf({ sessionId: id, cwd, changeable: changeable(), from, live, hasOlder, weigh }),
        seq: from.seq,
        lastSeq: live.seq,
        questions: [...options.questions()],
        replay: step === undefined ? [] : fitEvents(condenseForReplay(step.entries), REPLAY_BYTES),
        detach: fanOut.add(observer),
      };
    },
    message: (key) => live.messages.find((message) => message.key === key) ?? ledger.get(id, key),
    get turnSoFar() {
      foldDeltas();
      return turnSoFar({
        face,
        live,
        ofTurn: bookkeeper.ofTurn,
        stored: (limit) => ledger.page(id, limit).messages,
      });
    },
    get state() {
      return changeable().state;
    },
    get name() {
      return bookkeeper.facts.name;
    },
    get lastText() {
      return said().findLast((text) => text.trim() !== "") ?? "";
    },
    get said() {
      return said();
    },
  };
}
