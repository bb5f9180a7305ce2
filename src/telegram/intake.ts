import type { Update } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
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
  /** Gives up the bursts that still wait, and tells their chats. */
  close(): void;
}

/** Where updates become bursts, turns and replies. */
export function createIntake(options: IntakeOptions): Intake {
  const { recipient, conversations, outboxes, fetchAttachment, clock, log } = options;
  const greeted = new Set<number>();

  const bursts = createBursts<WaitingPart>({
    clock,
    flush: (key, parts) => {
      log.debug({ chat: key, parts: parts.length }, "burst flushed");
      conversations(key).run(createDraft(parts));
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

  function takeContent({ key, place, messageId, text, context, file }: Incoming): void {
    const attachment = file === undefined ? undefined : fetchAttachment(file);
    const opened = bursts.add(key, {
      messageId,
      text,
      ...(context === undefined ? {} : { context }),
      ...(attachment === undefined ? {} : { attachment }),
    });
    if (opened) conversations(key).wake();
    if (attachment !== undefined) tellIfMissing(place, messageId, attachment);
  }

  function tellIfMissing(place: ChatPlace, messageId: number, attachment: Attachment): void {
    void attachment.settled.then((attached) => {
      if (attached.type !== "missing" || attachment.released) return;
      say(place, replies.fileMissing(attached.name, attached.reason), messageId);
    });
  }

  function takeCommand({ key, place, name }: IncomingCommand): void {
    const conversation = conversations(key);
    const reply = runCommand(name, {
      discardBurst: () => bursts.discard(key),
      stopTurn: () => conversation.stop(),
      clearSession: () => conversation.clear(),
    });
    say(place, reply);
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
      for (const key of bursts.keys()) {
        releaseParts(bursts.discard(key));
        const place = parseChatKey(key);
        if (place !== undefined) say(place, replies.shuttingDown);
      }
    },
  };
}
