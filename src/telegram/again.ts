import type { Update } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import { type ChatKey, makeTurnId, parseChatKey, parseTurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { TurnStore } from "./bookkeeping.ts";
import { createBursts } from "./burst.ts";
import type { Conversation } from "./conversations.ts";
import { releaseParts } from "./draft.ts";
import type { Drafts } from "./drafts.ts";
import type { Inbox } from "./inbox.ts";
import type { Outboxes } from "./outboxes.ts";
import { AGAIN, ASK, EDITED, NOW, type Parts } from "./parts.ts";
import type { Incoming, IncomingEdit, IncomingPress } from "./receive.ts";
import { replies, TRY_AGAIN } from "./words.ts";

export interface AgainOptions {
  readonly turns: TurnStore;
  readonly inbox: Inbox;
  readonly parts: Parts;
  readonly drafts: Drafts;
  readonly conversations: (key: ChatKey) => Conversation;
  readonly outboxes: Outboxes;
  /** Says to Telegram, and to who pressed, that a press was heard. Never throws. */
  readonly answerPress: (pressId: string, text: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is asked only when a person says so: what may have had effects, and what was written long ago. */
export interface Again {
  /** A press of a button that asks a prompt again, or lets one that waits in at once. */
  press(press: IncomingPress, update: Update): void;
  /** Takes a message that is too old to be answered unasked. Those that come together are listed with one button. */
  shelve(message: Incoming, updateId: number): void;
  /** Takes what an author made of a message that waits to be listed. False when it does not. */
  amend(edit: IncomingEdit, updateId: number): boolean;
  /** Whether messages of that chat wait to be listed. */
  shelves(key: ChatKey): boolean;
  /** Nothing is listed any more; what was not is looked at after the next start. */
  close(): void;
}

interface Aged {
  readonly messageId: number;
  readonly updates: readonly number[];
  readonly excerpt: string;
}

function excerptOf({ text, file }: Incoming | IncomingEdit): string {
  return text.trim() === "" ? (file?.name ?? "") : text;
}

export function createAgain(options: AgainOptions): Again {
  const { turns, inbox, parts, drafts, conversations, outboxes, answerPress, clock, log } = options;

  const aged = createBursts<Aged>({
    clock,
    flush: list,
    fault: (error) => log.error({ err: error }, "old messages could not be listed"),
  });

  /** They are spent once the list is in the chat: before that a crash must not hide them. */
  function list(key: ChatKey, messages: readonly Aged[]): void {
    const place = parseChatKey(key);
    if (place === undefined) return;
    const turn = makeTurnId();
    outboxes(place.chatId).reply({
      place,
      content: { text: replies.aged(messages.map(({ excerpt }) => excerpt)), entities: [] },
      button: { text: TRY_AGAIN, data: `${ASK}${turn}` },
      unasked: true,
      told() {
        try {
          turns.shelved(
            turn,
            messages.flatMap(({ updates }) => updates),
          );
        } catch (error) {
          log.error({ err: error, chat: key }, "a list of old messages could not be kept");
        }
      },
    });
  }

  /** What is said to who pressed. */
  function repeat({ key, data }: IncomingPress, update: Update): string {
    if (data.startsWith(NOW)) {
      inbox.spend([update.update_id]);
      return conversations(key).hurry() ? replies.hurried : replies.waitsNoMore;
    }
    const prefix = [AGAIN, EDITED].find((each) => data.startsWith(each)) ?? ASK;
    const id = parseTurnId(data.slice(prefix.length));
    const known = id === undefined ? undefined : turns.get(id);
    const recalled = known === undefined ? [] : inbox.recall(known.sources);
    if (id === undefined || recalled.length === 0) {
      inbox.spend([update.update_id]);
      return replies.nothingToRepeat;
    }
    return inbox.settle((spend) => {
      spend([update.update_id]);
      if (!turns.repeat(id)) return replies.doneAgainAlready;
      const recalledParts = parts.recall([update, ...recalled]);
      try {
        conversations(key).run(drafts.make(key, recalledParts), recalledParts.at(-1)?.messageId);
      } catch (error) {
        releaseParts(recalledParts);
        throw error;
      }
      return prefix === EDITED ? replies.askedAnew : replies.doneAgain;
    });
  }

  return {
    press(press, update) {
      try {
        answerPress(press.pressId, repeat(press, update));
      } catch (error) {
        answerPress(press.pressId, replies.kept);
        throw error;
      }
    },
    shelve(message, updateId) {
      const { key, messageId } = message;
      aged.add(key, { messageId, updates: [updateId], excerpt: excerptOf(message) });
    },
    amend: (edit, updateId) =>
      aged.amend(
        edit.key,
        ({ messageId }) => messageId === edit.messageId,
        (message) => ({
          ...message,
          updates: [...message.updates, updateId],
          excerpt: excerptOf(edit),
        }),
      ),
    shelves: (key) => aged.waits(key),
    close() {
      for (const key of aged.keys()) aged.discard(key);
    },
  };
}
