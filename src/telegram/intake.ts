import type { Update } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import { failureSentence } from "../domain/failure.ts";
import { type ChatKey, type ChatPlace, parseChatKey } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Attachment, FetchAttachment } from "./attachments.ts";
import { createBursts } from "./burst.ts";
import { runCommand } from "./commands.ts";
import type { Conversation } from "./conversations.ts";
import { createDraft, releaseParts, type WaitingPart } from "./draft.ts";
import type { Outboxes } from "./outboxes.ts";
import { type Incoming, type IncomingCommand, receive, type Recipient } from "./receive.ts";
import { replies } from "./words.ts";

export interface IntakeOptions {
  readonly recipient: Recipient;
  readonly conversations: (key: ChatKey) => Conversation;
  readonly outboxes: Outboxes;
  readonly fetchAttachment: FetchAttachment;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Intake {
  /** Takes one update, synchronously: a content message is in its burst when this returns. */
  take(update: Update): void;
  /** Gives up the bursts that still wait, and tells their chats. Content that comes later is given up in the same way. */
  close(): void;
}

/** Where updates become bursts, turns and replies. */
export function createIntake(options: IntakeOptions): Intake {
  const { recipient, conversations, outboxes, fetchAttachment, clock, log } = options;
  const greeted = new Set<number>();
  const givenUp = new Set<ChatKey>();
  let closed = false;

  const bursts = createBursts<WaitingPart>({
    clock,
    flush: (key, parts) => {
      log.debug({ chat: key, parts: parts.length }, "burst flushed");
      try {
        conversations(key).run(createDraft(parts), parts.at(-1)?.messageId);
      } catch (error) {
        releaseParts(parts);
        const place = parseChatKey(key);
        if (place !== undefined) sayFault(place, error);
        throw error;
      }
    },
    fault: (error) => log.error({ err: error }, "a burst could not be handed on"),
  });

  function say(place: ChatPlace, text: string, replyTo?: number): void {
    outboxes(place.chatId).reply({
      place,
      content: { text, entities: [] },
      ...(replyTo === undefined ? {} : { replyTo }),
    });
  }

  function sayFault(place: ChatPlace, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    say(place, replies.fault(failureSentence({ type: "internal", reason })));
  }

  function giveUp(key: ChatKey, place: ChatPlace): void {
    if (givenUp.has(key)) return;
    givenUp.add(key);
    say(place, replies.shuttingDown);
  }

  function takeContent({ key, place, messageId, text, context, file }: Incoming): void {
    if (closed) return giveUp(key, place);
    const attachment = file === undefined ? undefined : fetchAttachment(file);
    const opened = bursts.add(key, {
      messageId,
      text,
      ...(context === undefined ? {} : { context }),
      ...(attachment === undefined ? {} : { attachment }),
    });
    if (opened) wake(key);
    if (attachment !== undefined) void tellIfMissing(place, messageId, attachment);
  }

  /** Only a head start: what goes wrong here goes wrong again with the turn, and is told then. */
  function wake(key: ChatKey): void {
    try {
      conversations(key).wake();
    } catch (error) {
      log.warn({ err: error, chat: key }, "an agent could not be woken");
    }
  }

  async function tellIfMissing(place: ChatPlace, messageId: number, attachment: Attachment): Promise<void> {
    const attached = await attachment.settled;
    if (attached.type !== "missing" || attachment.released) return;
    say(place, replies.fileMissing(attached.name, attached.reason), messageId);
  }

  function takeCommand({ key, place, name }: IncomingCommand): void {
    const conversation = conversations(key);
    try {
      const reply = runCommand(name, {
        discardBurst: () => bursts.discard(key),
        stopTurn: () => conversation.stop(),
        clearSession: () => conversation.clear(),
      });
      say(place, reply);
    } catch (error) {
      sayFault(place, error);
      throw error;
    }
  }

  return {
    take(update) {
      const received = receive(update, recipient);
      if ("place" in received) outboxes(received.place.chatId).revive();
      switch (received.type) {
        case "content":
          return takeContent(received);
        case "command":
          return takeCommand(received);
        case "edit":
          bursts.amend(
            received.key,
            (part) => part.messageId === received.messageId,
            (part) => ({ ...part, text: received.text }),
          );
          return;
        case "unusable":
          return say(received.place, replies.unusable(received.what), received.messageId);
        case "stranger":
          log.warn({ user: received.userId }, "a stranger wrote");
          if (greeted.has(received.userId)) return;
          greeted.add(received.userId);
          return say(received.place, replies.stranger(received.userId));
        case "ignored":
          log.info({ update: update.update_id }, `ignored ${received.reason}`);
      }
    },
    close() {
      closed = true;
      for (const key of bursts.keys()) {
        releaseParts(bursts.discard(key));
        const place = parseChatKey(key);
        if (place !== undefined) giveUp(key, place);
      }
    },
  };
}
