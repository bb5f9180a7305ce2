import type { Clock } from "../domain/clock.ts";
import type { SessionEvent } from "../domain/events.ts";
import { type ChatKey, type ChatPlace, parseChatKey, type SessionId, type TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { PromptDraft } from "../domain/prompt.ts";
import type { Session, Sessions, Turn } from "../domain/sessions.ts";
import { deliveryLedger, type TurnStore } from "./bookkeeping.ts";
import { createDelivery, type Delivery } from "./delivery.ts";
import type { Outboxes } from "./outboxes.ts";
import { NOW } from "./parts.ts";
import { NOW_WORD, replies } from "./words.ts";

/** Which session a chat speaks with: a stored pointer, not a name made of the chat. */
export interface ChatPointers {
  sessionOf(key: ChatKey): SessionId | undefined;
  point(key: ChatKey, id: SessionId): void;
  /** The chats that have one. */
  keys(): readonly ChatKey[];
}

export interface ConversationsOptions {
  readonly sessions: Sessions;
  readonly pointers: ChatPointers;
  readonly outboxes: Outboxes;
  readonly turns: TurnStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A chat and the session that it speaks with at the moment. */
export interface Conversation {
  /**
   * Asks the session. `messageId` is the message that the answer belongs to; `continued` is the running turn that this
   * is a late piece of: nothing of it stays in the chat when this takes its place. Throws when it cannot be kept.
   */
  run(draft: PromptDraft, messageId?: number, continued?: Turn): Turn;
  /** Lets the turn of that id, which waits, take the running turn's place. False when it does not wait. */
  hurry(turn: string): boolean;
  /** From now on the chat shows what is begun elsewhere in its session, if it has one. */
  watch(): void;
  /** Starts the session's agent, if it rests. */
  wake(): void;
  /** False when nothing ran. */
  stop(): boolean;
  /** How many prompts wait for the running turn's end, from wherever. They go when it is stopped or cleared. */
  readonly waiting: number;
  /**
   * Points the chat to a new session, at once. The old one is dismissed in the background, and nothing that it
   * still produces is shown.
   */
  clear(): void;
}

/** The conversations of all chats, each attached to its session once. */
export function createConversations(options: ConversationsOptions): (key: ChatKey) => Conversation {
  const conversations = new Map<ChatKey, Conversation>();
  return (key) => {
    const known = conversations.get(key);
    if (known !== undefined) return known;
    const conversation = createConversation(key, options);
    conversations.set(key, conversation);
    return conversation;
  };
}

function createConversation(key: ChatKey, options: ConversationsOptions): Conversation {
  const { sessions, pointers, outboxes, turns, clock, log } = options;
  const place: ChatPlace = parseChatKey(key) ?? { chatId: 0 };
  const outbox = outboxes(place.chatId);
  let session: Session | undefined;
  let detach = (): void => undefined;
  let delivery: Delivery | undefined;
  /** The turn that it shows. */
  let shownTurn: TurnId | undefined;
  /** The message that a turn answers. */
  const prompts = new Map<TurnId, number>();
  /** The stored session is gone, and nobody has said so yet. */
  let goneUntold = false;

  /** The session, attached to this chat exactly once; made or resumed when first needed. */
  function current(): Session {
    if (session !== undefined) return session;
    const resumed = resume();
    goneUntold = resumed === undefined && pointers.sessionOf(key) !== undefined;
    return attach(resumed ?? begin());
  }

  /** The stored session. One that is damaged counts as gone, or the chat could not even be cleared. */
  function resume(): Session | undefined {
    const stored = pointers.sessionOf(key);
    if (stored === undefined) return undefined;
    try {
      return sessions.open(stored);
    } catch (error) {
      log.error({ err: error, session: stored }, "a stored session cannot be opened");
      return undefined;
    }
  }

  /** Told with the first turn: while a burst waits, nothing is shown. */
  function tellIfGone(): void {
    if (!goneUntold) return;
    goneUntold = false;
    outbox.reply({ place, content: { text: replies.sessionGone, entities: [] } });
  }

  function begin(): Session {
    const made = sessions.create({ face: "telegram" });
    pointers.point(key, made.id);
    return made;
  }

  function attach(next: Session): Session {
    session = next;
    detach = next.attach(show);
    return next;
  }

  /** A turn that was begun here gives way; one that somebody waits for elsewhere does not, unless that is wanted. */
  function ask(asked: Session, draft: PromptDraft, messageId: number | undefined): Turn {
    const { runningFace } = asked;
    if (runningFace === undefined || runningFace === "telegram") return asked.run(draft, "telegram");
    const turn = asked.enqueue(draft, "telegram");
    outbox.reply({
      place,
      content: { text: replies.waits, entities: [] },
      ...(messageId === undefined ? {} : { replyTo: messageId }),
      button: { text: NOW_WORD, data: `${NOW}${turn.id}` },
    });
    return turn;
  }

  /** Walks every event of the session to the turn's delivery, which begins with the turn, whoever began it. */
  function show(event: SessionEvent): void {
    if (event.type === "agent_start") {
      const { turnId } = event;
      const ledger = deliveryLedger(turns, key, turnId, log);
      delivery = createDelivery({ place, turnId, replyTo: () => prompts.get(turnId), ledger, clock, log });
      shownTurn = turnId;
      delivery.apply(event);
      outbox.join(delivery);
      return;
    }
    const changes = delivery?.apply(event) ?? false;
    if (event.type === "agent_end") delivery = undefined;
    if (changes) outbox.wake();
  }

  return {
    run: (draft, messageId, continued) => {
      const turn = ask(current(), draft, messageId);
      if (continued !== undefined && continued.id === shownTurn) delivery?.withdraw();
      tellIfGone();
      if (messageId === undefined) return turn;
      prompts.set(turn.id, messageId);
      void turn.ended.then(() => prompts.delete(turn.id));
      return turn;
    },
    hurry: (turn) => current().hurry(turn),
    watch() {
      if (session !== undefined) return;
      const resumed = resume();
      if (resumed !== undefined) attach(resumed);
    },
    wake: () => current().wake(),
    stop: () => session?.stop() ?? false,
    get waiting() {
      return session?.waiting ?? 0;
    },
    clear() {
      const old = session ?? resume();
      // Before the old one is left: where none can be begun, the chat keeps what it has.
      const next = begin();
      goneUntold = false;
      detach();
      delivery?.cut();
      delivery = undefined;
      attach(next);
      outbox.wake();
      old?.replacedBy(next.id);
      old?.dismiss().catch((error: unknown) => log.error({ err: error }, "an old session was not dismissed"));
    },
  };
}
