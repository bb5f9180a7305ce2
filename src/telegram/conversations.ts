import type { Clock } from "../domain/clock.ts";
import type { SessionEvent } from "../domain/events.ts";
import type { ChatKey, ChatPlace, SessionId, TurnId } from "../domain/ids.ts";
import { parseChatKey } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { PromptDraft } from "../domain/prompt.ts";
import type { Amended, Session, Sessions, Turn, TurnSoFar } from "../domain/sessions.ts";
import { deliveryLedger, type TurnStore } from "./bookkeeping.ts";
import type { MakeRendering } from "./background/answer-rendering.ts";
import { createDelivery, type Delivery, justBegun } from "./delivery.ts";
import type { Outboxes } from "./outboxes.ts";
import { createWaitsLine } from "./waits-line.ts";
import { replies } from "./words.ts";

/** Which session a chat speaks with: a stored pointer, not a name made of the chat. */
export interface ChatPointers {
  sessionOf(key: ChatKey): SessionId | undefined;
  point(key: ChatKey, id: SessionId): void;
  /** The chat that speaks with a session. */
  chatOf(id: SessionId): ChatPlace | undefined;
  /** The chats that have one. */
  keys(): readonly ChatKey[];
}

export interface ConversationsOptions {
  readonly sessions: Sessions;
  readonly pointers: ChatPointers;
  readonly outboxes: Outboxes;
  readonly turns: TurnStore;
  readonly rendering: MakeRendering;
  readonly clock: Clock;
  readonly log: Log;
}

/** What became of a wish to speak with another session. */
export type Switched =
  | { readonly type: "switched"; readonly name: string }
  /** The chat speaks with it already. */
  | { readonly type: "here" }
  | { readonly type: "unknown" }
  /** Another chat speaks with it. */
  | { readonly type: "taken" }
  /** An answer is being written in this chat. */
  | { readonly type: "busy" };

/** A chat and the session that it speaks with at the moment. */
export interface Conversation {
  /**
   * Asks the session. `messageId` is the message that the answer belongs to; `continued` is the running turn that this
   * is a late piece of: nothing of it stays in the chat when this takes its place. Throws when it cannot be kept.
   */
  run(draft: PromptDraft, messageId?: number, continued?: Turn): Turn;
  /** Lets what the chat wrote and what waits, all of it, take the running turn's place. False when nothing of it waits. */
  hurry(): boolean;
  /** Puts a draft in the place of the one that is made of that update, where no agent has it; see `Session`. */
  amend(source: number, draft: PromptDraft): Amended;
  /** From now on the chat shows what is begun elsewhere in its session, if it has one, and what runs there already. */
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
  /**
   * Points the chat to a session that is there already, and leaves the old one as it is. To be kept in one transaction
   * with what asked for it, and shown by `watch` behind that: where the store forgets it, the chat has its old session
   * again. Nothing changes where it is refused.
   */
  switchTo(id: SessionId): Switched;
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
  const { sessions, pointers, outboxes, turns, rendering, clock, log } = options;
  const place: ChatPlace = parseChatKey(key) ?? { chatId: 0 };
  const outbox = outboxes(place.chatId);
  let session: Session | undefined;
  let detach = (): void => undefined;
  /** The session that the chat has left for another one, until it has that. */
  let left: Session | undefined;
  let delivery: Delivery | undefined;
  /** The turn that it shows. */
  let shownTurn: TurnId | undefined;
  /** The message that a turn answers. */
  const prompts = new Map<TurnId, number>();
  /** The message that was asked last. */
  let latest: number | undefined;
  /** The turn that what the chat wrote waits in. */
  let waiting: TurnId | undefined;
  let acts = false;
  const waitsLine = createWaitsLine({ key, place, outbox, turns, log });
  /** The stored session is gone, and nobody has said so yet. */
  let goneUntold = false;

  /** The session that the chat has in hand, unless that was removed: as nobody used it for long. */
  function held(): Session | undefined {
    if (session?.isRemoved !== true) return session;
    detach();
    session = undefined;
    return undefined;
  }

  /** The session, attached to this chat exactly once; made or resumed when first needed. */
  function current(): Session {
    const known = held();
    if (known !== undefined) return known;
    const resumed = resume();
    goneUntold = resumed === undefined && pointers.sessionOf(key) !== undefined;
    return attach(resumed ?? begin());
  }

  function resume(): Session | undefined {
    const stored = pointers.sessionOf(key);
    return stored === undefined ? undefined : open(stored);
  }

  /** A stored session. One that is damaged counts as gone, or the chat could not even be cleared. */
  function open(stored: SessionId): Session | undefined {
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
    outbox.reply({ place, content: { text: replies.sessionGone, entities: [] }, unasked: true });
  }

  function begin(): Session {
    const made = sessions.create({ face: "telegram" });
    pointers.point(key, made.id);
    return made;
  }

  function attach(next: Session): Session {
    session = next;
    detach = next.attach(show, queueChanged);
    const { turnSoFar } = next;
    if (turnSoFar !== undefined) deliver(turnSoFar);
    if (left !== undefined && left !== next) left.replacedBy(next.id);
    left = undefined;
    showWaiting();
    next.chatChanged();
    return next;
  }

  /** A turn that was begun here gives way; one that somebody waits for elsewhere does not, unless that is wanted. */
  function ask(asked: Session, draft: PromptDraft): Turn {
    const { upcomingFace } = asked;
    return upcomingFace === undefined || upcomingFace === "telegram"
      ? asked.run(draft, "telegram")
      : asked.enqueue(draft, "telegram");
  }

  /** Says in the chat that what it wrote waits, as long as that is so. */
  function showWaiting(): void {
    waiting = session?.waitingTurn;
    waitsLine.show(waiting === undefined ? undefined : { turn: waiting, messageId: latest });
  }

  /** What waits has changed, by the chat's own doing or somebody else's. */
  function queueChanged(): void {
    const before = waiting;
    showWaiting();
    const isGone = before !== undefined && before !== waiting && before !== shownTurn;
    if (isGone && !acts)
      outbox.reply({ place, content: { text: replies.takenBack, entities: [] }, unasked: true });
  }

  /** Does what the chat itself asks for. It needs no word about what it drops or lets in by that. */
  function act<Value>(work: () => Value): Value {
    acts = true;
    try {
      return work();
    } finally {
      acts = false;
    }
  }

  /** Begins to show a turn, with what there is of it. */
  function deliver(turn: TurnSoFar): void {
    const { id: turnId } = turn;
    const ledger = deliveryLedger(turns, key, turnId, log);
    delivery = createDelivery({
      place,
      turn,
      // One that was put back into the queue runs under another id.
      replyTo: () => prompts.get(turnId) ?? (turn.face === "telegram" ? latest : undefined),
      ledger,
      rendering: rendering(() => outbox.wake()),
      clock,
      log,
    });
    shownTurn = turnId;
    outbox.join(delivery);
  }

  /** Walks every event of the session to the turn's delivery, which begins with the turn, whoever began it. */
  function show(event: SessionEvent): void {
    if (event.type === "agent_start") {
      return deliver(justBegun(event));
    }
    const changes = delivery?.apply(event) ?? false;
    if (event.type === "agent_interrupted" || event.type === "agent_end") delivery = undefined;
    if (changes) outbox.wake();
  }

  return {
    run: (draft, messageId, continued) => {
      latest = messageId ?? latest;
      // The one that shows the replaced turn is not held any more once that is interrupted.
      const replaced = continued !== undefined && continued.id === shownTurn ? delivery : undefined;
      const turn = act(() => ask(current(), draft));
      showWaiting();
      replaced?.withdraw();
      tellIfGone();
      if (messageId === undefined) return turn;
      prompts.set(turn.id, messageId);
      void turn.ended.then(() => prompts.delete(turn.id));
      return turn;
    },
    hurry() {
      const turn = held()?.waitingTurn;
      return turn !== undefined && act(() => session?.hurry(turn)) === true;
    },
    amend: (source, draft) => held()?.amend(source, draft) ?? { type: "over" },
    watch() {
      if (held() !== undefined) return;
      const resumed = resume();
      if (resumed !== undefined) attach(resumed);
    },
    wake: () => current().wake(),
    stop: () => act(() => held()?.stop()) ?? false,
    get waiting() {
      return held()?.waiting ?? 0;
    },
    clear() {
      const old = held() ?? resume();
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
    switchTo(id) {
      const next = open(id);
      if (next === undefined) return { type: "unknown" };
      if (pointers.sessionOf(key) === id) return { type: "here" };
      if (pointers.chatOf(id) !== undefined) return { type: "taken" };
      if (delivery !== undefined) return { type: "busy" };
      pointers.point(key, id);
      goneUntold = false;
      detach();
      left = session;
      session = undefined;
      return { type: "switched", name: next.name };
    },
  };
}
