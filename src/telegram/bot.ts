import { Bot } from "grammy";
import type { Update } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import { type DiskWatch, eachForItself } from "../domain/disk.ts";
import { parseChatKey } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Sessions } from "../domain/sessions.ts";
import { writtenAt, updateChat } from "./about-update.ts";
import { createAgain } from "./again.ts";
import { createAttachments } from "./attachments.ts";
import { createRenderings } from "./background/answer-rendering.ts";
import { WorkerRenderThread } from "./background/render-thread.ts";
import { createBackoff, LONGEST_CONFLICT_WAIT } from "./backoff.ts";
import type { TurnStore } from "./bookkeeping.ts";
import { createBudget, GLOBAL_BUDGET } from "./budget.ts";
import { type ClaimBoard, type ClaimLedger, createClaim } from "./claim.ts";
import { type ChatPointers, createConversations } from "./conversations.ts";
import { startDeadline } from "./deadline.ts";
import { createDiskNotice } from "./disk-notice.ts";
import { createDrafts } from "./drafts.ts";
import { createEdits } from "./edits.ts";
import { grammyFetch } from "./fetch.ts";
import { createFirstCalls } from "./first-calls.ts";
import { createInbox, type UpdateStore } from "./inbox.ts";
import { createIntake, type Intake } from "./intake.ts";
import { listOf } from "./loose.ts";
import { createOutboxes } from "./outboxes.ts";
import { createParts } from "./parts.ts";
import { createPerform } from "./perform.ts";
import { createPoller } from "./poller.ts";
import type { Recipient } from "./receive.ts";
import { type Leftover, recover } from "./recovery.ts";
import { toGrammy } from "./signals.ts";
import { Greeter } from "./strangers/greeter.ts";
import { Strangers } from "./strangers/strangers.ts";
import { wholeTexts } from "./whole-texts.ts";
import { replies } from "./words.ts";

export interface TelegramOptions {
  readonly token: string;
  /** Without a slash at its end. */
  readonly apiRoot: string;
  /** Numeric ids of the people who may reach an agent, besides the owner. */
  readonly allowedUsers: ReadonlySet<number>;
  /** Whether who opens a claim link becomes the owner. */
  readonly isClaimable: boolean;
  readonly owners: ClaimLedger;
  readonly claimBoard: ClaimBoard;
  /** Evie's own folder for what people send. */
  readonly filesFolder: string;
  readonly sessions: Sessions;
  readonly pointers: ChatPointers;
  /** Where the deck is, with that person's key to it; undefined when the HTTP face is off. */
  readonly deckLink?: (userId: number) => string;
  readonly updates: UpdateStore;
  readonly disk?: DiskWatch;
  readonly turns: TurnStore;
  /** What was left when evie was last ended. Asked once, when the updates are this bot's. */
  readonly leftovers: () => Promise<readonly Leftover[]>;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

/** The Telegram face. */
export interface Telegram {
  /** Learns who the bot is, waiting for Telegram as long as need be; undefined when `signal` ended that. Rejects with UnauthorizedError. */
  connect(signal: AbortSignal): Promise<BotIdentity | undefined>;
  /** The bot's name, without `@`; undefined until it is known. */
  readonly username: string | undefined;
  /** Tells whether that person may reach an agent now. */
  isAllowed(userId: number): boolean;
  /** When Telegram last answered a poll, in milliseconds since 1970, and what keeps evie from taking messages, if anything. */
  health(): { readonly lastGoodPoll?: number; readonly trouble?: string };
  /** The files that prompts which wait or run may name. */
  filesInUse(): ReadonlySet<string>;
  /** Receives until `stop`. Rejects with UnauthorizedError or ConflictError. */
  run(): Promise<void>;
  /** Receives no more; bursts that wait are left to the next start, and their chats told. Never rejects. */
  stop(): Promise<void>;
  /** Resolves when everything that is left to say was said. */
  idle(): Promise<void>;
  /** Drops whatever is still waiting to be said, and ends the calls under way. */
  close(): void;
}

export interface BotIdentity {
  readonly id: number;
  readonly username: string;
}

/** Milliseconds to answer a press of a button. */
const PRESS_DEADLINE = 10_000;

/** Builds the bot and joins its parts: poller, bursts, conversations, outboxes. */
export function createTelegram(options: TelegramOptions): Telegram {
  const { token, apiRoot, allowedUsers, filesFolder, sessions, pointers, turns } = options;
  const { clock, log, random, disk = eachForItself } = options;
  const bot = new Bot(token, { client: { apiRoot, fetch: grammyFetch } });

  const closed = new AbortController();

  const perform = createPerform(bot.api, clock, closed.signal);
  const shared = createBudget(GLOBAL_BUDGET);
  const outboxes = createOutboxes({
    perform,
    shared,
    clock,
    log,
    random,
  });
  const diskNotice = createDiskNotice({
    disk,
    tell: (place, { sentence }) =>
      outboxes(place.chatId).reply({
        place,
        content: { text: replies.diskOutage(sentence), entities: [] },
        unasked: true,
      }),
  });
  const inbox = createInbox({
    store: options.updates,
    clock,
    log,
    backoff: createBackoff(random),
    failed(error, chats) {
      if (diskNotice(error, chats)) void tellThoseBehind(error);
    },
  });
  const thread = new WorkerRenderThread({ clock, log });
  const rendering = createRenderings(thread);
  const conversations = createConversations({
    sessions,
    pointers,
    outboxes,
    turns,
    rendering,
    clock,
    log,
  });
  const fetchAttachment = createAttachments({
    locate: async (fileId, signal) => (await bot.api.getFile(fileId, toGrammy(signal))).file_path ?? "",
    downloadRoot: `${apiRoot}/file/bot${token}`,
    folder: filesFolder,
    clock,
    log,
  });
  const claim = createClaim({
    isClaimable: options.isClaimable,
    ledger: options.owners,
    board: options.claimBoard,
    claimed: (userId) =>
      outboxes(userId).reply({ place: { chatId: userId }, content: { text: replies.claimed, entities: [] } }),
    clock,
    log,
  });
  const isAllowed = (userId: number): boolean => allowedUsers.has(userId) || claim.isOwner(userId);
  const greeter = new Greeter({ perform, shared, clock, log, closed: closed.signal });
  const strangers = new Strangers({
    isAllowed,
    greet: (place, userId) => greeter.greet(place, userId),
    clock,
    log,
    closed: closed.signal,
  });
  const firstCalls = createFirstCalls({ api: bot.api, clock, log, random });
  let intake: Intake | undefined;

  // In front of everything that could keep an update: a claim's secret goes no further.
  bot.api.config.use(async (call, method, payload, signal) => {
    const answer = await call(method, payload, signal);
    if (method === "getUpdates" && answer.ok)
      for (const update of listOf(answer.result)) claim.admit(update as Update);
    return answer;
  });
  bot.api.config.use(wholeTexts);
  bot.use((context) =>
    intake?.take(context.update, { at: poller.arrivedAt, mayBeOld: waitedAtTelegram(context.update) }),
  );

  const poller = createPoller({
    api: bot.api,
    keep: (batch, stopped) => inbox.keep(strangers.turnAway(batch), stopped),
    handle: (update) => bot.handleUpdate(update),
    clock,
    log,
    backoff: createBackoff(random),
    conflictBackoff: createBackoff(random, LONGEST_CONFLICT_WAIT),
  });

  /** Makes the intake, and takes up what was left when evie was last ended. */
  async function takeUp(recipient: Recipient): Promise<void> {
    const parts = createParts({
      recipient,
      fetchAttachment,
      tell: (place, replyTo, text) =>
        outboxes(place.chatId).reply({ place, content: { text, entities: [] }, replyTo, unasked: true }),
    });
    const drafts = createDrafts();
    const common = { turns, inbox, parts, drafts, conversations, outboxes, rendering, clock, log };
    const again = createAgain({ ...common, answerPress });
    inbox.adopt(bot.botInfo.id);
    const leftovers = await options.leftovers();
    intake = createIntake({
      ...common,
      recipient,
      again,
      edits: createEdits(common),
      deckLink: options.deckLink,
      disk,
      diskNotice,
    });
    recover(leftovers, common);
    for (const update of inbox.unspent()) take(update);
    watchAll(recipient);
  }

  /** Lets each chat of somebody who is still allowed see what is begun elsewhere in its session. */
  function watchAll({ isAllowed }: Recipient): void {
    for (const key of pointers.keys()) {
      // In a private chat, the only kind there is, the chat's id is the person's.
      if (isAllowed(parseChatKey(key)?.chatId ?? 0)) conversations(key).watch();
    }
  }

  /** What Telegram brings late, though it was asked when that was written, is no older than it seems to its author. */
  function waitedAtTelegram(update: Update): boolean {
    const written = writtenAt(update);
    return poller.isBacklog && written !== undefined && !inbox.wasPolledAt(written);
  }

  function take(update: Update): void {
    try {
      intake?.take(update, { at: clock.now(), mayBeOld: inbox.wasAway });
    } catch (error) {
      log.error({ err: error }, "an update could not be handled");
    }
  }

  /** Who writes while a batch cannot be kept waits behind it at Telegram, and is to know why. Nothing is taken by this look. */
  async function tellThoseBehind(error: unknown): Promise<void> {
    const deadline = startDeadline(clock, PRESS_DEADLINE);
    try {
      const signal = toGrammy(AbortSignal.any([deadline.signal, closed.signal]));
      const waiting = await bot.api.getUpdates({ offset: poller.offset, limit: 100, timeout: 0 }, signal);
      const chats = waiting.flatMap((update) => updateChat(update) ?? []);
      diskNotice(
        error,
        chats.filter((key) => isAllowed(parseChatKey(key)?.chatId ?? 0)),
      );
    } catch (failure) {
      log.debug({ err: failure }, "it could not be seen who waits for the disk");
    } finally {
      deadline.cancel();
    }
  }

  /** Telegram shows a pressed button as busy until it hears this. */
  function answerPress(pressId: string, text: string): void {
    const deadline = startDeadline(clock, PRESS_DEADLINE);
    const signal = AbortSignal.any([deadline.signal, closed.signal]);
    bot.api
      .answerCallbackQuery(pressId, { text }, toGrammy(signal))
      .catch((error: unknown) => log.warn({ err: error }, "a press of a button could not be answered"))
      .finally(deadline.cancel);
  }

  return {
    async connect(signal) {
      const me = await firstCalls.introduce(signal);
      if (me === undefined) return undefined;
      bot.botInfo = me;
      await takeUp({ username: me.username, isAllowed });
      void firstCalls.offerCommands(closed.signal);
      void claim.offer(me.username, closed.signal);
      return { id: me.id, username: me.username };
    },
    get username() {
      return bot.isInited() ? bot.botInfo.username : undefined;
    },
    isAllowed,
    health() {
      const { lastGoodPoll } = poller;
      const { trouble } = inbox;
      return {
        ...(lastGoodPoll === undefined ? {} : { lastGoodPoll }),
        ...(trouble === undefined ? {} : { trouble }),
      };
    },
    filesInUse: () => fetchAttachment.inUse,
    run: () => poller.run(),
    async stop() {
      intake?.close();
      await poller.stop();
    },
    async idle() {
      await Promise.all(outboxes.all().map((outbox) => outbox.idle()));
    },
    close() {
      closed.abort();
      thread.close();
      for (const outbox of outboxes.all()) outbox.close();
    },
  };
}
