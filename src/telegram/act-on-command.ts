import type { Update } from "grammy/types";
import { type DiskWatch, eachForItself } from "../domain/disk.ts";
import { failureSentence } from "../domain/failure.ts";
import type { ChatKey, ChatPlace } from "../domain/ids.ts";
import { runCommand, takesWords } from "./commands.ts";
import type { Conversation } from "./conversations.ts";
import { sourcesOf, type WaitingPart } from "./draft.ts";
import type { Inbox } from "./inbox.ts";
import type { Incoming, IncomingCommand } from "./receive.ts";
import { replies } from "./words.ts";

export interface ActOnCommandOptions {
  readonly conversations: (key: ChatKey) => Conversation;
  readonly inbox: Inbox;
  readonly say: (place: ChatPlace, text: string) => void;
  /** Where the deck is, with that person's key to it; undefined when the HTTP face is off. */
  readonly deckLink: ((userId: number) => string) | undefined;
  /** Takes a chat's waiting burst away, and lets nothing that comes belong to what was written before. Gives what it held. */
  readonly discardBurst: (key: ChatKey) => readonly WaitingPart[];
  readonly disk?: DiskWatch | undefined;
}

/**
 * Does commands at once and replies. What one does is kept in the same transaction as that it was done. Gives the words
 * behind it that are content from then on: their update is spent by the turn that names it. Throws when the command could
 * not be done, which was told then; its words are not asked.
 */
export function createActOnCommand(
  options: ActOnCommandOptions,
): (command: IncomingCommand, update: Update) => Incoming | undefined {
  const { conversations, inbox, say, deckLink, discardBurst, disk = eachForItself } = options;

  function sayFault({ place, name, words }: IncomingCommand, error: unknown): void {
    const outage = disk.notice(error);
    if (outage !== undefined) return say(place, replies.diskOutageCommand(outage.sentence, name));
    const reason = error instanceof Error ? error.message : String(error);
    const fault = replies.fault(failureSentence({ type: "internal", reason }));
    say(place, words === undefined ? fault : `${fault}\n\n${replies.unsent(name)}`);
  }

  return (command, update) => {
    const { key, place, name } = command;
    const conversation = conversations(key);
    const words = takesWords(name) ? command.words : undefined;
    try {
      const reply = inbox.settle((spend) => {
        if (words === undefined) spend([update.update_id]);
        else inbox.decide(update, "words");
        return runCommand(command, {
          discardBurst() {
            const discarded = discardBurst(key);
            spend(sourcesOf(discarded));
            return discarded;
          },
          waiting: conversation.waiting,
          stopTurn: () => conversation.stop(),
          clearSession: () => conversation.clear(),
          switchSession: (id) => conversation.switchTo(id),
          deckLink: deckLink === undefined ? undefined : () => deckLink(command.userId),
        });
      });
      say(place, reply);
    } catch (error) {
      sayFault(command, error);
      // It was answered: it must not come back to life after a restart.
      inbox.spend([update.update_id]);
      throw error;
    } finally {
      // Behind the reply, which says whose words come next, and behind the store, which may not have taken it.
      conversation.watch();
    }
    return words;
  };
}
