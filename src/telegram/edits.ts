import type { Update } from "grammy/types";
import type { ChatKey, TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { TurnStore } from "./bookkeeping.ts";
import type { Conversation } from "./conversations.ts";
import { inPlaceOf, sourcesOf, type WaitingPart } from "./draft.ts";
import type { Drafts, HeldDraft } from "./drafts.ts";
import type { Inbox } from "./inbox.ts";
import type { Outboxes } from "./outboxes.ts";
import { EDITED, type Parts } from "./parts.ts";
import type { IncomingEdit } from "./receive.ts";
import { saysTheSame } from "./same-words.ts";
import { ASK_ANEW, replies } from "./words.ts";

export interface EditsOptions {
  readonly turns: TurnStore;
  readonly inbox: Inbox;
  readonly parts: Parts;
  readonly drafts: Drafts;
  readonly conversations: (key: ChatKey) => Conversation;
  readonly outboxes: Outboxes;
  readonly log: Log;
}

/** What authors change in messages whose burst was flushed. */
export interface Edits {
  /**
   * Takes a message as it is now. While no agent has it, it is asked that way. While an agent works on it as it was, the
   * chat is told once, with a button that asks it anew. Else nothing is said; a button that asks for it asks what it is now.
   */
  take(edit: IncomingEdit, update: Update): void;
}

export function createEdits(options: EditsOptions): Edits {
  const { turns, inbox, parts, drafts, conversations, outboxes, log } = options;
  /** The last turn of each chat that it was told of. */
  const told = new Map<ChatKey, TurnId>();

  /** Names the edit with the turn that is made of its message, and is done with it. */
  function note({ key, messageId }: IncomingEdit, updateId: number): void {
    inbox.settle((spend) => {
      turns.edited(key, messageId, updateId);
      spend([updateId]);
    });
  }

  function tell({ key, place, messageId }: IncomingEdit, turn: TurnId): void {
    if (told.get(key) === turn) return;
    told.set(key, turn);
    outboxes(place.chatId).reply({
      place,
      content: { text: replies.oldWords, entities: [] },
      replyTo: messageId,
      button: { text: ASK_ANEW, data: `${EDITED}${turn}` },
    });
  }

  function change(
    edit: IncomingEdit,
    update: Update,
    { draft: before, parts: all, continued }: HeldDraft,
    part: WaitingPart,
    next: WaitingPart,
  ): void {
    const { key } = edit;
    const { update_id: updateId } = update;
    const [former] = inbox.recall(part.sources.slice(-1));
    const isNews =
      former === undefined || next.attachment !== part.attachment || !saysTheSame(former, update);
    const draft = drafts.make(
      key,
      all.map((each) => (each === part ? next : each)),
      continued,
    );
    /** Leaves the prompt as it was. */
    const leave = (): void => {
      drafts.forget(key, draft);
      inPlaceOf(next, part);
    };
    try {
      const amended = conversations(key).amend(sourcesOf(all)[0] ?? 0, draft);
      switch (amended.type) {
        case "waits":
          drafts.forget(key, before);
          inPlaceOf(part, next);
          return;
        case "handed":
          drafts.forget(key, before);
          amended.accepted
            .then((accepted) => {
              inPlaceOf(part, next);
              // Else it is in the prompt of the turn that carries it on, and is spent with that.
              if (!accepted) return inbox.spend([updateId]);
              note(edit, updateId);
              const isHeld = drafts.holding(key, edit.messageId)?.draft === draft;
              if (isNews && isHeld) tell(edit, amended.turnId);
            })
            .catch((error: unknown) => log.error({ err: error, chat: key }, "an edit could not be kept"));
          return;
        case "accepted":
          leave();
          note(edit, updateId);
          if (isNews) tell(edit, amended.turnId);
          return;
        case "over":
          leave();
          return note(edit, updateId);
      }
    } catch (error) {
      leave();
      throw error;
    }
  }

  return {
    take(edit, update) {
      const { update_id: updateId } = update;
      const held = drafts.holding(edit.key, edit.messageId);
      // A label in front bears the number of the message behind it.
      const part = held?.parts.findLast(({ messageId }) => messageId === edit.messageId);
      if (held === undefined || part === undefined) return note(edit, updateId);
      const next = parts.edited(part, edit, updateId);
      // Telegram tells of previews of links as well.
      if (next.text === part.text && next.attachment === part.attachment) return note(edit, updateId);
      change(edit, update, held, part, next);
    },
  };
}
