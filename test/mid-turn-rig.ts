import { hereRendering } from "./telegram/here-rendering.ts";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Update } from "grammy/types";
import { makeChatKey } from "../src/domain/ids.ts";
import type { TurnEnding } from "../src/domain/sessions.ts";
import type { PromptMode } from "../src/domain/wire.ts";
import { createDrafts } from "../src/http/drafts.ts";
import { findLeftovers } from "../src/leftovers.ts";
import { createSessions } from "../src/session/sessions.ts";
import { createStoredPictures } from "../src/store/pictures.ts";
import { createAgain } from "../src/telegram/again.ts";
import { createBackoff } from "../src/telegram/backoff.ts";
import { createConversations } from "../src/telegram/conversations.ts";
import { createDrafts as createPromptDrafts } from "../src/telegram/drafts.ts";
import { createEdits } from "../src/telegram/edits.ts";
import { createInbox } from "../src/telegram/inbox.ts";
import { createIntake } from "../src/telegram/intake.ts";
import type { Outbox } from "../src/telegram/outbox.ts";
import type { Outboxes } from "../src/telegram/outboxes.ts";
import { createParts } from "../src/telegram/parts.ts";
import { recover } from "../src/telegram/recovery.ts";
import type { Speaker } from "../src/telegram/speakers.ts";
import { replies } from "../src/telegram/words.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";
import { createHandAgents, type HandAgent, type HandRun } from "./session/hand-agents.ts";
import { createStoreRig } from "./store/store-rig.ts";
import { ada, commandUpdate, messageUpdate, rawUpdate } from "./telegram/updates.ts";

export const CHAT = makeChatKey({ chatId: ada.id });

/** A line of evie's own in the chat, as Telegram holds it. */
interface Line {
  readonly text: string;
  readonly button?: string | undefined;
  readonly replyTo?: number | undefined;
}

/**
 * evie's sessions, its chat and its store, without a network: agents are worked by hand, and a prompt comes from the chat,
 * by HTTP or from the deck. `kill` ends evie as SIGKILL does and starts the next one on the same store.
 */
export async function createMidTurnRig() {
  const stored = createStoreRig();
  const { clock } = stored;
  const folder = join(dirname(stored.path), "sessions");
  mkdirSync(folder);
  const log = createMemoryLog();
  /** What evie said by itself, by the ids of the messages. Telegram keeps it while evie is down. */
  const lines = new Map<number, Line>();
  /** The texts of the prompts that an agent took into its history, in order. */
  const taken: string[] = [];
  let numbers = 0;
  const newId = (): number => (numbers += 1);
  let life = await start();

  async function start() {
    const { store } = stored;
    const { start: startAgent, started } = createHandAgents();
    const state = { dead: false };
    const sessions = createSessions({
      ledgers: {
        ...store,
        pictures: createStoredPictures(join(folder, "pictures")),
        chatOf: (id) => store.chats.chatOf(id),
      },
      folder,
      workspace: folder,
      startAgent,
      clock,
      log,
    });
    const makeDraft = createDrafts({ folder: join(folder, "uploads"), filesFolder: folder, log });
    const outbox = createChatOutbox(state);
    const outboxes: Outboxes = Object.assign(() => outbox, { all: () => [outbox] });
    const turns = { ...store.turns, ...store.bubbles };
    const conversations = createConversations({
      rendering: hereRendering,
      sessions,
      pointers: store.chats,
      outboxes,
      turns,
      clock,
      log,
    });
    const inbox = createInbox({
      store: { ...store.updates, together: store.together },
      clock,
      log,
      backoff: createBackoff(() => 0.5),
    });
    const recipient = { username: "evie_bot", isAllowed: (id: number) => id === ada.id };
    const parts = createParts({
      recipient,
      fetchAttachment: () => {
        throw new Error("nobody sends files here");
      },
      tell: () => undefined,
    });
    const presses: string[] = [];
    const drafts = createPromptDrafts();
    const shared = { turns, inbox, parts, drafts, conversations, outboxes, clock, log };
    const again = createAgain({ ...shared, answerPress: (_id, said) => void presses.push(said) });
    const leftovers = findLeftovers({ store, folder, sessions, makeDraft, clock, log });
    const found = await leftovers.forChats();
    const intake = createIntake({ ...shared, recipient, again, edits: createEdits(shared) });
    recover(found, { ...shared, rendering: hereRendering });
    for (const update of inbox.unspent()) intake.take(update, { at: clock.now(), mayBeOld: false });
    for (const key of store.chats.keys()) conversations(key).watch();
    await leftovers.goOn(new AbortController().signal);
    return { state, store, sessions, makeDraft, outbox, inbox, intake, presses, started };
  }

  /** The way into the chat. What a dead evie would still say is not heard. */
  function createChatOutbox(state: { readonly dead: boolean }): Outbox {
    const speakers: Speaker[] = [];
    return {
      reply({ content, replyTo, button, isWanted, told }) {
        // As the real one: later, and only what is wanted then.
        void clock.sleep(1).then(() => {
          if (state.dead || isWanted?.() === false) return;
          const id = newId();
          lines.set(id, { text: content.text, button: button?.data, replyTo });
          told?.(id);
        });
      },
      remove({ messageId, told }) {
        void clock.sleep(1).then(() => {
          if (state.dead) return;
          lines.delete(messageId);
          told?.();
        });
      },
      join(speaker) {
        speakers.push(speaker);
        sayAll(speakers);
      },
      wake: () => sayAll(speakers),
      revive: () => undefined,
      idle: () => Promise.resolve(),
      close: () => undefined,
    };
  }

  /** What deliveries and closers do in the chat: they remove lines that wait, and say nothing that matters here. */
  function sayAll(speakers: readonly Speaker[]): void {
    for (const speaker of speakers) {
      for (let call = speak(speaker); call !== undefined; call = speak(speaker)) {
        if (call.type === "delete") lines.delete(call.messageId);
        speaker.heard(call, { type: "done", ...(call.type === "send" ? { messageId: newId() } : {}) });
      }
    }
  }

  function speak(speaker: Speaker) {
    return speaker.finished ? undefined : speaker.speak("message", clock.now());
  }

  async function take(update: Update): Promise<void> {
    const numbered = { ...update, update_id: newId() };
    await life.inbox.keep([numbered], new AbortController().signal);
    life.intake.take(numbered, { at: clock.now(), mayBeOld: false });
  }

  const session = () => {
    const id = life.store.chats.sessionOf(CHAT);
    const opened = id === undefined ? undefined : life.sessions.open(id);
    if (opened === undefined) throw new Error("the chat has no session");
    return opened;
  };

  /** Runs of agents that have not ended, with their agents. */
  const runs = new Map<
    HandRun,
    { readonly agent: HandAgent; isTaken: boolean; isOver: boolean; aborts: number }
  >();
  const running = () => {
    for (const agent of life.started)
      for (const run of agent.runs)
        if (!runs.has(run)) runs.set(run, { agent, isTaken: false, isOver: false, aborts: agent.aborts });
    return [...runs].filter(([, { agent, isOver }]) => !isOver && life.started.includes(agent));
  };

  return {
    clock,
    log,
    lines,
    taken,
    session,
    get presses() {
      return life.presses;
    },
    get store() {
      return life.store;
    },
    /** The lines that say that a message waits. */
    waitsLines: () => [...lines].filter(([, { text }]) => text === replies.waits),
    /** Ada writes; gives the message's id. */
    async say(text: string, fields: object = {}): Promise<number> {
      const id = newId();
      await take(messageUpdate({ message_id: id, date: Math.floor(clock.date() / 1_000), text, ...fields }));
      return id;
    },
    /** Ada changes a message of hers. */
    edit: (messageId: number, fields: object) =>
      take(messageUpdate({ message_id: messageId, ...fields }, "edited_message")),
    command: (text: string) => take(commandUpdate(text, { message_id: newId() })),
    press: (data: string) =>
      take(
        rawUpdate({
          callback_query: {
            id: "p",
            from: ada,
            data,
            message: { message_id: newId(), chat: { id: ada.id, type: "private" } },
          },
        }),
      ),
    /** A prompt with a request's id, which is its text; what becomes of it. */
    request(text: string, mode: PromptMode = "queue"): Promise<TurnEnding> {
      return session().prompt(life.makeDraft({ text }), { face: "http", mode, requestId: text, text }).ending;
    },
    /** The runs of agents that have not ended. */
    running,
    /**
     * Lets an agent do what it does next: get ready, take its prompt, end. One that is to abort ends as aborted, and has
     * not taken the prompt where it `refuses`. False when no agent has anything to do.
     */
    async step(refuses = false): Promise<boolean> {
      await clock.settle();
      for (const agent of life.started) agent.getReady();
      await clock.settle();
      const [first] = running();
      if (first === undefined) return false;
      const [run, its] = first;
      const aborts = its.agent.aborts > its.aborts;
      if (!its.isTaken && !(aborts && refuses)) {
        its.isTaken = true;
        taken.push(run.prompt.text);
        run.accept(true);
      } else {
        if (!its.isTaken) run.accept(false);
        its.isOver = true;
        run.end(aborts ? { type: "aborted" } : { type: "done" });
      }
      await clock.settle();
      return true;
    },
    /** Lets agents get ready and be given their prompts, which they do not take yet. */
    async giveOut(): Promise<void> {
      await clock.settle();
      for (const agent of life.started) agent.getReady();
      await clock.settle();
      running();
    },
    /** Ends the agents that their sessions have dismissed. */
    async exitDismissed(): Promise<void> {
      await clock.settle();
      for (const agent of life.started.filter(({ dismissals }) => dismissals > 0)) {
        for (const [run, its] of running().filter(([, { agent: of }]) => of === agent)) {
          if (!its.isTaken) run.accept(false);
          its.isOver = true;
        }
        agent.exit();
      }
      await clock.settle();
    },
    async kill(): Promise<void> {
      life.state.dead = true;
      stored.reopen();
      life.intake.close();
      life = await start();
      await clock.settle();
    },
    [Symbol.dispose]: () => stored[Symbol.dispose](),
  };
}
