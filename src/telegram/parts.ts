import type { Update } from "grammy/types";
import type { ChatPlace } from "../domain/ids.ts";
import type { Attachment, FetchAttachment } from "./attachments.ts";
import type { WaitingPart } from "./draft.ts";
import { type Incoming, type IncomingEdit, receive, type Recipient } from "./receive.ts";
import { labels } from "./words.ts";

export interface PartsOptions {
  readonly recipient: Recipient;
  readonly fetchAttachment: FetchAttachment;
  /** Called when a file of a part cannot be had, though somebody still waits for it. */
  readonly missing: (place: ChatPlace, messageId: number, name: string, reason: string) => void;
}

/** Makes parts of messages. */
export interface Parts {
  /** The part of a message that came with that update. Its download begins. */
  of(message: Incoming, updateId: number): WaitingPart;
  /** The part as its author has made it with that update. */
  edited(part: WaitingPart, edit: IncomingEdit, updateId: number): WaitingPart;
  /**
   * The parts of a prompt's updates, as they were at its flush: files are fetched anew, texts are those that their
   * authors made of them. A button that asks for it again becomes one line in front.
   */
  recall(updates: readonly Update[]): readonly WaitingPart[];
}

/** What a button says that asks a prompt again, or one that was never asked; the turn's id follows. */
export const AGAIN = "again:";
/** With the id of a turn that waits: it is not to wait. */
export const NOW = "now:";
export const ASK = "ask:";

export function createParts({ recipient, fetchAttachment, missing }: PartsOptions): Parts {
  async function tellIfMissing(place: ChatPlace, messageId: number, attachment: Attachment): Promise<void> {
    const attached = await attachment.settled;
    if (attached.type !== "missing" || attachment.released) return;
    missing(place, messageId, attached.name, attached.reason);
  }

  function partOf(message: Incoming, updateId: number): WaitingPart {
    const { place, messageId, text, context, file, behindCommand } = message;
    const attachment = file === undefined ? undefined : fetchAttachment(file);
    if (attachment !== undefined) void tellIfMissing(place, messageId, attachment);
    return {
      sources: [updateId],
      messageId,
      text,
      ...(behindCommand === undefined ? {} : { behindCommand }),
      ...(context === undefined ? {} : { context }),
      ...(attachment === undefined ? {} : { attachment }),
    };
  }

  function editedPart(part: WaitingPart, edit: IncomingEdit, updateId: number): WaitingPart {
    const text = part.behindCommand === undefined ? edit.text : (edit.behindCommand ?? edit.text);
    return { ...part, text, sources: [...part.sources, updateId] };
  }

  return {
    of: partOf,
    edited: editedPart,
    recall(updates) {
      const parts: WaitingPart[] = [];
      const presses: number[] = [];
      let label = "";
      for (const update of updates) {
        const received = receive(update, recipient);
        if (received.type === "content") parts.push(partOf(received, update.update_id));
        // Whatever a prompt is made of is content.
        if (received.type === "command") parts.push(partOf(received.whole, update.update_id));
        if (received.type === "press") {
          presses.push(update.update_id);
          if (received.data.startsWith(AGAIN)) label = labels.again;
        }
        if (received.type !== "edit") continue;
        const at = parts.findIndex(({ messageId }) => messageId === received.messageId);
        const part = parts[at];
        if (part !== undefined) parts[at] = editedPart(part, received, update.update_id);
      }
      const [first] = parts;
      if (first === undefined || presses.length === 0) return parts;
      return [{ sources: presses, messageId: first.messageId, text: label }, ...parts];
    },
  };
}
