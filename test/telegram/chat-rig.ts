import { hereRendering } from "./here-rendering.ts";
import type { AgentEvent, Face, SessionEvent, TurnEvent } from "../../src/domain/events.ts";
import {
  type ChatKey,
  makeChatKey,
  makeSessionId,
  makeTurnId,
  parseChatKey,
  type SessionId,
  type TurnId,
} from "../../src/domain/ids.ts";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import type { Amended, Session, Sessions, SessionSink, Turn, TurnSoFar } from "../../src/domain/sessions.ts";
import { applyEvent, emptyTranscript } from "../../src/domain/transcript.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import type { Attachment } from "../../src/telegram/attachments.ts";
import type { Attached } from "../../src/telegram/collate.ts";
import { type ChatPointers, createConversations } from "../../src/telegram/conversations.ts";
import type { Outbox, Reply } from "../../src/telegram/outbox.ts";
import type { Outboxes } from "../../src/telegram/outboxes.ts";
import type { FileReference } from "../../src/telegram/carried-file.ts";
import type { Speaker } from "../../src/telegram/speakers.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createMemoryTurns } from "./memory-turns.ts";

/** Ada's private chat. */
export const CHAT: ChatKey = makeChatKey({ chatId: 7 });

/** A chat's way out that keeps what it is told. */
export interface NotedOutbox extends Outbox {
  readonly replies: readonly Reply[];
  /** The messages that are to go again. */
  readonly removed: readonly number[];
  /** The texts of the replies. */
  readonly said: readonly string[];
  readonly speakers: readonly Speaker[];
  /** Which of both came when. */
  readonly order: readonly ("reply" | "speaker")[];
  readonly wakes: number;
  readonly revivals: number;
}

export interface NotedOutboxes extends Outboxes {
  (chatId: number): NotedOutbox;
  all(): readonly NotedOutbox[];
}

export function createNotedOutboxes(): NotedOutboxes {
  const chats = new Map<number, NotedOutbox>();
  const outboxOf = (chatId: number): NotedOutbox => {
    const outbox = chats.get(chatId) ?? createNotedOutbox();
    chats.set(chatId, outbox);
    return outbox;
  };
  return Object.assign(outboxOf, { all: () => [...chats.values()] });
}

function createNotedOutbox(): NotedOutbox {
  const replies: Reply[] = [];
  const removed: number[] = [];
  const speakers: Speaker[] = [];
  const order: ("reply" | "speaker")[] = [];
  let wakes = 0;
  let revivals = 0;
  return {
    replies,
    removed,
    speakers,
    order,
    get said() {
      return replies.map(({ content }) => content.text);
    },
    get wakes() {
      return wakes;
    },
    get revivals() {
      return revivals;
    },
    reply(reply) {
      replies.push(reply);
      order.push("reply");
    },
    remove({ messageId, told }) {
      removed.push(messageId);
      told?.();
    },
    join(speaker) {
      speakers.push(speaker);
      order.push("speaker");
    },
    wake() {
      wakes += 1;
    },
    revive() {
      revivals += 1;
    },
    idle: () => Promise.resolve(),
    close: () => undefined,
  };
}

export interface HandTurn extends Turn {
  accept(accepted: boolean): void;
  end(outcome: TurnOutcome): void;
}

/** A session that keeps what it is asked for, and says what the test says. */
export interface HandSession extends Session {
  isRemoved: boolean;
  readonly drafts: readonly PromptDraft[];
  /** The turns that became of them, to be accepted and ended by the test. */
  readonly turns: readonly HandTurn[];
  readonly wakes: number;
  readonly stops: number;
  readonly dismissals: number;
  readonly attached: number;
  /** What `stop` answers. */
  runs: boolean;
  upcomingFace: Face | undefined;
  /** The turns that wait, of those in `turns`. At most one: what waits is joined. */
  readonly queued: readonly HandTurn[];
  /** Takes what waits out of the queue, or puts a turn of that id into it, and tells whoever is attached. */
  requeue(id?: TurnId): void;
  /** What was to take the place of a draft, with the number of a source of that. */
  readonly amendments: readonly (readonly [number, PromptDraft])[];
  /** What `amend` answers. */
  amended: Amended;
  readonly replacements: readonly SessionId[];
  /** How often it was said that its chat is another one. */
  readonly chatChanges: number;
  /** Tells whoever is attached. */
  emit(event: AgentEvent | TurnEvent): void;
  /** Begins a turn on that face, Telegram unless said, as whoever asked for it; `finish` ends it. */
  begin(face?: Face): { finish(outcome: TurnOutcome): void };
}

function makeHandTurn(id: TurnId = makeTurnId()): HandTurn {
  const accepted = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<TurnOutcome>();
  return {
    id,
    accepted: accepted.promise,
    ended: ended.promise,
    accept: accepted.resolve,
    end: ended.resolve,
  };
}

export function createHandSession(id: SessionId = makeSessionId(), name = ""): HandSession {
  const drafts: PromptDraft[] = [];
  const turns: HandTurn[] = [];
  const queued: HandTurn[] = [];
  const replacements: SessionId[] = [];
  const amendments: [number, PromptDraft][] = [];
  const sinks = new Set<SessionSink>();
  const queueSinks = new Set<() => void>();
  let [seq, wakes, stops, dismissals, chatChanges] = [0, 0, 0, 0, 0];
  let soFar: TurnSoFar | undefined;
  const session: HandSession = {
    id,
    name,
    isRemoved: false,
    get turnSoFar() {
      return soFar;
    },
    get chatChanges() {
      return chatChanges;
    },
    chatChanged() {
      chatChanges += 1;
    },
    cwd: "/workspace",
    drafts,
    turns,
    runs: false,
    upcomingFace: undefined,
    queued,
    get waiting() {
      return queued.length;
    },
    get waitingTurn() {
      return queued[0]?.id;
    },
    requeue(id) {
      queued.length = 0;
      if (id !== undefined) queued.push(makeHandTurn(id));
      for (const changed of queueSinks) changed();
    },
    replacements,
    get wakes() {
      return wakes;
    },
    get stops() {
      return stops;
    },
    get dismissals() {
      return dismissals;
    },
    get attached() {
      return sinks.size;
    },
    attach(sink, queueChanged) {
      sinks.add(sink);
      if (queueChanged !== undefined) queueSinks.add(queueChanged);
      return () => {
        sinks.delete(sink);
        if (queueChanged !== undefined) queueSinks.delete(queueChanged);
      };
    },
    run(draft) {
      drafts.push(draft);
      const turn = makeHandTurn();
      turns.push(turn);
      return turn;
    },
    enqueue(draft, face) {
      const [waits] = queued;
      if (waits !== undefined) {
        drafts.push(draft);
        return waits;
      }
      const turn = session.run(draft, face);
      queued.push(...turns.filter(({ id }) => id === turn.id));
      return turn;
    },
    hurry(waiting) {
      if (waiting !== queued[0]?.id) return false;
      session.requeue();
      return true;
    },
    amendments,
    amended: { type: "over" },
    amend(source, draft) {
      amendments.push([source, draft]);
      return session.amended;
    },
    replacedBy: (by) => void replacements.push(by),
    wake() {
      wakes += 1;
    },
    stop() {
      stops += 1;
      return session.runs;
    },
    idle: () => Promise.resolve(),
    dismiss() {
      dismissals += 1;
      return Promise.resolve();
    },
    emit(event) {
      seq += 1;
      const numbered: SessionEvent = { ...event, seq, at: seq * 1_000 };
      if (numbered.type === "agent_start")
        soFar = { id: numbered.turnId, face: numbered.face, transcript: emptyTranscript };
      if (soFar !== undefined) soFar = { ...soFar, transcript: applyEvent(soFar.transcript, numbered) };
      if (numbered.type === "agent_end") soFar = undefined;
      for (const sink of sinks) sink(numbered);
    },
    begin(face = "telegram") {
      const turnId = makeTurnId();
      session.emit({ type: "agent_start", turnId, face });
      return { finish: (outcome) => session.emit({ type: "agent_end", turnId, outcome }) };
    },
  };
  return session;
}

/** Sessions that are worked by hand, in the order in which they were begun, and those that the store knows. */
export function createHandSessions(stored: readonly HandSession[] = []) {
  const created: HandSession[] = [];
  const state: { full: boolean; damaged: boolean; refusal?: Error } = { full: false, damaged: false };
  const sessions: Sessions = {
    create() {
      if (state.full) throw state.refusal ?? new Error("the disk is full");
      const session = createHandSession();
      created.push(session);
      return session;
    },
    open(id) {
      if (state.damaged) throw new Error("the session is damaged");
      return [...stored, ...created].find((session) => session.id === id);
    },
  };
  return { sessions, created, state };
}

/** Conversations over sessions and outboxes that are worked by hand. `pointer` is what the store knows of Ada's chat. */
export function createConversationRig({
  stored = [],
  pointer,
}: { readonly stored?: readonly HandSession[]; readonly pointer?: SessionId } = {}) {
  const clock = createFakeClock();
  const outboxes = createNotedOutboxes();
  const hand = createHandSessions(stored);
  const pointed = new Map<ChatKey, SessionId>(pointer === undefined ? [] : [[CHAT, pointer]]);
  const pointers: ChatPointers = {
    sessionOf: (key) => pointed.get(key),
    point: (key, id) => void pointed.set(key, id),
    chatOf: (id) => {
      const key = [...pointed.keys()].find((each) => pointed.get(each) === id);
      return key === undefined ? undefined : parseChatKey(key);
    },
    keys: () => [...pointed.keys()],
  };
  const log = createMemoryLog();
  const memory = createMemoryTurns();
  const conversations = createConversations({
    rendering: hereRendering,
    sessions: hand.sessions,
    pointers,
    outboxes,
    turns: memory.turns,
    clock,
    log,
  });
  /** The session that was begun at that place. */
  const session = (index: number): HandSession => {
    const one = hand.created[index];
    if (one === undefined) throw new Error(`no session ${index} was begun`);
    return one;
  };
  return { memory, clock, outboxes, hand, pointed, pointers, log, conversations, session };
}

/** A file that arrives, or not, when the test says so. */
export interface HandAttachment extends Attachment {
  readonly file: FileReference;
  settle(attached: Attached): void;
}

export function createHandAttachment(file: FileReference): HandAttachment {
  const settled = Promise.withResolvers<Attached>();
  let released = false;
  return {
    file,
    settled: settled.promise,
    settle: settled.resolve,
    get released() {
      return released;
    },
    release() {
      released = true;
    },
  };
}
