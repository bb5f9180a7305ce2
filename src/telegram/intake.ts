import type { Update } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import { type ChatKey, type ChatPlace, parseChatKey } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { TooManyPromptsError, type Turn } from "../domain/sessions.ts";
import { writtenAt } from "./about-update.ts";
import type { DiskWatch } from "../domain/disk.ts";
import { createActOnCommand } from "./act-on-command.ts";
import type { Again } from "./again.ts";
import { createBursts } from "./burst.ts";
import type { Conversation } from "./conversations.ts";
import { inPlaceOf, releaseParts, type WaitingPart } from "./draft.ts";
import type { Drafts } from "./drafts.ts";
import type { Edits } from "./edits.ts";
import type { DiskNotice } from "./disk-notice.ts";
import type { Inbox } from "./inbox.ts";
import { createLatePieces, type Kinship, kinshipOf } from "./late.ts";
import type { Outboxes } from "./outboxes.ts";
import type { Parts } from "./parts.ts";
import { continuesPaste, type Piece, pieceOf } from "./paste.ts";
import {
  type Incoming,
  type IncomingCommand,
  type IncomingEdit,
  receive,
  type Recipient,
} from "./receive.ts";
import { AGED_AFTER } from "./timing.ts";
import { replies } from "./words.ts";

export interface IntakeOptions {
  readonly recipient: Recipient;
  readonly conversations: (key: ChatKey) => Conversation;
  readonly outboxes: Outboxes;
  readonly inbox: Inbox;
  readonly parts: Parts;
  readonly drafts: Drafts;
  readonly again: Again;
  readonly edits: Edits;
  /** Where the deck is, with that person's key to it; undefined when the HTTP face is off. */
  readonly deckLink?: ((userId: number) => string) | undefined;
  readonly disk?: DiskWatch;
  /** Tells a chat of an outage of the disk, once. */
  readonly diskNotice?: DiskNotice;
  readonly clock: Clock;
  readonly log: Log;
}

/** How an update came. */
export interface Arrival {
  /** On the clock. */
  readonly at: number;
  /** Whether it was written while evie was not running. Nothing else is too old to be answered, whatever its date says. */
  readonly mayBeOld: boolean;
}

export interface Intake {
  /** Takes one update. Synchronous: a content message is in its burst when this returns. */
  take(update: Update, arrival: Arrival): void;
  /** Takes nothing more and tells the chats whose bursts wait: they are kept, and taken up at the next start. */
  close(): void;
}

/** Milliseconds after which a burst that could not be handed on is tried again. */
const HAND_ON_AGAIN = 5_000;

interface ArrivedPart extends WaitingPart {
  readonly kinship: Kinship;
  /** The turn that it is a late piece of. */
  readonly late?: Turn;
}

/** Where updates become bursts, turns and replies. */
export function createIntake(options: IntakeOptions): Intake {
  const {
    recipient,
    conversations,
    outboxes,
    inbox,
    parts: makeParts,
    drafts,
    again,
    edits,
    deckLink,
    disk,
    diskNotice,
    clock,
    log,
  } = options;
  const keptFor = new Set<ChatKey>();
  /** Chats that know that a burst of theirs waits for the store. */
  const stuck = new Set<ChatKey>();
  const latePieces = createLatePieces(clock);
  /** The last content message of each chat. */
  const lastPieces = new Map<ChatKey, Piece>();
  let closed = false;

  const actOn = createActOnCommand({
    conversations,
    inbox,
    say,
    deckLink,
    disk,
    discardBurst(key) {
      lastPieces.delete(key);
      latePieces.forget(key);
      return bursts.discard(key);
    },
  });
  const bursts = createBursts<ArrivedPart>({
    clock,
    flush: (key, parts) => {
      log.debug({ chat: key, parts: parts.length }, "burst flushed");
      try {
        handOn(key, parts);
        stuck.delete(key);
      } catch (error) {
        // Nothing of it is lost: its updates are stored and unspent.
        bursts.putBack(key, parts, HAND_ON_AGAIN);
        const place = parseChatKey(key);
        const isDisk = diskNotice?.(error, [key]) === true;
        if (place !== undefined && !stuck.has(key) && !isDisk)
          say(place, error instanceof TooManyPromptsError ? replies.tooMany : replies.fault(replies.kept));
        stuck.add(key);
        // They are answered in time; nothing is wrong with evie.
        if (!(error instanceof TooManyPromptsError)) throw error;
      }
    },
    fault: (error) => log.error({ err: error }, "a burst could not be handed on"),
  });

  function handOn(key: ChatKey, parts: readonly ArrivedPart[]): void {
    const late = parts[0]?.late;
    const continued = late !== undefined && latePieces.runs(key, late) ? late : undefined;
    const turn = conversations(key).run(
      drafts.make(key, parts, continued?.id),
      parts.at(-1)?.messageId,
      continued,
    );
    latePieces.flushed(
      key,
      parts.map(({ kinship }) => kinship),
      turn,
    );
  }

  function say(place: ChatPlace, text: string, replyTo?: number): void {
    outboxes(place.chatId).reply({
      place,
      content: { text, entities: [] },
      ...(replyTo === undefined ? {} : { replyTo }),
    });
  }

  function sayKept(key: ChatKey, place: ChatPlace): void {
    if (keptFor.has(key)) return;
    keptFor.add(key);
    say(place, replies.shuttingDown);
  }

  function takeContent(message: Incoming, update: Update, arrival: Arrival): void {
    const { key, place } = message;
    if (closed) return sayKept(key, place);
    lastPieces.set(key, pieceOf(update, arrival.at));
    const written = writtenAt(update);
    if (arrival.mayBeOld && written !== undefined && clock.date() - written > AGED_AFTER)
      return again.shelve(message, update.update_id);
    const kinship = kinshipOf(update);
    // What stands behind a command is of no turn before it.
    const late = message.behindCommand === undefined ? latePieces.turnOf(key, kinship) : undefined;
    const part = makeParts.of(message, update.update_id);
    const opened = bursts.add(key, { ...part, kinship, ...(late === undefined ? {} : { late }) }, arrival.at);
    if (opened) wake(key);
  }

  /** Only a head start: what goes wrong here goes wrong again with the turn, and is told then. */
  function wake(key: ChatKey): void {
    try {
      conversations(key).wake();
    } catch (error) {
      log.warn({ err: error, chat: key }, "an agent could not be woken");
    }
  }

  /** A slash word is no command where a paste goes on with it. */
  function takeSlash(command: IncomingCommand, update: Update, arrival: Arrival): void {
    const { key } = command;
    const last = lastPieces.get(key);
    const runs = latePieces.turnOf(key, kinshipOf(update)) !== undefined;
    const before = last && { ...last, waits: bursts.waits(key) || again.shelves(key), runs };
    if (continuesPaste(command, before, pieceOf(update, arrival.at))) {
      try {
        inbox.decide(update, "whole");
      } catch (error) {
        log.error({ err: error }, "how a message was taken could not be kept");
      }
      return takeContent(command.whole, update, arrival);
    }
    if (command.forAnother === undefined) {
      const words = actOn(command, update);
      return words === undefined ? undefined : takeContent(words, update, arrival);
    }
    log.info({ update: update.update_id }, "ignored a command for another bot");
    inbox.spend([update.update_id]);
  }

  function takeEdit(edit: IncomingEdit, update: Update): void {
    const { update_id: updateId } = update;
    const waits = bursts.amend(
      edit.key,
      ({ messageId }) => messageId === edit.messageId,
      (part) => inPlaceOf(part, { ...part, ...makeParts.edited(part, edit, updateId) }),
    );
    if (!waits && !again.amend(edit, updateId)) edits.take(edit, update);
  }

  return {
    take(update, arrival) {
      const received = receive(update, recipient);
      const id = update.update_id;
      if ("place" in received) outboxes(received.place.chatId).revive();
      switch (received.type) {
        case "content":
          return takeContent(received, update, arrival);
        case "command":
          return takeSlash(received, update, arrival);
        case "press":
          // Left unspent while evie ends: what it asks for would begin what is being ended.
          return closed ? undefined : again.press(received, update);
        case "edit":
          return takeEdit(received, update);
        case "unusable":
          say(received.place, replies.unusable(received.what), received.messageId);
          return inbox.spend([id]);
        case "stranger":
          // Turned away before it is stored, unless it was stored when they were still allowed.
          log.info({ update: id }, "ignored a message of somebody who is not allowed any more");
          return inbox.spend([id]);
        case "ignored":
          log.info({ update: id }, `ignored ${received.reason}`);
          return inbox.spend([id]);
      }
    },
    close() {
      closed = true;
      again.close();
      for (const key of bursts.keys()) {
        releaseParts(bursts.discard(key));
        const place = parseChatKey(key);
        if (place !== undefined) sayKept(key, place);
      }
    },
  };
}
